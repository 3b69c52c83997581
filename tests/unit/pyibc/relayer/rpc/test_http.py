"""HTTP against bad names, silent addresses, proxies, unknown authorities, large answers, and rate limits."""

import gzip
import json
import socket
import ssl
import threading
import tracemalloc
from base64 import b64encode
from pathlib import Path

import pytest

from pyibc.relayer.errors import EndpointUnavailable, MalformedAnswer
from pyibc.relayer.rpc.calls import Call
from pyibc.relayer.rpc.client import MAX_ANSWER, MAX_RETRY_AFTER_S, HttpRpc, RpcConfig
from tests.unit.pyibc.relayer.rpc.test_client import Clock, Peer, answer, drips, fine, to
from tests.unit.pyibc.relayer.rpc.test_client import peer as peer  # noqa: PLC0414 - a fixture

TLS = Path(__file__).parent / "tls"
QUICK = RpcConfig(timeout_s=5, attempts=1, sleep=lambda _s: None)


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch):
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def named(monkeypatch):
    """Return a function that gives a host name addresses, or an answer of the resolver."""
    genuine, names = socket.getaddrinfo, {}

    def look_up(host, port, *args, **more):
        found = names.get(host)
        if found is None:
            return genuine(host, port, *args, **more)
        return found() if callable(found) else found

    monkeypatch.setattr(socket, "getaddrinfo", look_up)

    def name(host, *addresses, answer=None):
        rows = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", address) for address in addresses]
        names[host] = answer or rows

    return name


@pytest.fixture
def silent():
    """Address that neither accepts nor refuses: the queue of its listener is full."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        waiting = [socket.socket() for _ in range(4)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(listener.getsockname())
        yield listener.getsockname()
        for each in waiting:
            each.close()


@pytest.mark.parametrize("before", [0, 1, 3])
def test_a_host_whose_first_address_is_silent_is_reached_by_the_next(peer, named, silent, before) -> None:
    """Regression: the first address took the whole time of the call."""
    other, _ = peer(fine)
    named("node.example", *[silent] * before, ("127.0.0.1", other.port))
    rpc = HttpRpc("http://node.example:26657", QUICK._replace(timeout_s=2))
    assert rpc.call("status") == {"a": 1}
    rpc.close()


def test_an_address_that_refuses_is_passed_over_at_once(peer, named) -> None:
    other, _ = peer(fine)
    named("node.example", ("127.0.0.1", 1), ("127.0.0.1", other.port))
    rpc = HttpRpc("http://node.example", QUICK)
    assert rpc.call("status") == {"a": 1}
    rpc.close()
    named("node.example", ("127.0.0.1", 1), ("127.0.0.1", 1))
    with pytest.raises(EndpointUnavailable, match="refused"):
        rpc.call("status")


def test_a_host_whose_addresses_are_all_silent_is_named_so(named, silent) -> None:
    named("node.example", silent, silent)
    rpc = HttpRpc("http://node.example", QUICK._replace(timeout_s=0.3))
    with pytest.raises(EndpointUnavailable, match=r"no address of the host accepted a connection in time"):
        rpc.call("status")


def test_a_silent_name_server_costs_one_thread_and_no_more_than_the_deadline(peer, named) -> None:
    other, _ = peer(fine)
    answers, asked = threading.Event(), []

    def look_up():
        asked.append(threading.current_thread())
        answers.wait(5)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", other.port))]

    named("node.example", answer=look_up)
    rpc = HttpRpc("http://node.example", QUICK._replace(timeout_s=0.1))
    for _ in range(5):
        with pytest.raises(EndpointUnavailable, match="the name of the host was not resolved in time"):
            rpc.call("status")
    assert len(asked) == 1
    answers.set()
    asked[0].join(5)
    assert HttpRpc("http://node.example", QUICK).call("status") == {"a": 1}


def test_a_name_that_does_not_exist_is_told(named) -> None:
    def look_up():
        raise socket.gaierror(-2, "Name or service not known")

    named("node.example", answer=look_up)
    for _ in range(2):
        with pytest.raises(EndpointUnavailable, match="Name or service not known"):
            HttpRpc("http://node.example", QUICK).call("status")


# -- proxies


def test_the_proxy_of_the_environment_is_used(peer, monkeypatch) -> None:
    proxy, _ = peer(fine)
    monkeypatch.setenv("http_proxy", f"http://us%40er:pa55@127.0.0.1:{proxy.port}")
    rpc = HttpRpc("http://node.example:26657/rpc", QUICK)
    assert rpc.call("status") == {"a": 1}
    assert rpc.call("broadcast_tx_sync", tx="AA==") == {"a": 1}
    rpc.close()
    for request in proxy.requests:
        assert request.startswith("POST http://node.example:26657/rpc HTTP/1.1\r\n")
        assert f"proxy-authorization: Basic {b64encode(b'us@er:pa55').decode()}\n" in request.replace(
            "\r", ""
        )


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "node.example"])
def test_hosts_without_a_proxy_are_asked_directly(peer, named, monkeypatch, host) -> None:
    other, _ = peer(fine)
    monkeypatch.setenv("all_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("NO_PROXY", "node.example")
    named("node.example", ("127.0.0.1", other.port))
    rpc = HttpRpc(f"http://{host}:{other.port}", QUICK)
    assert rpc.call("status") == {"a": 1}
    rpc.close()


def test_a_proxy_that_is_away_is_told_without_its_password(monkeypatch) -> None:
    for name in ("http_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://user:pa55@127.0.0.1:1")
    for scheme in ("http", "https"):
        with pytest.raises(EndpointUnavailable, match=r"the proxy cannot be used: .*refused") as caught:
            HttpRpc(f"{scheme}://node.example", QUICK).call("status")
        assert "pa55" not in str(caught.value)


def test_a_proxy_of_another_kind_is_refused_at_the_start(monkeypatch) -> None:
    monkeypatch.setenv("all_proxy", "socks5://user:pa55@127.0.0.1:1")
    with pytest.raises(ValueError, match="has the scheme 'socks5': use an HTTP proxy, or set no_proxy"):
        HttpRpc("http://node.example", QUICK)


# -- TLS


@pytest.fixture
def secured():
    """Server with TLS; returns (peer, URL)."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / "certificate.pem", TLS / "key.pem")
    made = []

    def serve(play):
        other = Peer(play)
        inner = other._serve

        def over_tls(taken) -> None:
            try:
                inner(context.wrap_socket(taken, server_side=True))
            except OSError:
                taken.close()

        other._serve = over_tls
        made.append(other)
        return f"https://localhost:{other.port}"

    yield serve
    for other in made:
        other.close()


def test_an_authority_of_ones_own_is_trusted_by_its_file(secured, monkeypatch) -> None:
    url = secured(fine)
    with pytest.raises(EndpointUnavailable, match=r"no TLS connection: .*certificate verify failed"):
        HttpRpc(url, QUICK).call("status")
    rpc = HttpRpc(url, QUICK._replace(ca_file=str(TLS / "certificate.pem")))
    assert [rpc.call("status") for _ in range(3)] == [{"a": 1}] * 3
    rpc.close()


@pytest.mark.parametrize("name", ["absent.pem", "empty.pem"])
def test_a_file_without_authorities_is_refused_at_the_start(tmp_path, name) -> None:
    (tmp_path / "empty.pem").write_text("nothing")
    with pytest.raises(ValueError, match=f"{name}: no certificates of authorities can be read from it"):
        HttpRpc("https://node.example", QUICK._replace(ca_file=str(tmp_path / name)))


def test_a_tls_peer_that_drips_bytes_is_left_at_the_deadline(secured) -> None:
    clock = Clock()
    url = secured(drips(b"HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n{"))
    config = QUICK._replace(
        ca_file=str(TLS / "certificate.pem"), timeout_s=50, clock=clock, max_answer=100_000
    )
    with pytest.raises(EndpointUnavailable):
        HttpRpc(url, config).call("status")
    assert clock.now < 3 * 60


# -- answers


def sends(*pieces):
    """Send pieces until the client has enough."""

    def play(taken, _request) -> bool:
        for piece in pieces:
            taken.sendall(piece)
        return False

    return play


def peak_of(call) -> int:
    tracemalloc.start()
    try:
        with pytest.raises(MalformedAnswer, match=f"more than {MAX_ANSWER} bytes"):
            call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_an_answer_of_200_megabytes_is_left_at_the_limit(peer) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 209715200\r\n\r\n"
    _, rpc = peer(sends(head, *[bytes(1 << 20)] * 200))
    assert peak_of(lambda: rpc.call("block")) < 100 << 20


def test_a_small_answer_that_unpacks_to_a_large_one_is_an_error(peer) -> None:
    bomb = gzip.compress(bytes(200 << 20), 9)
    _, rpc = peer(sends(answer(bomb, more="Content-Encoding: gzip\r\n")))
    assert peak_of(lambda: rpc.call("block")) < 100 << 20


def test_a_batch_whose_answer_is_too_large_is_divided(peer) -> None:
    def play(taken, request) -> bool:
        asked = json.loads(request.partition("\n\n")[2])
        several = asked if isinstance(asked, list) else [asked]
        told = [{"jsonrpc": "2.0", "id": each["id"], "result": {"a": "x" * 400}} for each in several]
        taken.sendall(answer(json.dumps(told if isinstance(asked, list) else told[0]).encode()))
        return True

    other, rpc = peer(play, max_answer=1_000)
    found = rpc.call_many([Call("block", {"height": str(number)}) for number in range(4)])
    assert found == [{"a": "x" * 400}] * 4
    assert len(other.requests) == 3  # all, the first two, the others


@pytest.mark.parametrize(
    ("page", "more"),
    [(b"<html>", ""), (b"\n <!DOCTYPE html>", ""), (b"please log in", "Content-Type: text/html\r\n")],
)
def test_a_page_in_place_of_an_answer_is_named_so(peer, page, more) -> None:
    _, rpc = peer(lambda taken, _: taken.sendall(answer(page, more=more)))
    text = "HTTP status 200 with an HTML page, not JSON-RPC: check that the URL is that of a node's RPC"
    with pytest.raises(EndpointUnavailable, match=text):
        rpc.call("status")
    _, rpc = peer(lambda taken, _: taken.sendall(answer(b"pong")))
    with pytest.raises(EndpointUnavailable, match="HTTP status 200 with a body that is not JSON-RPC"):
        rpc.call("status")


# -- rate limits

NOON = 1_700_000_000  # Tue, 14 Nov 2023 22:13:20 GMT


def limits(retry_after, times=1):
    """Refuse so many requests with status 429."""
    left = [times]

    def play(taken, request) -> bool:
        left[0] -= 1
        head = f"Retry-After: {retry_after}\r\n"
        taken.sendall(answer(b"slow down", "429 Too Many Requests", head) if left[0] >= 0 else to(request))
        return True

    return play


@pytest.mark.parametrize("retry_after", ["3", "Tue, 14 Nov 2023 22:13:23 GMT"])
def test_a_short_time_that_a_node_names_is_waited_for(peer, retry_after) -> None:
    pauses = []
    _, rpc = peer(limits(retry_after), sleep=pauses.append, unix=lambda: NOON)
    assert rpc.call("status") == {"a": 1}
    assert pauses == [3]


@pytest.mark.parametrize(("retry_after", "seconds"), [("40", 40), ("99999999999999", MAX_RETRY_AFTER_S)])
def test_a_node_that_names_a_time_is_left_alone_until_then(peer, retry_after, seconds) -> None:
    now = [100.0]
    other, rpc = peer(limits(retry_after), clock=lambda: now[0])
    text = f"HTTP status 429: it asks for no request for {seconds:.0f} s"
    for _ in range(3):
        with pytest.raises(EndpointUnavailable, match=text):
            rpc.call("status")
    assert len(other.requests) == 1
    now[0] += seconds
    assert rpc.call("status") == {"a": 1}


@pytest.mark.parametrize("retry_after", ["", "soon", "-3", "1e9", "Tue, 99 Nov 9999 22:13:23 GMT", "²"])
def test_a_time_that_is_none_is_not_waited_for(peer, retry_after) -> None:
    pauses = []
    _, rpc = peer(limits(retry_after), sleep=pauses.append)
    assert rpc.call("status") == {"a": 1}
    assert pauses == [0.2]
