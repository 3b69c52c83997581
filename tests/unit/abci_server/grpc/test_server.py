"""ABCI over gRPC where it differs from the socket: calls refused alone, bounded answers, an old CometBFT."""

import logging
import socket
import struct
import time

import pytest
from hpack import Decoder

from abci_server.connection import GRPC
from abci_server.errors import ApplicationFailed
from abci_server.grpc.connection import PREFIX, message
from abci_server.messages.requests import (
    Event,
    EventAttribute,
    ExecTxResult,
    ResponseCheckTx,
    ResponseFinalizeBlock,
    ResponseQuery,
    Snapshot,
    ValidatorUpdate,
)
from conformance.kit.abci_grpc_client import GrpcClient
from pyibc.proto.tendermint.abci import types_pb2 as pb
from tests.unit.abci_server.grpc import raw as frames
from tests.unit.abci_server.grpc.raw import frame, frames_in

ABCI = "/tendermint.abci.ABCI/"


@pytest.fixture
def transport():
    return "grpc"


def tx(data):
    return pb.Request(check_tx={"tx": data})


# -- calls that are refused alone


@pytest.mark.parametrize(
    ("path", "raw", "status", "text"),
    [
        (f"{ABCI}CheckTx", b"\xff", "INVALID_ARGUMENT", "not a protobuf Request"),
        (f"{ABCI}Nothing", b"", "UNIMPLEMENTED", "not one of ABCI 2.0"),
        ("/other.Service/CheckTx", b"", "UNIMPLEMENTED", "not one of ABCI 2.0"),
        (f"{ABCI}CheckTx", bytes(1025), "RESOURCE_EXHAUSTED", "exceeds the size limit"),
    ],
)
def test_h207_a_bad_call_is_refused_and_others_go_on(
    app, address, serve, connect, said, path, raw, status, text
):
    server = serve(app, address, frame_bytes=1024)
    client = connect(server)
    for _ in range(3):
        told = client.call(path, raw)
        assert (told[0], text in told[1]) == (status, True)
    assert client.ask(tx(b"after")).check_tx.data == b"after"
    assert server.failure is None
    assert app.count == 1
    assert len(said()) <= 1


def raw_client(server):
    made = socket.create_connection((server.address.host, server.address.port), 10)
    made.sendall(frames.PREFACE + frame(frames.SETTINGS, 0, 0))
    return made


def frames_from(peer, until):
    """Frames up to the first of type `until`, or up to the end."""
    buffer, found = bytearray(), []
    while not any(each.type == until for each in found):
        chunk = peer.recv(65_536)
        if not chunk:
            break
        buffer += chunk
        found += list(frames_in(buffer))
    return found


def opening(stream, path=b"/tendermint.abci.ABCI/Echo"):
    block = b"\x83\x86\x44" + bytes([len(path)]) + path
    return frame(frames.HEADERS, frames.END_HEADERS, stream, block)


@pytest.mark.parametrize(
    "body", [b"", b"\0\0\0", b"\x01" + message(b"")[1:], message(b"")[:-1] + b"\x01", message(b"") * 2]
)
def test_h207_a_body_that_is_not_one_message_is_refused(app, serve, body):
    server = serve(app)
    decoder = Decoder()

    def headers():
        found = [each for each in frames_from(peer, frames.HEADERS) if each.type == frames.HEADERS]
        return dict(item for each in found for item in decoder.decode(each.payload, raw=True))

    with raw_client(server) as peer:
        peer.sendall(opening(1) + frame(frames.DATA, frames.END_STREAM, 1, body))
        assert headers()[b"grpc-status"] == b"3"
        peer.sendall(opening(3) + frame(frames.DATA, frames.END_STREAM, 3, message(b"")))
        told = headers()
        while b"grpc-status" not in told:
            told = headers()
        assert told[b"grpc-status"] == b"0"


def test_h207_who_breaks_http2_is_told_and_closed_and_the_others_go_on(app, serve, connect, said):
    server = serve(app)
    good = connect(server)
    for _ in range(3):
        with raw_client(server) as peer:
            peer.sendall(frame(frames.PUSH_PROMISE, 0, 1, bytes(4)))
            goodbye = frames_from(peer, frames.GOAWAY)[-1]
            assert goodbye.payload == struct.pack(">LL", 0, 1)
            assert peer.recv(1) == b""
    assert good.ask(tx(b"after")).check_tx.data == b"after"
    (line,) = said()
    assert line.startswith("connection closed: HTTP/2: ProtocolError ")


# -- who takes no answers


def test_h209_who_takes_no_answers_gets_no_more_made(app, serve, connect):
    """Its windows are shut: of calls of any number one answer is made and kept."""
    app.answers["query"] = ResponseQuery(value=bytes(1_000_000))
    server = serve(app)
    with raw_client(server) as peer:
        peer.sendall(frame(frames.SETTINGS, 0, 0, struct.pack(">HL", 4, 0)))
        query = opening(1, b"/tendermint.abci.ABCI/Query")
        for stream in range(1, 41, 2):
            peer.sendall(query[:5] + struct.pack(">L", stream) + query[9:])
            peer.sendall(frame(frames.DATA, frames.END_STREAM, stream, message(b"")))
        peer.sendall(frame(frames.PING, 0, 0, bytes(8)))
        frames_from(peer, frames.PING)
        assert app.count == 1
        assert connect(server).ask(tx(b"x")).check_tx.data == b"x"


# -- a CometBFT that is older than the application


def test_h208_a_cometbft_that_outlived_its_application_is_refused(app, address, serve, said):
    """Over gRPC it does not notice: what it asks next may be about a state that is not here."""
    server = serve(app, address)
    old = GrpcClient(server.address, 10, greet=False)
    asked = ("check_tx", "finalize_block", "commit", "init_chain", "prepare_proposal", "process_proposal",
             "extend_vote", "verify_vote_extension", "offer_snapshot", "apply_snapshot_chunk")  # fmt: skip
    for kind in asked:
        error = old.ask(pb.Request(**{kind: {}})).exception.error
        assert error == f"{kind}: the application has restarted; restart CometBFT too"
    assert app.count == 0
    assert len(said()) == 1
    for kind in ("info", "query", "list_snapshots", "load_snapshot_chunk", "flush"):
        assert old.ask(pb.Request(**{kind: {}})).WhichOneof("value") == kind
    assert old.ask(pb.Request(commit={})).HasField("exception")  # Info is asked for anybody at the RPC
    new = GrpcClient(server.address, 10)
    assert new.ask(pb.Request(commit={})).HasField("commit")
    old.close()
    new.close()


# -- answers that are too long for CometBFT's client

MOST = GRPC.most
LONG = [Event("e", [EventAttribute("k", "v" * 1000)])] * 5_000


def test_h206_a_block_whose_events_are_too_long_is_answered_without_them(app, serve, connect, said):
    results = [ExecTxResult(7, b"data", "log", "info", 5, 4, LONG, "space"), ExecTxResult(data=b"two")]
    updates = [ValidatorUpdate(("ed25519", b"k" * 32), 3)]
    app.answers["finalize_block"] = ResponseFinalizeBlock(results, b"hash", LONG[:3], updates)
    server = serve(app)
    told = connect(server).ask(pb.Request(finalize_block={"txs": [b"a", b"b"]})).finalize_block
    first, second = told.tx_results
    assert (first.code, first.data, first.gas_wanted, first.gas_used, first.codespace) == (
        7,
        b"data",
        5,
        4,
        "space",
    )
    assert (first.log, first.info, list(first.events), list(told.events)) == ("", "", [], [])
    assert (second.data, told.app_hash, told.validator_updates[0].power) == (b"two", b"hash", 3)
    assert server.failure is None
    (line,) = said()
    assert "finalize_block: parts of a response of 5" in line


def test_h206_what_just_fits_is_left_alone(app, serve, connect, said):
    chunk = bytes(MOST - 5)
    app.answers["load_snapshot_chunk"] = chunk
    client = connect(serve(app))
    assert client.ask(pb.Request(load_snapshot_chunk={})).load_snapshot_chunk.chunk == chunk
    assert said() == []
    app.answers["load_snapshot_chunk"] = chunk + b"x"
    assert client.ask(pb.Request(load_snapshot_chunk={})).load_snapshot_chunk.chunk == b""
    assert len(said()) == 1


def test_h206_long_answers_to_outsiders_are_no_failure(app, serve, connect):
    app.answers = {
        "query": ResponseQuery(value=bytes(MOST)),
        "check_tx": ResponseCheckTx(3, bytes(MOST), "log", events=LONG, gas_wanted=9),
        "list_snapshots": [Snapshot(1, 1, 1, b"h", bytes(MOST))],
    }
    server = serve(app)
    client = connect(server)
    query = client.ask(pb.Request(query={})).query
    assert (query.code, query.codespace, query.value) == (1, "abci", b"")
    assert "the limit of gRPC is 4194304" in query.log
    assert client.ask(tx(b"x")).check_tx == pb.ResponseCheckTx(code=3, gas_wanted=9)
    assert not client.ask(pb.Request(list_snapshots={})).list_snapshots.snapshots
    assert not client.ask(pb.Request(echo={"message": "x" * MOST})).echo.message
    assert server.failure is None


def test_h206_a_proposal_has_room_for_what_fits_only(app, serve, connect):
    client = connect(serve(app))
    assert client.ask(pb.Request(prepare_proposal={"max_tx_bytes": MOST + 1})).HasField("prepare_proposal")
    assert client.ask(pb.Request(prepare_proposal={"max_tx_bytes": 1000})).HasField("prepare_proposal")
    assert [asked.max_tx_bytes for _, asked in app.asked] == [MOST, 1000]


def test_what_the_chain_is_about_is_never_left_out(app, serve, connect, caplog):
    app.answers["finalize_block"] = ResponseFinalizeBlock([ExecTxResult(data=bytes(MOST))], b"hash")
    server = serve(app)
    told = connect(server).ask(pb.Request(finalize_block={"txs": [b"a"]}))
    assert told.exception.error == "the application failed in finalize_block"
    assert isinstance(server.failure, ApplicationFailed)
    assert "the limit of gRPC is 4194304" in str(server.failure.__cause__)
    assert [record.levelno for record in caplog.records][-1] == logging.CRITICAL
    with pytest.raises(ConnectionError):
        GrpcClient(server.address, 5).ask(pb.Request(commit={}))
    assert app.count == 1


def test_a_large_request_arrives(app, serve, connect):
    txs = [bytes(20_000_000), b"small"]
    app.answers["finalize_block"] = ResponseFinalizeBlock([ExecTxResult()] * 2)
    assert connect(serve(app)).ask(pb.Request(finalize_block={"txs": txs})).HasField("finalize_block")
    assert list(app.asked[-1][1].txs) == txs


def test_half_a_call_harms_nobody(app, serve, connect, said):
    server = serve(app)
    with raw_client(server) as peer:
        peer.sendall(opening(1) + frame(frames.DATA, 0, 1, bytes(PREFIX)[:-1] + b"\x09"))
        assert connect(server).ask(tx(b"x")).check_tx.data == b"x"
    end = time.monotonic() + 10
    while len(server._connections) > 1 and time.monotonic() < end:
        time.sleep(0.01)
    assert len(server._connections) == 1
    assert said() == []
