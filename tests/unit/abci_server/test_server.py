"""A server on real sockets: every method, order, turns, its end."""

import socket
import stat
import threading
import time
from contextlib import suppress

import pytest

from abci_server import AnswerHeld, Server, connection
from abci_server.connection import SOCKET
from abci_server.errors import BadAddress
from abci_server.messages.requests import (
    ApplyResult,
    Event,
    EventAttribute,
    ExecTxResult,
    OfferResult,
    ResponseApplySnapshotChunk,
    ResponseCheckTx,
    ResponseFinalizeBlock,
    ResponseInfo,
    ResponseQuery,
    Snapshot,
)
from abci_server.methods import METHODS
from conformance.kit.abci_client import Client
from pyibc.proto.tendermint.abci import types_pb2 as pb
from tests.waiting import until

BOTH = pytest.mark.parametrize("transport", ["socket", "grpc"])
FLUSH = pb.Request(flush={})


def tx(data):
    return pb.Request(check_tx={"tx": data})


@BOTH
def test_every_method_is_answered(app, address, serve, connect, frames):
    client = connect(serve(app, address))
    for kind in METHODS:
        raw = frames["requests of CometBFT 0.38"].get(kind)
        request = pb.Request.FromString(raw) if raw else pb.Request(echo={"message": "hi"})
        client.send([request, FLUSH])
        assert client.read().WhichOneof("value") == kind
        assert client.read().HasField("flush")
    assert [name for name, _ in app.asked] == [kind for kind in METHODS if kind not in {"echo", "flush"}]


@BOTH
def test_an_application_that_writes_little_votes_and_takes_what_fits(app, serve, connect):
    client = connect(serve(app))
    proposal = client.ask(pb.Request(prepare_proposal={"max_tx_bytes": 7, "txs": [b"a", b"b", b"c"]}))
    assert list(proposal.prepare_proposal.txs) == [b"a", b"b"]
    assert client.ask(pb.Request(process_proposal={})).process_proposal.status == 1
    assert client.ask(pb.Request(extend_vote={})).extend_vote.vote_extension == b""
    assert client.ask(pb.Request(verify_vote_extension={})).verify_vote_extension.status == 1
    other = pb.Request(verify_vote_extension={"vote_extension": b"x"})
    assert client.ask(other).verify_vote_extension.status == 2
    assert client.ask(pb.Request(offer_snapshot={})).offer_snapshot.result == OfferResult.ABORT
    assert client.ask(pb.Request(apply_snapshot_chunk={})).apply_snapshot_chunk.result == ApplyResult.ABORT
    assert client.ask(pb.Request(load_snapshot_chunk={})).load_snapshot_chunk.chunk == b""
    assert list(client.ask(pb.Request(list_snapshots={})).list_snapshots.snapshots) == []


@BOTH
def test_answers_of_an_application_that_writes_all(app, serve, connect):
    app.answers = {
        "process_proposal": False,
        "commit": 17,
        "extend_vote": b"mine",
        "list_snapshots": [Snapshot(10, 1, 2, b"hash", b"more")],
        "offer_snapshot": OfferResult.REJECT_SENDER,
        "load_snapshot_chunk": b"chunk",
        "apply_snapshot_chunk": ResponseApplySnapshotChunk(ApplyResult.RETRY, [3, 4], ["peer"]),
    }
    client = connect(serve(app))
    assert client.ask(pb.Request(process_proposal={})).process_proposal.status == 2
    assert client.ask(pb.Request(commit={})).commit.retain_height == 17
    assert client.ask(pb.Request(extend_vote={})).extend_vote.vote_extension == b"mine"
    (snapshot,) = client.ask(pb.Request(list_snapshots={})).list_snapshots.snapshots
    assert (snapshot.height, snapshot.format, snapshot.chunks, snapshot.hash, snapshot.metadata) == (
        10, 1, 2, b"hash", b"more",
    )  # fmt: skip
    assert client.ask(pb.Request(offer_snapshot={})).offer_snapshot.result == 5
    assert client.ask(pb.Request(load_snapshot_chunk={})).load_snapshot_chunk.chunk == b"chunk"
    applied = client.ask(pb.Request(apply_snapshot_chunk={})).apply_snapshot_chunk
    assert (applied.result, list(applied.refetch_chunks), list(applied.reject_senders)) == (
        3,
        [3, 4],
        ["peer"],
    )


@BOTH
def test_answers_come_in_order_without_a_flush(app, address, serve, connect):
    client = connect(serve(app, address))
    client.send([tx(b"%d" % number) for number in range(1000)])
    assert [client.read().check_tx.data for _ in range(1000)] == [b"%d" % number for number in range(1000)]


def test_a_flush_sends_what_is_ready_while_the_next_request_takes_its_time(app, serve, connect):
    gate = threading.Event()
    app.answers["query"] = lambda _: gate.wait(30) and ResponseQuery()
    client = connect(serve(app), 3)
    client.send([tx(b"a"), FLUSH, pb.Request(query={})])
    assert client.read().check_tx.data == b"a"
    assert client.read().HasField("flush")
    gate.set()
    assert client.read().HasField("query")


@pytest.mark.parametrize(
    ("running", "waiting", "together"),
    [
        ("finalize_block", "commit", False),
        ("finalize_block", "finalize_block", False),
        ("finalize_block", "info", False),
        ("process_proposal", "finalize_block", False),
        ("commit", "check_tx", False),
        ("check_tx", "check_tx", False),
        ("finalize_block", "check_tx", True),
        ("finalize_block", "query", True),
        ("commit", "query", True),
        ("query", "query", True),
        ("finalize_block", "load_snapshot_chunk", True),
        ("finalize_block", "list_snapshots", True),
    ],
)
@BOTH
def test_who_waits_for_whom(app, serve, connect, running, waiting, together):
    assert begun_together(app, serve(app), connect, running, waiting) is together


@pytest.mark.parametrize("waiting", ["query", "check_tx", "list_snapshots"])
@BOTH
def test_an_application_not_made_for_threads_is_asked_one_thing_at_a_time(app, serve, connect, waiting):
    assert not begun_together(app, serve(app, serial=True), connect, "finalize_block", waiting)


def begun_together(app, server, connect, running, waiting):
    """Whether `waiting` is begun while `running` runs."""
    begun, gate = threading.Semaphore(0), threading.Event()

    answers = {
        "commit": 0,
        "process_proposal": True,
        "finalize_block": ResponseFinalizeBlock(),
        "info": ResponseInfo(0, b""),
        "check_tx": ResponseCheckTx(),
        "query": ResponseQuery(),
        "load_snapshot_chunk": b"",
        "list_snapshots": (),
    }

    def answer_of(kind):
        def slow(_request):
            begun.release()
            gate.wait(10)
            return answers[kind]

        return slow

    app.answers = {kind: answer_of(kind) for kind in {running, waiting}}
    first, second = connect(server), connect(server)
    first.send([pb.Request(**{running: {}})])
    assert begun.acquire(timeout=60)
    second.send([pb.Request(**{waiting: {}})])
    both = begun.acquire(timeout=0.15)
    gate.set()
    assert first.read().WhichOneof("value") == running
    assert second.read().WhichOneof("value") == waiting
    return both


@BOTH
def test_a_request_of_a_cometbft_that_is_gone_is_not_executed(app, serve, connect):
    """What a killed CometBFT left behind must not be executed after its successor was told the height."""
    gate = threading.Event()
    app.answers["finalize_block"] = lambda _: gate.wait(10) and ResponseFinalizeBlock()
    server = serve(app)
    busy, old = connect(server), connect(server)
    busy.send([pb.Request(finalize_block={})])
    until(lambda: app.count == 1)
    old.send([pb.Request(commit={})])
    old.close()
    new = connect(server)
    new.send([pb.Request(info={})])
    time.sleep(0.05)
    gate.set()
    assert new.read().info.last_block_height == 3
    assert busy.read().HasField("finalize_block")
    time.sleep(0.05)
    assert "commit" not in [name for name, _ in app.asked]


@BOTH
def test_a_transaction_of_a_peer_that_is_gone_does_no_harm(app, serve, connect, said):
    server = serve(app)
    gone = connect(server)
    gone.send([tx(b"a")] * 100)
    gone.close()
    assert connect(server).ask(tx(b"b")).check_tx.data == b"b"
    assert said() == []


# -- its end


@BOTH
def test_stop_finishes_the_request_under_way_and_frees_the_address(app, address, serve, connect):
    gate = threading.Event()
    app.answers["commit"] = lambda _: gate.wait(10) and 5
    server = serve(app, address)
    client = connect(server)
    client.send([pb.Request(commit={})])
    until(lambda: app.count == 1)
    stopping = threading.Thread(target=server.stop)
    stopping.start()
    time.sleep(0.05)
    gate.set()
    assert client.read().commit.retain_height == 5
    stopping.join()
    with pytest.raises(ConnectionError):
        client.read()
    with pytest.raises(OSError):  # noqa: PT011 - refused, or no such file
        Client(str(server.address), 1)
    assert connect(serve(app, str(server.address))).ask(tx(b"x")).check_tx.data == b"x"


def test_stop_without_start_and_twice(app, address):
    server = Server(app, address)
    server.stop()
    server.stop()


# -- addresses


def test_a_unix_socket_is_this_users_alone(app, serve, tmp_path):
    serve(app, f"unix://{tmp_path}/a.sock")
    assert stat.S_IMODE((tmp_path / "a.sock").stat().st_mode) == 0o600


@BOTH
def test_a_socket_that_a_killed_process_left_is_taken_over(app, serve, connect, tmp_path):
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(tmp_path / "a.sock"))
    left.close()
    assert connect(serve(app, f"unix://{tmp_path}/a.sock")).ask(tx(b"x")).check_tx.data == b"x"


def test_an_address_in_use_is_refused(app, address, serve):
    server = serve(app, address)
    with pytest.raises(BadAddress, match=r"listens there|in use"):
        Server(app, str(server.address))


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("unix://" + "x" * 108, "limited to 107 bytes; use a path relative"),
        ("unix:///" + "é" * 54, "limited to 107 bytes"),
        ("unix:///nowhere/app.sock", "No such file"),
        ("tcp://nobody.invalid:26658", "not known|resolution"),
    ],
)
def test_an_address_that_cannot_be_says_why(app, address, why):
    with pytest.raises(BadAddress, match=why) as caught:
        Server(app, address)
    assert str(caught.value).startswith(address)


def test_the_longest_path_of_a_socket(app, serve, connect, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert connect(serve(app, "unix://" + "x" * 107)).ask(tx(b"x")).check_tx.data == b"x"


def test_a_file_that_is_no_socket_is_left_alone(app, tmp_path):
    (tmp_path / "precious").write_text("keep")
    with pytest.raises(BadAddress, match="is not a socket"):
        Server(app, f"unix://{tmp_path}/precious")
    assert (tmp_path / "precious").read_text() == "keep"


@pytest.mark.parametrize(
    "address",
    ["", "127.0.0.1:26658", "tcp://", "tcp://127.0.0.1", "tcp://127.0.0.1:x", "tcp://127.0.0.1:99999", "http://127.0.0.1:1",
     "unix://", "tcp://127.0.0.1:1/path", "unix:///no/such/folder/a.sock"],
)  # fmt: skip
def test_what_is_no_address(app, address):
    with pytest.raises(BadAddress):
        Server(app, address)


def test_other_machines_are_let_in_only_where_that_is_said(app, serve):
    with pytest.raises(BadAddress, match="loopback"):
        Server(app, "tcp://0.0.0.0:0")
    assert str(serve(app, "tcp://0.0.0.0:0", remote=True).address).startswith("tcp://0.0.0.0:")


@BOTH
def test_ipv6_loopback(app, serve, connect):
    try:
        server = serve(app, "tcp://[::1]:0")
    except BadAddress:
        pytest.skip("no IPv6 on this machine")
    assert connect(server).ask(tx(b"x")).check_tx.data == b"x"


def test_h206_a_block_whose_events_are_too_long_for_the_socket_is_answered_without_them(
    app, serve, connect, said, monkeypatch
):
    monkeypatch.setattr(connection, "SOCKET", SOCKET._replace(most=100_000))
    long = [Event("e", [EventAttribute("k", "v" * 1_000)])] * 60
    app.answers["finalize_block"] = ResponseFinalizeBlock([ExecTxResult(data=b"d", events=long)], b"hash")
    server = serve(app)
    ask = pb.Request(finalize_block={"txs": [b"a"]})
    told = connect(server).ask(ask).finalize_block
    assert len(told.tx_results[0].events) == 60
    assert said() == []
    app.answers["finalize_block"] = ResponseFinalizeBlock([ExecTxResult(data=b"d", events=long * 2)], b"hash")
    told = connect(server).ask(ask).finalize_block
    assert (told.app_hash, told.tx_results[0].data, list(told.tx_results[0].events)) == (b"hash", b"d", [])
    (line,) = said()
    assert "the limit of the socket is 100000" in line
    assert server.failure is None


def test_the_socket_carries_what_cometbft_reads():
    assert 100 * 1024 * 1024 - 100 < SOCKET.most < 100 * 1024 * 1024


@BOTH
@pytest.mark.parametrize("serial", [False, True])
def test_h278_while_an_answer_is_held_all_others_are_given(app, serve, connect, serial):
    """A chain that waits for other software at a planned upgrade: relayers ask for its height."""
    app.answers["finalize_block"] = AnswerHeld()
    server = serve(app, serial=serial)
    consensus, other = connect(server), connect(server)
    assert other.ask(pb.Request(echo={"message": "hi"})).echo.message == "hi"
    held = threading.Thread(target=ends, args=(consensus, pb.Request(finalize_block={"txs": [b"a"]})))
    held.start()
    until(lambda: app.asked and app.asked[-1][0] == "finalize_block")
    assert not server.wait(0.2)  # it is no failure
    assert other.ask(pb.Request(info={})).info.last_block_height == 3
    assert other.ask(pb.Request(query={"data": b"q"})).query.value == b"q"
    assert other.ask(tx(b"t")).check_tx.data == b"t"
    assert held.is_alive()
    began = time.monotonic()
    server.stop()
    held.join(10)
    assert not held.is_alive()
    assert time.monotonic() - began < 5  # long before the grace for calls under way is over
    assert server.failure is None


def ends(client, request):
    """Ask for what is not answered: the connection ends."""
    with suppress(Exception):
        client.ask(request)


def test_h278_a_held_call_of_a_peer_that_has_gone_is_dropped(app, serve, connect):
    app.answers["finalize_block"] = AnswerHeld()
    server = serve(app)
    for _ in range(3):
        client = connect(server)
        client.send([pb.Request(finalize_block={"txs": [b"a"]}), FLUSH])
        count = len(app.asked)
        until(lambda count=count: len(app.asked) >= max(count, 1))
        client.close()
    until(lambda: not server._connections)
    assert server.failure is None
