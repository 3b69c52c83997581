"""Peers that send nonsense, too much, or nothing: the server goes on, says so once, and holds little."""

import os
import resource
import socket
import subprocess
import sys
import threading
import time
import tracemalloc

import pytest

from abci_server.connection import frame
from abci_server.messages.requests import ResponseQuery
from pyibc.proto.tendermint.abci import types_pb2 as pb
from tests.waiting import until


def tx(data):
    return pb.Request(check_tx={"tx": data})


def varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


NONSENSE = {
    "not even a length": (b"\xff" * 64, "not a varint"),
    "HTTP": (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" + b"a" * 100, "not a protobuf"),
    "a giant length": (varint(2**64 - 1), "18446744073709551615 bytes"),
    "a length beyond the limit": (varint(1025) + b"a", "1025 bytes; the limit is 1024"),
    "a wrong first byte": (frame(b"\xff" + tx(b"a").SerializeToString()), "not a protobuf"),
    "a wrong wire type": (frame(b"\x0f\x00"), "not a protobuf"),
    "a message cut short": (frame(tx(b"abc").SerializeToString()[:-1]), "not a protobuf"),
    "an empty request": (frame(b""), "not one of ABCI 2.0"),
    "a request of CometBFT 0.40": (frame(b"\xaa\x01\x00"), "not one of ABCI 2.0"),
    "a request of ABCI 1": (frame(b"\x4a\x00"), "not one of ABCI 2.0"),
    "text that is no UTF-8": (frame(b"\x0a\x03\x0a\x01\xff"), "not a protobuf"),
}


@pytest.mark.parametrize("kind", NONSENSE)
def test_nonsense_is_told_and_the_connection_closed(app, address, serve, connect, said, kind):
    bytes_, told = NONSENSE[kind]
    server = serve(app, address, frame_bytes=1024)
    good = connect(server)
    assert good.ask(tx(b"before")).check_tx.data == b"before"
    for _ in range(3):
        bad = connect(server)
        bad.send([tx(b"fine")])
        assert bad.read().check_tx.data == b"fine"
        bad.socket.sendall(bytes_)
        assert told in bad.read().exception.error
        with pytest.raises(ConnectionError):
            bad.read()
        bad.close()
    assert good.ask(tx(b"after")).check_tx.data == b"after"
    assert len(said()) == 1
    assert told in said()[0]
    assert app.count == 5


def test_half_a_frame_harms_nobody(app, serve, connect, said):
    server = serve(app)
    waiting, cut = connect(server), connect(server)
    waiting.socket.sendall(varint(50_000_000) + b"a" * 1000)
    cut.socket.sendall(varint(50_000_000) + b"a" * 1000)
    cut.close()
    assert connect(server).ask(tx(b"x")).check_tx.data == b"x"
    assert said() == []


def test_an_announced_length_takes_no_memory(app, serve, connect):
    server = serve(app, connections=16)
    clients = [connect(server) for _ in range(15)]
    tracemalloc.start()
    try:
        for client in clients:
            client.socket.sendall(varint(64 * 1024 * 1024) + b"a")
        assert connect(server).ask(tx(b"x")).check_tx.data == b"x"
        assert tracemalloc.get_traced_memory()[1] < 8_000_000
    finally:
        tracemalloc.stop()


def test_a_large_frame_arrives(app, serve, connect):
    data = os.urandom(1_000_000) * 20
    client = connect(serve(app))
    answer = client.ask(pb.Request(finalize_block={"txs": [data, b"small"]}))
    assert [each.data for each in answer.finalize_block.tx_results] == [data, b"small"]


def test_a_peer_that_does_not_read_stops_itself_only(app, serve, connect, said):
    """Its requests wait in the kernel once its answers do; nothing is lost or out of order."""
    count, size = 20_000, 500
    server = serve(app)
    deaf = connect(server, 60)
    sender = threading.Thread(target=deaf.send, args=([tx(b"%09d" % n + bytes(size)) for n in range(count)],))
    sender.start()
    done = settled(app)
    assert done < count
    other = connect(server)
    assert other.ask(tx(b"x")).check_tx.data == b"x"
    assert [int(deaf.read().check_tx.data[:9]) for _ in range(count)] == list(range(count))
    sender.join()
    assert said() == []


def test_small_questions_with_long_answers_are_not_gathered(app, serve, connect):
    server, held = serve(app), []

    def answer(_request):
        held.extend(len(each._out) for each in server._connections)
        return ResponseQuery(value=bytes(50_000))

    app.answers["query"] = answer
    client = connect(server)
    client.send([pb.Request(query={})] * 500)
    assert {len(client.read().query.value) for _ in range(500)} == {50_000}
    assert max(held) < 2 * 65_536


def settled(app):
    """How many requests were served when no more are."""
    last = -1
    while last != app.count:
        last = app.count
        time.sleep(0.3)
    return last


def test_a_flood_of_connections_does_not_touch_those_at_work(app, address, serve, connect, said):
    server = serve(app, address, connections=8)
    at_work, silent = connect(server), connect(server)  # silent: CometBFT's connection for snapshots
    assert at_work.ask(tx(b"a")).check_tx.data == b"a"
    threads = threading.active_count()
    flood = [connect(server) for _ in range(100)]
    until(lambda: closed(flood[-1]))
    assert threading.active_count() <= threads + 7  # `silent` may have been accepted late
    assert at_work.ask(tx(b"b")).check_tx.data == b"b"
    assert silent.ask(tx(b"c")).check_tx.data == b"c"
    assert said() == ["all 8 connections are in use; refusing new ones"]


def test_a_cometbft_that_comes_after_silent_ones_gets_in(app, address, serve, connect):
    server = serve(app, address, connections=8)
    silent = [connect(server) for _ in range(40)]
    comet = [connect(server) for _ in range(4)]
    for client in comet:
        assert client.ask(tx(b"a")).check_tx.data == b"a"
    flood = [connect(server) for _ in range(40)]
    until(lambda: closed(silent[-1]) and closed(flood[-1]))
    for client in comet:
        assert client.ask(tx(b"a")).check_tx.data == b"a"


def test_room_comes_back_when_peers_leave(app, serve, connect):
    server = serve(app, connections=2)
    for _ in range(20):
        client = connect(server)
        assert client.ask(tx(b"a")).check_tx.data == b"a"
        client.close()
        until(lambda: not server._connections)


FLOOD = """
import resource, socket, sys
wanted = int(sys.argv[2])
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
held = []
for _ in range(min(wanted, hard - 100)):
    held.append(socket.create_connection(("127.0.0.1", int(sys.argv[1])), 10))
print(len(held), flush=True)
sys.stdin.read()
"""


@pytest.mark.exhaustive
def test_ten_thousand_connections_that_say_nothing(app, serve, connect, said):
    server = serve(app)
    comet = [connect(server) for _ in range(4)]
    assert comet[0].ask(tx(b"a")).check_tx.data == b"a"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    command = [sys.executable, "-c", FLOOD, str(server.address.port), "10000"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as flood:
        held = int(flood.stdout.readline())
        for client in comet:
            assert client.ask(tx(b"b")).check_tx.data == b"b"
        assert len(server._connections) <= 16
        flood.stdin.close()
    assert held >= 900
    assert said()[0] == "all 16 connections are in use; refusing new ones"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000  # KiB


def test_running_out_of_file_descriptors_is_survived(app, serve, connect, said):
    server = serve(app, connections=100)
    comet = connect(server)
    assert comet.ask(tx(b"a")).check_tx.data == b"a"
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with socket.socket() as peer:  # has its descriptor before there are none
        resource.setrlimit(resource.RLIMIT_NOFILE, (lowest_free_descriptor(), hard))
        try:
            peer.connect(("127.0.0.1", server.address.port))
            until(said)
            assert comet.ask(tx(b"b")).check_tx.data == b"b"
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert connect(server).ask(tx(b"c")).check_tx.data == b"c"
    assert len(said()) == 1
    assert "cannot accept a connection" in said()[0]


def lowest_free_descriptor():
    descriptor = os.open("/dev/null", os.O_RDONLY)
    os.close(descriptor)
    return descriptor


def closed(client):
    client.socket.setblocking(False)
    try:
        return client.socket.recv(1, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True
    finally:
        client.socket.settimeout(60)
