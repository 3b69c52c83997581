"""Wires that tests cut."""

import socket
from threading import Thread

import pytest

from conformance.peers.wires import Wire


@pytest.fixture
def wire():
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(5)

        def echo():
            while True:
                try:
                    peer = server.accept()[0]
                except OSError:
                    return
                with peer:
                    while data := peer.recv(100):
                        peer.sendall(data.upper())

        Thread(target=echo, daemon=True).start()
        made = Wire(server.getsockname()[1])
        yield made
        made.close()


def dial(wire):
    made = socket.create_connection(("127.0.0.1", wire.port), timeout=5)
    made.sendall(b"hello")
    return made


def is_answered(wire):
    try:
        with dial(wire) as peer:
            return peer.recv(100) != b""
    except ConnectionError:
        return False


def test_it_carries_both_ways(wire):
    with dial(wire) as peer:
        assert peer.recv(100) == b"HELLO"


def test_cut_it_ends_what_runs_and_takes_nothing_new(wire):
    with dial(wire) as peer:
        assert peer.recv(100) == b"HELLO"
        wire.cut()
        assert peer.recv(100) == b""
    assert not is_answered(wire)
    wire.heal()
    with dial(wire) as peer:
        assert peer.recv(100) == b"HELLO"
