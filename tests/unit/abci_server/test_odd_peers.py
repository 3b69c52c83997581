"""Peers that keep to the protocol oddly: however they cut, mix and drop it, others notice nothing."""

import socket
import struct
import time

import pytest

from abci_server.connection import frame
from abci_server.messages.requests import ResponseQuery
from pyibc.proto.tendermint.abci import types_pb2 as pb

FLUSH = pb.Request(flush={})


def tx(data):
    return pb.Request(check_tx={"tx": data})


def raw(*requests):
    return b"".join(frame(each.SerializeToString()) for each in requests)


def test_several_requests_cut_anywhere_are_answered_in_order(app, serve, connect):
    client = connect(serve(app))
    requests = tx(b"1"), FLUSH, pb.Request(echo={"message": "x" * 200}), FLUSH, FLUSH, tx(b"2" * 130), FLUSH
    stream = raw(*requests)
    kinds = ["check_tx", "flush", "echo", "flush", "flush", "check_tx", "flush"]
    for at in range(1, len(stream)):
        client.socket.sendall(stream[:at])
        if at % 7 == 0:
            time.sleep(0.001)  # the first part arrives alone
        client.socket.sendall(stream[at:])
        assert [client.read().WhichOneof("value") for _ in requests] == kinds


def test_a_flush_is_answered_though_half_a_frame_stands_behind_it(app, serve, connect):
    client = connect(serve(app))
    late = raw(tx(b"late"))
    client.socket.sendall(raw(tx(b"early"), FLUSH) + late[:3])
    assert client.read().check_tx.data == b"early"
    assert client.read().HasField("flush")
    client.socket.sendall(late[3:])
    assert client.read().check_tx.data == b"late"


def test_fields_that_a_later_version_adds_are_passed_over(app, serve, connect):
    client = connect(serve(app))
    inner = tx(b"tx").check_tx.SerializeToString() + b"\xfa\x01\x03new"  # field 31
    request = b"\x42" + bytes([len(inner)]) + inner + b"\xf8\x3f\x07"  # and one in Request
    client.socket.sendall(frame(request))
    assert client.read().check_tx.data == b"tx"


def test_of_two_requests_in_one_the_last_counts(app, serve, connect):
    client = connect(serve(app))
    both = tx(b"tx").SerializeToString() + pb.Request(echo={"message": "last"}).SerializeToString()
    client.socket.sendall(frame(both))
    assert client.read().echo.message == "last"
    assert app.count == 0


@pytest.mark.parametrize("reset", [False, True])
def test_a_peer_that_leaves_in_the_middle_of_an_answer_is_forgotten(app, serve, connect, said, reset):
    app.answers["query"] = ResponseQuery(value=b"x" * 8_000_000)
    server = serve(app)
    for _ in range(20):
        client = connect(server)
        client.send([pb.Request(query={"path": b"/"})] * 3)
        client.socket.recv(1000)
        if reset:
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
    deadline = time.monotonic() + 20
    while server._connections and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not server._connections
    assert connect(server).ask(tx(b"next")).check_tx.data == b"next"
    assert said() == []
