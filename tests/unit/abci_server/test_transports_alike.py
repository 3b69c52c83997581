"""A law: whatever CometBFT asks, an application is asked and answers alike over the socket and over gRPC."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from abci_server import AbciError, Server
from abci_server.messages.requests import (
    Event,
    EventAttribute,
    ExecTxResult,
    ResponseCheckTx,
    ResponseFinalizeBlock,
    ResponseQuery,
)
from conformance.kit.abci_client import Client
from conformance.kit.abci_grpc_client import GrpcClient
from pyibc.proto.tendermint.abci import types_pb2 as pb
from tests.sampling import rounds
from tests.unit.abci_server.conftest import Recorder

TEXT, RAW, HEIGHT = st.text(max_size=20), st.binary(max_size=40), st.integers(-(2**63), 2**63 - 1)
TX = st.sampled_from([b"good", b"refused", b"bug", b"die"]) | RAW
TXS = st.lists(TX, max_size=4)
FIELDS = {
    "echo": {"message": TEXT},
    "flush": {},
    "info": {"version": TEXT, "block_version": st.integers(0, 2**64 - 1)},
    "init_chain": {"chain_id": TEXT, "app_state_bytes": RAW, "initial_height": HEIGHT},
    "query": {"path": TX, "data": RAW, "height": HEIGHT, "prove": st.booleans()},
    "check_tx": {"tx": TX, "type": st.integers(0, 1)},
    "commit": {},
    "list_snapshots": {},
    "offer_snapshot": {"app_hash": RAW},
    "load_snapshot_chunk": {"height": st.integers(0, 2**64 - 1), "chunk": st.integers(0, 2**32 - 1)},
    "apply_snapshot_chunk": {"index": st.integers(0, 2**32 - 1), "chunk": RAW, "sender": TEXT},
    "prepare_proposal": {"max_tx_bytes": st.integers(0, 60), "txs": TXS, "height": HEIGHT},
    "process_proposal": {"txs": TXS, "hash": RAW, "height": HEIGHT},
    "extend_vote": {"hash": RAW, "height": HEIGHT},
    "verify_vote_extension": {"vote_extension": RAW, "validator_address": RAW},
    "finalize_block": {"txs": TXS, "height": HEIGHT, "proposer_address": RAW},
}
REQUESTS = st.one_of(
    st.fixed_dictionaries(fields).map(lambda made, kind=kind: pb.Request(**{kind: made}))
    for kind, fields in FIELDS.items()
)


def judged(tx):
    if tx == b"refused":
        raise AbciError(4, "refused", "law")
    if tx == b"bug":
        raise ZeroDivisionError
    return [Event("seen", [EventAttribute("tx", tx.hex())])]


def block(request):
    if b"die" in request.txs:
        raise RuntimeError("the block is deadly")
    return ResponseFinalizeBlock([ExecTxResult(data=tx) for tx in request.txs], b"hash", [Event("end")])


def told(transport, folder, requests):
    """What the application was asked, what it answered up to its failure if any, and how it failed."""
    app = Recorder()
    app.answers = {
        "check_tx": lambda asked: ResponseCheckTx(events=judged(asked.tx)),
        "query": lambda asked: ResponseQuery(
            key=asked.path.encode(errors="replace"), log=str(judged(asked.data))
        ),
        "finalize_block": block,
    }
    server = Server(app, f"unix://{folder}/{transport}.sock", transport=transport)
    server.start()
    client = GrpcClient(server.address) if transport == "grpc" else Client(str(server.address))
    answers = []
    try:
        for each in requests:
            answers.append(client.ask(each))
            if answers[-1].HasField("exception"):
                break
    finally:
        client.close()
        server.stop()
    return answers, list(app.asked), str(server.failure)


def test_every_kind_of_request_is_in_the_law():
    assert set(FIELDS) == {field.name for field in pb.Request.DESCRIPTOR.fields}


@settings(
    deadline=None, max_examples=rounds(15, 60), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(requests=st.lists(REQUESTS, max_size=12))
def test_both_ways_ask_and_answer_alike(tmp_path, requests):
    assert told("grpc", tmp_path, requests) == told("socket", tmp_path, requests)
