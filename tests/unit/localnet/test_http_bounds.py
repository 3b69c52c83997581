"""Strangers at the localnet's HTTP servers: bytes that drip, more connections than there are places."""

import json
import socket
import time
from contextlib import suppress
from http.client import HTTPConnection

import pytest

from localnet import attestor as attesting
from localnet.attestor import AttestorServer
from localnet.chain import LocalChain
from localnet.rpc import server as rpc
from localnet.rpc.server import RpcServer
from pyibc.core.errors import IbcError
from pyibc.http import bounded
from pyibc.relayer.clients.attestations.service import AttestationResponse
from tests.waiting import until

PLACES = 3
RPC = ("/", {"jsonrpc": "2.0", "id": 7, "method": "health", "params": {}})
ATTESTOR = ("/", {"chain_id": "chain-a", "height": 2})


@pytest.fixture(params=["rpc", "attestor"])
def served(request, monkeypatch, tmp_path):
    """A server of few places, and what it is asked."""
    monkeypatch.setattr(rpc, "MAX_CONNECTIONS", PLACES)
    monkeypatch.setattr(attesting, "MAX_CONNECTIONS", PLACES)
    monkeypatch.setattr(attesting, "MAX_OF_ONE_CLIENT", PLACES)
    for handler in (rpc._Handler, attesting._Handler):
        monkeypatch.setattr(handler, "idle_s", 5.0)
        monkeypatch.setattr(handler, "whole_s", 0.3)
    if request.param == "attestor":
        with AttestorServer(lambda question: AttestationResponse(question.chain_id, "00")) as server:
            yield server, ATTESTOR
        return
    server = RpcServer(LocalChain("chain-a"))
    thread = server.start(0.02)
    yield server, RPC
    server.stop()
    thread.join()


def answer(server, asked):
    path, question = asked
    host, port = server.server_address
    connection = HTTPConnection(host, port, timeout=5)
    try:
        connection.request("POST", path, json.dumps(question), {"Content-Type": "application/json"})
        return connection.getresponse().status
    finally:
        connection.close()


def free(server):
    return server._slots._value


def test_h220_more_connections_than_places_are_closed_unanswered(served):
    server, asked = served
    waiting = [socket.create_connection(server.server_address) for _ in range(PLACES)]
    try:
        until(lambda: free(server) == 0)
        with socket.create_connection(server.server_address, timeout=5) as more:
            assert more.recv(1) == b""
    finally:
        for each in waiting:
            each.close()
    until(lambda: free(server) == PLACES)
    assert answer(server, asked) == 200


def test_h304_silent_connections_of_one_client_leave_places_for_others(monkeypatch):
    """Sixteen silent sockets of one client's kept everybody from an attestor, five seconds at a time."""
    monkeypatch.setattr(attesting, "MAX_CONNECTIONS", PLACES)
    monkeypatch.setattr(attesting, "MAX_OF_ONE_CLIENT", PLACES - 1)
    monkeypatch.setattr(attesting._Handler, "idle_s", 5.0)
    with AttestorServer(lambda question: AttestationResponse(question.chain_id, "00")) as server:
        silent = [
            socket.create_connection(server.server_address, source_address=("127.0.0.9", 0))
            for _ in range(PLACES + 2)
        ]
        try:
            until(lambda: not any(map(_open, silent[PLACES - 1 :])))
            assert free(server) == 1
            assert answer(server, ATTESTOR) == 200
        finally:
            for each in silent:
                each.close()


def test_h304_who_has_gone_is_forgotten():
    with AttestorServer(lambda question: AttestationResponse(question.chain_id, "00")) as server:
        assert answer(server, ATTESTOR) == 200
        until(lambda: free(server) == attesting.MAX_CONNECTIONS)
        assert dict(server._held) == {}


@pytest.mark.parametrize(
    ("client", "source"),
    [
        (("203.0.113.9", 4711), "203.0.113.9"),
        (("::ffff:203.0.113.9", 4711, 0, 0), "203.0.113.9"),
        (("2001:db8:1:2:aaaa::1", 4711, 0, 0), "2001:db8:1:2::"),
        (("fe80::1%eth0", 4711, 0, 2), "fe80::"),
        ("", ""),
    ],
    ids=str,
)
def test_h304_a_client_s_network_is_one_client(client, source):
    """Whoever has an IPv6 address has 2^64 of them."""
    assert bounded.source_of(client) == source


@pytest.mark.parametrize("part", ["head", "body"])
def test_h220_a_request_that_drips_is_dropped_and_frees_its_place(part, served):
    """Each byte comes in time; all of them together do not."""
    server, asked = served
    head = b"POST / HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n"
    with socket.create_connection(server.server_address, timeout=5) as slow:
        slow.sendall(head + (b"\r\n" if part == "body" else b"x: "))
        began = time.monotonic()
        with suppress(ConnectionError):
            while _open(slow) and time.monotonic() < began + 10:
                slow.sendall(b"1")
        assert time.monotonic() - began < 5
    until(lambda: free(server) == PLACES)
    assert answer(server, asked) == 200


def _open(connection):
    """Whether the other end still is there, after a hundredth of a second."""
    connection.settimeout(0.01)
    try:
        return connection.recv(1) != b""
    except TimeoutError:
        return True
    finally:
        connection.settimeout(5)


def test_a_connection_may_wait_longer_for_its_next_request_than_one_may_take(monkeypatch):
    monkeypatch.setattr(rpc._Handler, "idle_s", 5.0)
    monkeypatch.setattr(rpc._Handler, "whole_s", 0.1)
    server = RpcServer(LocalChain("chain-a"))
    thread = server.start(0.02)
    connection = HTTPConnection(*server.server_address, timeout=5)
    for _ in range(2):
        connection.request("GET", "/health")
        response = connection.getresponse()
        assert (response.status, json.loads(response.read())["result"]) == (200, {})
        time.sleep(0.25)
    connection.close()
    server.stop()
    thread.join()


def test_a_reader_that_is_out_of_time_says_so():
    ours, theirs = socket.socketpair()
    reader = bounded.TimedReader(ours, 0.01, 1.0)
    with ours, theirs, pytest.raises(TimeoutError):
        reader.readinto(bytearray(1))
    assert not issubclass(TimeoutError, IbcError)
