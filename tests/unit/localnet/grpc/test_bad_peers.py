"""Peers that speak no gRPC, or half of it, or never listen: the node answers everybody else."""

import logging
import random
import socket
import struct
import time

import pytest

from localnet.grpc.calls import GrpcLimits
from localnet.grpc.server import GrpcServer

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST, SETTINGS, PING, GOAWAY, WINDOW = 0, 1, 3, 4, 6, 7, 8
END_STREAM, END_HEADERS = 1, 4


def frame(kind, flags=0, stream=0, payload=b"", length=None):
    size = len(payload) if length is None else length
    return struct.pack(">I", size)[1:] + bytes((kind, flags)) + struct.pack(">I", stream) + payload


def literal(name, value):
    """A header field without indexing, its text as it is (RFC 7541, 6.2.2)."""
    return b"\x00" + bytes((len(name),)) + name.encode() + bytes((len(value),)) + value.encode()


def headers(path="/a.B/Echo", stream=1, flags=END_HEADERS):
    fields = {
        ":method": "POST",
        ":scheme": "http",
        ":path": path,
        ":authority": "a",
        "content-type": "application/grpc",
        "te": "trailers",
    }
    return frame(HEADERS, flags, stream, b"".join(literal(*field) for field in fields.items()))


def message(payload, length=None):
    return b"\x00" + struct.pack(">I", len(payload) if length is None else length) + payload


OPEN = PREFACE + frame(SETTINGS)
SPOILT = {
    "garbage": b"\xff\x00garbage\r\n\r\n" * 50,
    "http/1": b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "tls": bytes.fromhex("16030100a5010000a10303") + bytes(160),
    "half a preface": PREFACE[:11],
    "half a frame": OPEN + frame(HEADERS, END_HEADERS, 1, b"abc", length=5_000),
    "a giant frame": OPEN + frame(DATA, 0, 1, b"", length=(1 << 24) - 1),
    "an unknown frame": OPEN + frame(200, 255, 7, b"x" * 100),
    "bad header compression": OPEN + frame(HEADERS, END_HEADERS, 1, b"\xff" * 50),
    "data of no stream": OPEN + frame(DATA, END_STREAM, 9, message(b"x")),
    "a message said to have 4 GiB": OPEN + headers() + frame(DATA, 0, 1, message(b"x", length=(1 << 32) - 1)),
    "half a message": OPEN + headers() + frame(DATA, 0, 1, message(b"x", length=50)),
    "half a message, and its end": OPEN + headers() + frame(DATA, END_STREAM, 1, message(b"x", length=50)),
    "a compressed message": OPEN + headers() + frame(DATA, END_STREAM, 1, b"\x01" + message(b"x")[1:]),
    "headers alone": OPEN + headers(),
    "headers and their end": OPEN + headers(flags=END_HEADERS | END_STREAM),
    "settings of nonsense": PREFACE + frame(SETTINGS, 0, 0, struct.pack(">HI", 4, (1 << 32) - 1)),
    "a window beyond its bound": OPEN + frame(WINDOW, 0, 0, struct.pack(">I", (1 << 31) - 1)) * 2,
    "a flood of pings": OPEN + frame(PING, 0, 0, bytes(8)) * 5_000,
    "a flood of settings": OPEN + frame(SETTINGS) * 5_000,
    "a flood of resets": OPEN
    + b"".join(headers(stream=2 * n + 1) + frame(RST, 0, 2 * n + 1, bytes(4)) for n in range(2_000)),
    "goodbye at once": OPEN + frame(GOAWAY, 0, 0, bytes(8)),
}


@pytest.fixture
def echo():
    server = GrpcServer(
        {"/a.B/Echo": lambda request, _: request}, lambda: 1, 0, GrpcLimits(stop_s=0.2, handshake_s=2)
    )
    yield server
    server.stop()


@pytest.fixture
def dial(echo):
    """A bare connection."""
    made = []

    def connect(data=b""):
        peer = socket.create_connection(("127.0.0.1", echo.port), 5)
        made.append(peer)
        peer.settimeout(5)
        try:
            peer.sendall(data)
        except OSError:
            return peer  # the server has hung up on it already
        return peer

    yield connect
    for peer in made:
        peer.close()


def test_frames_made_by_hand_are_answered(dial):
    peer = dial(OPEN + headers() + frame(DATA, END_STREAM, 1, message(b"by hand")))
    read = b""
    while b"by hand" not in read:
        more = peer.recv(4096)
        assert more, "closed without an answer"
        read += more


@pytest.mark.parametrize("kind", SPOILT)
def test_a_bad_peer_harms_nobody_else(echo, dial, connect, kind, caplog):
    with caplog.at_level(logging.INFO, "localnet"):
        peers = [dial(SPOILT[kind]) for _ in range(3)]
        client = connect(echo)
        assert client.raw("/a.B/Echo", b"ours")[0] == b"ours"
        for peer in peers:
            peer.close()
        assert client.raw("/a.B/Echo", b"ours")[0] == b"ours"
    assert caplog.records == []


def test_random_bytes_after_a_good_beginning(echo, dial, connect):
    chance = random.Random(7)
    client = connect(echo)
    for _ in range(40):
        good = OPEN + headers() + frame(DATA, END_STREAM, 1, message(b"x"))
        at = chance.randrange(len(PREFACE), len(good))
        dial(good[:at] + chance.randbytes(chance.randrange(1, 200)) + good[at:])
    assert client.raw("/a.B/Echo", b"ours")[0] == b"ours"


def test_half_requests_take_no_thread(echo, dial, connect):
    streams = b"".join(headers(stream=2 * n + 1) for n in range(90))
    for _ in range(10):
        dial(OPEN + streams)
    client = connect(echo)
    start = time.monotonic()
    assert client.raw("/a.B/Echo", b"ours")[0] == b"ours"
    assert time.monotonic() - start < 5


def test_a_peer_that_reads_no_answer_takes_no_thread(echo, dial, connect):
    closed = PREFACE + frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 0))  # a window of 0 for every stream
    body = message(b"x" * 10_000)
    calls = b"".join(headers(stream=2 * n + 1) + frame(DATA, END_STREAM, 2 * n + 1, body) for n in range(50))
    for _ in range(4):
        dial(closed + calls[:60_000])
    client = connect(echo)
    for _ in range(20):
        assert client.raw("/a.B/Echo", b"ours")[0] == b"ours"


def test_a_connection_that_says_nothing_is_closed(dial):
    peer = dial()
    peer.settimeout(8)
    start = time.monotonic()
    while peer.recv(4096):
        pass
    assert 1 < time.monotonic() - start < 7


def routes_with(**limits):
    bounds = GrpcLimits(stop_s=0.2)._replace(**limits)
    return GrpcServer({"/a.B/Echo": lambda request, _: request}, lambda: 1, 0, bounds)


def closed_within(peer, seconds):
    """Whether the server closes this connection in time; what it says before is read."""
    peer.settimeout(seconds)
    deadline = time.monotonic() + seconds
    try:
        while peer.recv(4096):
            if time.monotonic() > deadline:
                return False
    except TimeoutError:
        return False
    except OSError:
        return True
    return True


@pytest.mark.parametrize("said", [OPEN, OPEN + headers()], ids=["a beginning", "half a request"])
def test_connections_that_ask_nothing_do_not_stay(said):
    server = routes_with(idle_s=0.3, age_s=0.5, grace_s=0.3)
    try:
        with socket.create_connection(("127.0.0.1", server.port), 5) as peer:
            peer.sendall(said)
            assert closed_within(peer, 8)
    finally:
        server.stop()


def test_a_client_does_not_notice_that_its_connections_grow_old(connect):
    server = routes_with(idle_s=0.2, age_s=0.3, grace_s=5)
    try:
        client = connect(server)
        deadline = time.monotonic() + 1
        while time.monotonic() < deadline:
            time.sleep(0.005)
            assert client.raw("/a.B/Echo", b"ours")[0] == b"ours"
        time.sleep(0.6)
        assert client.raw("/a.B/Echo", b"ours")[0] == b"ours"
    finally:
        server.stop()


def hung_up(peer):
    """Whether the server has closed this connection."""
    peer.settimeout(0.02)
    try:
        return peer.recv(4096) == b""
    except TimeoutError:
        return False
    except OSError:
        return True


def test_more_connections_than_there_are_places(connect):
    limits = GrpcLimits(connections=50, stop_s=0.2)
    server = GrpcServer({"/a.B/Echo": lambda request, _: request}, lambda: 1, 0, limits)
    peers = []
    try:
        peers.extend(socket.create_connection(("127.0.0.1", server.port), 5) for _ in range(120))
        time.sleep(0.3)
        assert sum(map(hung_up, peers)) == 70
        for peer in peers:
            peer.close()
        client = connect(server)
        answer, _ = client.channel.unary_unary("/a.B/Echo").with_call(b"ours", 20, wait_for_ready=True)
        assert answer == b"ours"
    finally:
        server.stop()


def most_open_files():
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return soft, hard


@pytest.mark.exhaustive
def test_ten_thousand_connections_that_say_nothing(chain, serve, connect):
    import resource

    soft, hard = most_open_files()
    if hard < 15_000:
        pytest.skip(f"at most {hard} open files here")
    server = serve(chain, handshake_s=3)
    before, peers = connect(server), []
    path = "/cosmos.bank.v1beta1.Query/Params"
    try:
        assert before.raw(path)[0]
        peers.extend(socket.create_connection(("127.0.0.1", server.port), 10) for _ in range(10_000))
        assert before.raw(path)[0]
        chain.make_block()
        newcomer = connect(server)  # waits until those that say nothing have been turned away
        call = newcomer.channel.unary_unary(path).with_call(b"", 60, wait_for_ready=True)
        assert dict(call[1].initial_metadata())["x-cosmos-block-height"] == "2"
    finally:
        for peer in peers:
            peer.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
