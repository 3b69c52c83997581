"""Exceptions of the application: answered where somebody outside asked, the end of the process elsewhere."""

import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

from abci_server import AbciError, BaseApplication
from abci_server.connection import SocketConnection
from abci_server.errors import ApplicationFailed, BadAnswer, RateLimitedLog
from abci_server.messages.requests import ResponseCheckTx, ResponseFinalizeBlock, ResponseQuery
from abci_server.methods import METHODS
from conformance.kit.abci_client import Client
from pyibc.proto.tendermint.abci import types_pb2 as pb

BOTH = pytest.mark.parametrize("transport", ["socket", "grpc"])
OUTSIDE = ["query", "check_tx", "list_snapshots", "load_snapshot_chunk"]
INSIDE = sorted(set(METHODS) - set(OUTSIDE) - {"echo", "flush"})


@pytest.mark.parametrize("kind", ["query", "check_tx"])
@BOTH
def test_a_refusal_is_answered_as_it_is(app, serve, connect, said, kind):
    app.answers[kind] = AbciError(7, "no such thing", "space")
    answer = getattr(connect(serve(app)).ask(pb.Request(**{kind: {}})), kind)
    assert (answer.code, answer.log, answer.codespace) == (7, "no such thing", "space")
    assert said() == []


@BOTH
def test_a_log_may_repeat_whatever_was_asked(app, serve, connect, said):
    def refuse(request):
        raise AbciError(2, f"no {request.path}")

    app.answers = {"query": refuse, "check_tx": lambda _: ResponseCheckTx(1, log="\ud800ü")}
    client = connect(serve(app))
    assert client.ask(pb.Request(query={"path": b"/\xff\xc3\xbc"})).query.log == "no /\\udcffü"
    assert client.ask(pb.Request(check_tx={})).check_tx.log == "\\ud800ü"
    app.answers["query"] = lambda request: ResponseQuery(log=request.path)
    assert client.ask(pb.Request(query={"path": b"\xff"})).query.log == "\\udcff"
    assert said() == []


@pytest.mark.parametrize(
    "error",
    [
        ZeroDivisionError("secret"), RecursionError(), MemoryError(), KeyError(b"x"),
        AbciError(0, "would mean success"), AbciError(2**32, ""), AbciError(-1, ""),
        AbciError(1, "", "\ud800"), AbciError("1", ""), AbciError(1, 7),
    ],
    ids=repr,
)  # fmt: skip
@pytest.mark.parametrize("kind", ["query", "check_tx"])
@BOTH
def test_a_bug_is_answered_without_its_text_and_logged_once(app, serve, connect, said, kind, error):
    app.answers[kind] = error
    server = serve(app)
    client = connect(server)
    for _ in range(3):
        answer = getattr(client.ask(pb.Request(**{kind: {}})), kind)
        assert (answer.code, answer.codespace) == (1, "abci")
        assert "secret" not in answer.log
    (line,) = said()
    assert kind in line
    assert "Traceback" in line
    assert line.encode(), "any handler can write it"
    assert server.failure is None
    app.answers.clear()
    assert getattr(client.ask(pb.Request(**{kind: {}})), kind).code == 0


@pytest.mark.parametrize(
    "answer",
    [
        ResponseCheckTx(code=-1), ResponseCheckTx(data="text"), ResponseCheckTx(codespace="\ud800"), None,
        ResponseCheckTx(gas_used=2**63), ResponseCheckTx(gas_wanted=5, data="text"),
    ],
    ids=repr,
)  # fmt: skip
@BOTH
def test_an_answer_that_cannot_be_written_is_a_bug_and_nothing_of_it_is_sent(
    app, serve, connect, said, answer
):
    app.answers["check_tx"] = lambda _: answer
    told = connect(serve(app)).ask(pb.Request(check_tx={})).check_tx
    assert told == pb.ResponseCheckTx(code=1, log="internal error; see the node's log", codespace="abci")
    assert len(said()) == 1


@pytest.mark.parametrize("kind", ["list_snapshots", "load_snapshot_chunk"])
@BOTH
def test_snapshots_for_others_are_no_reason_to_stop(app, serve, connect, said, kind):
    app.answers[kind] = ZeroDivisionError()
    answer = connect(serve(app)).ask(pb.Request(**{kind: {}}))
    assert answer.WhichOneof("value") == kind
    assert getattr(answer, kind).ByteSize() == 0
    assert len(said()) == 1


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        *((kind, ZeroDivisionError("why")) for kind in INSIDE),
        ("finalize_block", AbciError(5, "why")),
        ("commit", SystemExit(3)),
    ],
    ids=repr,
)
@BOTH
def test_an_exception_elsewhere_stops_the_server(app, serve, connect, caplog, kind, error):
    app.answers[kind] = error
    server = serve(app)
    consensus, other = connect(server), connect(server)
    assert other.ask(pb.Request(echo={})).HasField("echo")
    consensus.send([pb.Request(**{kind: {}}), pb.Request(flush={})])
    told = consensus.read()
    assert told.exception.error == f"the application failed in {kind}"
    with pytest.raises(ConnectionError):
        consensus.read()
    assert server.wait(5)
    assert isinstance(server.failure, ApplicationFailed)
    assert server.failure.__cause__ is error
    critical = [record for record in caplog.records if record.levelno == logging.CRITICAL]
    assert len(critical) == 1
    assert kind in critical[0].getMessage()
    assert critical[0].exc_info[1] is error
    count = app.count
    with pytest.raises((ConnectionError, TimeoutError)):
        other.ask(pb.Request(commit={}))
    assert app.count == count


@BOTH
def test_nothing_is_committed_after_a_failed_block_even_if_it_waits_already(app, serve, connect):
    gate = threading.Event()

    def fail(_request):
        gate.wait(10)
        raise ZeroDivisionError

    app.answers["finalize_block"] = fail
    server = serve(app)
    first, second = connect(server), connect(server)
    first.send([pb.Request(finalize_block={})])
    while app.count < 1:
        time.sleep(0.001)
    second.send([pb.Request(commit={})])
    time.sleep(0.05)
    gate.set()
    with pytest.raises(ConnectionError):
        second.read()
    assert [name for name, _ in app.asked] == ["finalize_block"]


@pytest.mark.parametrize(
    ("kind", "answer", "why"),
    [
        ("finalize_block", ResponseFinalizeBlock(), "0 results for 1"),
        ("prepare_proposal", [b"a" * 99], "101 bytes of transactions; the limit is 50"),
    ],
)
@BOTH
def test_an_answer_that_would_stop_cometbft_stops_us_first(app, serve, connect, kind, answer, why):
    app.answers[kind] = answer
    server = serve(app)
    request = {"finalize_block": {"txs": [b"a"]}, "prepare_proposal": {"max_tx_bytes": 50}}[kind]
    assert connect(server).ask(pb.Request(**{kind: request})).HasField("exception")
    assert isinstance(server.failure.__cause__, BadAnswer)
    assert why in str(server.failure.__cause__)


def test_an_unfinished_application_is_refused_at_once():
    class Unfinished(BaseApplication):
        def info(self, request):
            raise NotImplementedError

    with pytest.raises(TypeError, match="abstract"):
        Unfinished()


def test_queries_are_refused_unless_written(app):
    assert BaseApplication.query(app, None) == ResponseQuery(
        code=1, codespace="abci", log="this application supports no queries"
    )


# -- complaints


def test_what_is_said_again_is_counted(said):
    errors = RateLimitedLog(every_s=0.05)
    for _ in range(10):
        errors.report("kind", "text")
    errors.report("other", "else")
    time.sleep(0.06)
    errors.report("kind", "text")
    assert said() == ["text", "else", "text (and 9 more since the last such message)"]


def test_kinds_without_end_are_one_kind_at_last(said):
    errors = RateLimitedLog()
    for number in range(10_000):
        errors.report(f"kind {number}", "text")
    assert len(said()) == 257


# -- the process

PROGRAM = """
import logging, sys
from abci_server import BaseApplication, run
from abci_server.messages.requests import ResponseInfo

class App(BaseApplication):
    def info(self, request):
        return ResponseInfo(0, b"")
    def finalize_block(self, request):
        raise ValueError("on purpose")
    def commit(self):
        return 0

logging.basicConfig(level=logging.INFO)
sys.exit(run(App(), sys.argv[1]))
"""


@pytest.fixture
def process(tmp_path):
    address = f"unix://{tmp_path}/app.sock"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, address], stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        while not (tmp_path / "app.sock").exists():
            assert process.poll() is None
            time.sleep(0.01)
        time.sleep(0.05)
        yield process, address
        process.kill()


def test_a_failed_application_ends_the_process_with_a_status_and_one_line(process):
    process, address = process
    with Client(address) as client:
        assert client.ask(pb.Request(finalize_block={})).HasField("exception")
    _, log = process.communicate(timeout=10)
    assert process.returncode == 70
    assert log.count("CRITICAL") == 1
    assert "ValueError: on purpose" in log


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_process_in_peace(process, number):
    process, address = process
    with Client(address) as client:
        assert client.ask(pb.Request(info={})).HasField("info")
        process.send_signal(number)
        _, log = process.communicate(timeout=10)
    assert process.returncode == 0
    assert "Traceback" not in log


def test_hanging_up_leaves_alone_what_the_connection_is_sending():
    """Another thread hangs up, and the socket may be closed already."""
    near, far = socket.socketpair()
    connection = SocketConnection(near, None, None, 100)
    connection._out += b"an answer"
    near.close()
    far.close()
    with memoryview(connection._out):  # as `sendall` holds it
        connection.hang_up(socket.SHUT_RDWR)
    assert connection._out == b"an answer"
