"""HTTP client against slow, flooding, truncating and silent peers; secrets in URLs stay out of errors."""

import json
import socket
import threading
import time
import traceback
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor

import pytest

from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer
from pyibc.relayer.rpc.client import MAX_REASON, HttpRpc, RpcConfig, printable
from pyibc.relayer.rpc.http_pool import redacted_url
from tests.waiting import until


class Clock:
    """Return a clock that advances by one second with each reading."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


class Peer:
    """Server that passes each accepted socket and its request to `play`."""

    def __init__(self, play, port: int = 0) -> None:
        self.play = play
        self.requests = []
        self.connections = 0
        self.listener = socket.create_server(("127.0.0.1", port))
        self.port = self.listener.getsockname()[1]
        self.threads = [threading.Thread(target=self._accept)]
        self.threads[0].start()

    def _accept(self) -> None:
        while True:
            try:
                taken, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            self.threads.append(threading.Thread(target=self._serve, args=(taken,)))
            self.threads[-1].start()

    def _serve(self, taken) -> None:
        with taken:
            try:
                while (request := self._read(taken)) is not None:
                    self.requests.append(request)
                    if not self.play(taken, request):
                        return
            except OSError:
                return

    @staticmethod
    def _read(taken):
        raw = b""
        while b"\r\n\r\n" not in raw:
            piece = taken.recv(65536)
            if not piece:
                return None
            raw += piece
        head, _, body = raw.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        while len(body) < length:
            body += taken.recv(65536)
        return head.decode() + "\n\n" + body.decode()

    def close(self) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for thread in self.threads:
            thread.join(5)


@pytest.fixture
def peer():
    made, opened = [], []

    def make(play, **config):
        made.append(Peer(play))
        quick = RpcConfig(**{"attempts": 3, "sleep": lambda _s: None, **config})
        opened.append(HttpRpc(f"http://127.0.0.1:{made[-1].port}", quick))
        return made[-1], opened[-1]

    yield make
    for rpc in opened:
        rpc.close()
    for each in made:
        each.close()


def answer(body: bytes, status: str = "200 OK", more: str = "") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{more}\r\n".encode() + body


def to(request, **told) -> bytes:
    """Return the body of a JSON-RPC response."""
    asked = json.loads(request.partition("\n\n")[2])
    return answer(
        json.dumps({"jsonrpc": "2.0", "id": asked["id"], **(told or {"result": {"a": 1}})}).encode()
    )


def fine(taken, request) -> bool:
    taken.sendall(to(request))
    return True


def drips(before: bytes):
    """Send `before`, then single bytes as fast as the peer reads them."""

    def play(taken, _request) -> bool:
        taken.sendall(before)
        while True:
            taken.sendall(b"x")

    return play


@pytest.mark.parametrize(
    "before",
    [
        b"",  # the status line never ends
        b"HTTP/1.1 200 OK\r\nX: ",
        b"HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n{",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n\r\n{",
    ],
)
def test_h141_a_peer_that_drips_bytes_is_left_at_the_deadline(peer, before) -> None:
    clock = Clock()
    _, rpc = peer(drips(before), timeout_s=50, clock=clock, max_answer=200_000)
    with pytest.raises(EndpointUnavailable):
        rpc.call("status")
    assert clock.now < 3 * 60  # each look at the clock is a read: their number is bounded, whatever arrives


def test_h141_the_deadline_is_of_the_call_with_all_its_attempts(peer) -> None:
    def hold(_taken, _request) -> bool:
        done.wait(5)
        return False

    done = threading.Event()
    other, rpc = peer(hold, timeout_s=0.2)
    with pytest.raises(EndpointUnavailable, match="no whole answer in time"):
        rpc.call("status")
    done.set()
    assert other.connections == 1


@pytest.mark.parametrize("chunked", [True, False])
def test_h141_an_answer_too_large_is_an_error_and_not_cut(peer, chunked) -> None:
    body = b'{"result":{"a":"' + b"x" * 100_000 + b'"}}'
    pieces = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    _, rpc = peer(
        lambda taken, _: taken.sendall(head + pieces if chunked else answer(body)), max_answer=99_999
    )
    with pytest.raises(MalformedAnswer, match="more than 99999 bytes"):
        rpc.call("block")


def test_an_answer_that_is_cut_off_is_asked_for_again(peer) -> None:
    cuts = [-9, -1]

    def play(taken, request) -> bool:
        taken.sendall(to(request)[: cuts.pop() if cuts else None])
        return False

    other, rpc = peer(play)
    assert rpc.call("status") == {"a": 1}
    assert other.connections == 3


def test_a_node_that_is_busy_is_asked_again_and_one_that_refuses_is_not(peer) -> None:
    busy = [answer(b"busy", "503 Service Unavailable"), answer(b"<html>", "502 Bad Gateway")]

    def play(taken, request) -> bool:
        taken.sendall(busy.pop(0) if busy else to(request))
        return True

    other, rpc = peer(play)
    assert rpc.call("status") == {"a": 1}
    busy += [answer(b"busy", "503 Service Unavailable")] * 3
    with pytest.raises(EndpointUnavailable, match="HTTP status 503"):
        rpc.call("status")
    assert len(other.requests) == 6
    for body in (b"{", b'{"result":[]}'):
        busy.append(answer(body))
        with pytest.raises(MalformedAnswer):
            rpc.call("status")
    assert len(other.requests) == 8


def test_a_broadcast_is_sent_once(peer) -> None:
    """A second broadcast could be refused for its sequence although the first is in a block."""
    other, rpc = peer(lambda _taken, _request: False)
    with pytest.raises(EndpointUnavailable):
        rpc.call("broadcast_tx_sync", tx="AA==")
    assert len(other.requests) == 1
    with pytest.raises(EndpointUnavailable):
        rpc.call("status")
    assert len(other.requests) == 4


def test_a_broadcast_goes_over_a_connection_of_its_own(peer) -> None:
    """The peer may have closed an idle connection."""
    closed_after = {"status": 2}

    def play(taken, request) -> bool:
        taken.sendall(to(request))
        return "broadcast" in request or closed_after["status"] > 1

    other, rpc = peer(play)
    for _ in range(3):
        rpc.call("status")
    assert other.connections == 1
    rpc.call("broadcast_tx_sync", tx="AA==")
    assert (other.connections, len(other.requests)) == (2, 4)


def test_h224_a_hundred_broadcasts_leave_no_connection_at_the_node(peer) -> None:
    """Regression: each left a connection open, and after 900 CometBFT accepted no more from any client."""
    ended = []

    other, rpc = peer(fine)
    serve = other._serve
    other._serve = lambda taken: (serve(taken), ended.append(taken))
    for _ in range(100):
        rpc.call("broadcast_tx_sync", tx="AA==")
    assert other.connections == 100
    until(lambda: len(ended) == 100)


def test_h224_many_threads_leave_a_bounded_number_of_connections(peer, monkeypatch) -> None:
    monkeypatch.setattr("pyibc.relayer.rpc.http_pool.MAX_IDLE", 2)
    all_there, ended = threading.Barrier(6), []

    def play(taken, request) -> bool:
        all_there.wait(5)
        return fine(taken, request)

    other, _ = peer(play)
    serve = other._serve
    other._serve = lambda taken: (serve(taken), ended.append(taken))
    rpc = HttpRpc(f"http://127.0.0.1:{other.port}")
    with ThreadPoolExecutor(6) as threads:
        assert list(threads.map(lambda _: rpc.call("status"), range(6))) == [{"a": 1}] * 6
    until(lambda: len(ended) == 4, seconds=5)
    rpc.close()
    until(lambda: len(ended) == 6)
    assert other.connections == 6


def test_idle_connections_that_the_node_closed_are_replaced(peer) -> None:
    other, rpc = peer(lambda taken, request: taken.sendall(to(request)))  # closes after each answer
    for _ in range(4):
        assert rpc.call("status") == {"a": 1}
    assert len(other.requests) == 4


def test_threads_do_not_get_each_other_s_answers(peer) -> None:
    barrier = threading.Barrier(8)

    def echo(taken, request) -> bool:
        number = request.partition('"height":"')[2].partition('"')[0]
        barrier.wait(5)  # all are under way at once
        taken.sendall(to(request, result={"height": number}))
        return True

    _, rpc = peer(echo)
    found = {}

    def ask(number) -> None:
        found[number] = [rpc.call("block", height=f"{number}-{turn}")["height"] for turn in range(5)]

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert found == {number: [f"{number}-{turn}" for turn in range(5)] for number in range(8)}


SECRET = "s3/cr:t@?"


def test_h141_path_query_and_user_of_a_url_are_used(peer) -> None:
    other, plain = peer(fine)
    del plain
    rpc = HttpRpc(f"http://us%40er:s3%2Fcr%3At%40%3F@127.0.0.1:{other.port}/k3y/rpc?token=t0ken&x=1")
    assert rpc.call("status") == {"a": 1}
    rpc.close()
    (request,) = other.requests
    assert request.startswith("POST /k3y/rpc?token=t0ken&x=1 HTTP/1.1\r\n")
    assert f"Authorization: Basic {b64encode(f'us@er:{SECRET}'.encode()).decode()}\n" in request.replace(
        "\r", ""
    )
    assert f"Host: 127.0.0.1:{other.port}\r\n" in request


@pytest.mark.parametrize(
    "reply",
    [b"", b"SSH-2.0-x\r\n\r\n", answer(b"nope", "401 Unauthorized"), answer(b"{"), answer(b'{"error":7}')],
)
def test_h141_no_error_tells_the_secrets_of_a_url(peer, reply) -> None:
    other, _ = peer(lambda taken, _: taken.sendall(reply))
    url = f"http://user:passw0rd@127.0.0.1:{other.port}/k3y?token=t0ken"
    rpc = HttpRpc(url, RpcConfig(attempts=1, sleep=lambda _s: None))
    with pytest.raises((EndpointUnavailable, MalformedAnswer)) as caught:
        rpc.call("status")
    rpc.close()
    told = "".join(traceback.format_exception(caught.value)) + repr(caught.value)
    assert f"http://127.0.0.1:{other.port}" in told
    assert not any(secret in told for secret in ("passw0rd", "user:", "k3y", "t0ken"))


@pytest.mark.parametrize(
    "url",
    [
        "http://user:pass/word@host:1",  # the password becomes the port
        "http://user:passw0rd@",
        "ftp://user:passw0rd@host",
        "http://user:passw0rd@host/a b",
        "http://user:passw0rd@host/a\r\nX: y",
        "http://user:passw0rd@host:99999",
        "http://user:passw0rd@[::1",
        "http://user:passw0rd@.host.",
        "http://user:passw0rd@host/é",
        "localhost:26657",
        "",
    ],
)
def test_h141_a_url_that_is_none_is_not_quoted(url) -> None:
    with pytest.raises(ValueError, match="not an http") as caught:
        HttpRpc(url)
    told = "".join(traceback.format_exception(caught.value))
    assert "pass" not in told.replace("passw0rd@host/a\\r", "")
    assert "pass" not in redacted_url(url)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("tcp://localhost:26657", "http://localhost:26657"),
        ("https://rpc.example.com:443/x", "https://rpc.example.com"),
        ("https://[::1]:1317", "https://[::1]:1317"),
    ],
)
def test_names(url, name) -> None:
    assert HttpRpc(url).name == redacted_url(url) == name


def test_errors_of_a_node_are_bounded_and_printable(peer) -> None:
    text = "\\u001b[2Jboo\\n" + "y" * 5_000
    body = b'{"error":{"message":"%s","data":null}}' % text.encode()
    _, rpc = peer(lambda taken, _: taken.sendall(answer(body, "500 Internal Server Error")))
    with pytest.raises(EndpointRefused) as caught:
        rpc.call("status")
    assert caught.value.reason.startswith("\\x1b[2Jboo\\n")
    assert caught.value.reason.isprintable()
    assert len(caught.value.reason) < MAX_REASON + 10


def test_a_long_error_keeps_its_beginning_and_its_end() -> None:
    """A packet with a long memo would otherwise hide why its message failed."""
    text = f"failed to execute message{'x' * 5_000}out of gas with gas used: '7'"
    assert len(printable(text)) <= MAX_REASON
    assert printable(text).startswith("failed to execute message")
    assert printable(text).endswith("out of gas with gas used: '7'")
    assert printable(printable(text)) == printable(text)
    assert printable("y" * MAX_REASON) == "y" * MAX_REASON


@pytest.mark.parametrize("error", ['"text"', "[1]", "7"])
def test_an_error_that_is_no_object_is_malformed(peer, error) -> None:
    _, rpc = peer(lambda taken, _: taken.sendall(answer(b'{"error":%s}' % error.encode())))
    with pytest.raises(MalformedAnswer):
        rpc.call("status")


def test_h230_an_answer_that_comes_twice_is_not_taken_for_the_next_one(peer) -> None:
    """Regression: it was, and so was each later response on that connection."""
    sent_again = threading.Event()

    def play(taken, request) -> bool:
        fine(taken, request)
        if '"status"' in request and len(other.requests) == 1:
            time.sleep(0.05)  # what comes at once is dropped with the first
            fine(taken, request)
            sent_again.set()
        return True

    other, rpc = peer(play)
    rpc.call("status")
    assert sent_again.wait(5)
    assert rpc.call("abci_info") == {"a": 1}
    assert other.connections == 2


def test_h230_after_the_answer_to_another_call_the_connection_is_not_used(peer) -> None:
    def play(taken, request) -> bool:
        fine(taken, other.requests[0] if len(other.requests) == 2 else request)
        return True

    other, rpc = peer(play)
    rpc.call("status")
    with pytest.raises(MalformedAnswer, match="to another request: id 1"):
        rpc.call("abci_info")
    assert rpc.call("abci_info") == {"a": 1}
    assert (other.connections, len(other.requests)) == (2, 3)


@pytest.mark.parametrize("number", [None, 2, "1", True, [1]])
def test_h230_a_result_that_names_another_call_or_none_is_malformed(peer, number) -> None:
    _, rpc = peer(lambda taken, request: taken.sendall(to(request, id=number, result={"a": 1})))
    with pytest.raises(MalformedAnswer, match="to another request"):
        rpc.call("status")


def test_a_refusal_by_who_could_not_read_the_call_names_none(peer) -> None:
    refusal = {"code": -32700, "message": "Parse error"}
    _, rpc = peer(lambda taken, request: taken.sendall(to(request, id=None, error=refusal)))
    with pytest.raises(EndpointRefused, match="Parse error"):
        rpc.call("status")


@pytest.mark.parametrize("half", ["\\ud83d", "\\uDE00", "\\ud83dx"])
def test_h231_half_a_character_is_no_text(peer, half) -> None:
    """Such text cannot be encoded in a journal, an export or a log."""
    body = b'{"id":1,"result":{"network":"%s"}}' % half.encode()
    _, rpc = peer(lambda taken, _: taken.sendall(answer(body)))
    with pytest.raises(MalformedAnswer, match=r"surrogate|truncated"):
        rpc.call("status")


def test_h231_two_halves_of_a_character_are_one(peer) -> None:
    body = b'{"id":1,"result":{"network":"\\ud83d\\ude00"}}'
    _, rpc = peer(lambda taken, _: taken.sendall(answer(body)))
    assert rpc.call("status") == {"network": "\U0001f600"}


def test_a_request_too_large_is_refused_and_not_repeated(peer) -> None:
    body = answer(b"<html>", "413 Request Entity Too Large")
    other, rpc = peer(lambda taken, _: taken.sendall(body))
    with pytest.raises(EndpointRefused, match="HTTP status 413"):
        rpc.call("status")
    assert len(other.requests) == 1


def test_h147_a_node_that_restarts_in_three_seconds_is_waited_for() -> None:
    """The port refuses connections for three seconds of backoff; a broadcast waits as well."""
    for method in ("status", "broadcast_tx_sync"):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        pauses, started = [], []

        def sleep(seconds, pauses=pauses, started=started, port=port) -> None:
            pauses.append(seconds)
            if sum(pauses) >= 3 and not started:
                started.append(Peer(fine, port))

        rpc = HttpRpc(f"http://127.0.0.1:{port}", RpcConfig(sleep=sleep))
        assert rpc.call(method) == {"a": 1}
        assert 3 <= sum(pauses) < 7
        rpc.close()
        started[0].close()


def test_a_node_that_stays_away_is_given_up_after_some_seconds() -> None:
    pauses = []
    rpc = HttpRpc("http://127.0.0.1:9", RpcConfig(sleep=pauses.append))
    with pytest.raises(EndpointUnavailable, match="refused"):
        rpc.call("status")
    assert 5 < sum(pauses) < 10
