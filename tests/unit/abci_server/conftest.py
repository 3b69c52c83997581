"""An application that remembers what it was asked, and servers of it on real sockets."""

import json
import logging
import threading
from collections import deque
from pathlib import Path

import pytest

from abci_server import BaseApplication, Limits, Server
from abci_server.messages.requests import (
    ExecTxResult,
    ResponseCheckTx,
    ResponseFinalizeBlock,
    ResponseInfo,
    ResponseQuery,
)
from conformance.kit.abci_client import Client
from conformance.kit.abci_grpc_client import GrpcClient


class Recorder(BaseApplication):
    """Remembers the last requests; answers what `answers` holds by method (a value, or an exception)."""

    def __init__(self):
        self.asked = deque(maxlen=1000)
        self.count = 0
        self.answers = {}

    def _note(self, name, request, usual):
        self.count += 1
        self.asked.append((name, request))
        answer = self.answers.get(name, usual)
        if callable(answer):
            answer = answer(request)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def info(self, request):
        return self._note("info", request, ResponseInfo(3, b"hash"))

    def check_tx(self, request):
        return self._note("check_tx", request, ResponseCheckTx(data=request.tx))

    def query(self, request):
        return self._note("query", request, ResponseQuery(value=request.data))

    def finalize_block(self, request):
        results = [ExecTxResult(data=tx) for tx in request.txs]
        return self._note("finalize_block", request, ResponseFinalizeBlock(results, b"next"))

    def commit(self):
        return self._note("commit", None, 0)


def _note_too(name):
    base = getattr(BaseApplication, name)

    def method(self, *request):
        return self._note(name, *(request or (None,)), lambda *_: base(self, *request))

    return method


for _name in (
    "init_chain", "prepare_proposal", "process_proposal", "extend_vote", "verify_vote_extension",
    "list_snapshots", "offer_snapshot", "load_snapshot_chunk", "apply_snapshot_chunk",
):  # fmt: skip
    setattr(Recorder, _name, _note_too(_name))


@pytest.fixture
def app():
    return Recorder()


@pytest.fixture(params=["tcp", "unix"])
def address(request, tmp_path):
    return "tcp://127.0.0.1:0" if request.param == "tcp" else f"unix://{tmp_path}/app.sock"


@pytest.fixture
def transport():
    """How `serve` and `connect` speak; tests of what holds either way are parametrised."""
    return "socket"


@pytest.fixture
def serve(transport):
    """Starts servers, and stops them with all their threads."""
    servers = []

    def start(app, address="tcp://127.0.0.1:0", **limits):
        server = Server(app, address, Limits(**limits), transport)
        server.start()
        servers.append(server)
        return server

    before = set(threading.enumerate())
    yield start
    for server in servers:
        server.stop()
    left = set(threading.enumerate()) - before
    assert not [thread.name for thread in left if thread.name.startswith("abci")]


@pytest.fixture
def connect(transport):
    """Clients of a server, closed at the end."""
    clients = []

    def open_one(server, timeout_s=10.0):
        if transport == "grpc":
            client = GrpcClient(server.address, timeout_s)
        else:
            client = Client(str(server.address), timeout_s)
        clients.append(client)
        return client

    yield open_one
    for client in clients:
        client.close()


@pytest.fixture(scope="session")
def frames():
    """What CometBFT wrote, recorded by tests/interop/test_comet_frames.py: kind -> bytes."""
    document = json.loads(Path(__file__).with_name("frames.json").read_text())
    return {
        title: {kind: bytes.fromhex(raw) for kind, raw in part.items()} for title, part in document.items()
    }


@pytest.fixture
def said(caplog):
    """Lines that the server logged from warnings on."""
    caplog.set_level(logging.WARNING, "abci_server")
    return lambda: [record.getMessage() for record in caplog.records]
