"""Requests as CometBFT wrote them become the values they say; our answers are Go's, byte for byte."""

import pytest

from abci_server.application import tx_size
from abci_server.errors import BadAnswer
from abci_server.messages import decode, encode, requests
from abci_server.messages.requests import (
    BlockParams,
    ConsensusParams,
    Event,
    EvidenceParams,
    ExecTxResult,
    ProofOp,
    PublicKey,
    ResponseCheckTx,
    ResponseFinalizeBlock,
    ResponseInfo,
    ResponseInitChain,
    ResponseQuery,
    ValidatorUpdate,
)
from abci_server.methods import METHODS
from pyibc.proto.tendermint.abci import types_pb2 as pb


@pytest.fixture
def asked(frames, app):
    """What the application sees of a recorded request."""

    def ask(kind):
        request = pb.Request.FromString(frames["requests of CometBFT 0.38"][kind])
        response = pb.Response()
        METHODS[kind].serve(app, getattr(request, kind), response)
        assert response.WhichOneof("value") == kind
        return app.asked[-1][1] if app.asked else None

    return ask


def test_every_recorded_request_is_served_and_answered_in_kind(frames, asked):
    recorded = set(frames["requests of CometBFT 0.38"])
    assert recorded == set(METHODS) - {"echo"}
    for kind in sorted(recorded):
        asked(kind)


def test_info(asked):
    request = asked("info")
    assert (request.version, request.block_version, request.p2p_version, request.abci_version) == (
        "0.38.26", 11, 8, "2.0.0",
    )  # fmt: skip


def test_init_chain(asked):
    request = asked("init_chain")
    assert request.consensus_params == ConsensusParams(
        BlockParams(22_020_096, -1),
        EvidenceParams(100_000, 172_800 * 10**9, 1_048_576),
        ["ed25519"],
        0,
        2,
    )
    assert [(each.pub_key.type, len(each.pub_key.data), each.power) for each in request.validators] == [
        ("ed25519", 32, 10)
    ] * 2
    assert request.chain_id.startswith("test-chain-")
    assert (request.initial_height, request.app_state_bytes) == (1, b"")
    assert 1_700_000_000 < request.time_ns // 10**9 < 2_000_000_000
    assert request.time_ns % 10**9


@pytest.mark.parametrize(
    ("kind", "commit"),
    [
        ("finalize_block", "decided_last_commit"),
        ("process_proposal", "proposed_last_commit"),
        ("extend_vote", "proposed_last_commit"),
    ],
)
def test_blocks(asked, kind, commit):
    request = asked(kind)
    assert (list(request.txs), request.height, list(request.misbehavior)) == ([b"last=one"], 4, [])
    assert [len(each) for each in (request.hash, request.next_validators_hash, request.proposer_address)] == [
        32, 32, 20,
    ]  # fmt: skip
    last = getattr(request, commit)
    assert [
        (len(each.validator.address), each.validator.power, each.block_id_flag) for each in last.votes
    ] == [(20, 10, requests.BlockIdFlag.COMMIT)] * 2
    assert last.round == 0


def test_prepare_proposal(asked):
    request = asked("prepare_proposal")
    assert (list(request.txs), request.height, request.max_tx_bytes) == ([b"last=one"], 4, 22_012_649)
    assert [
        (each.vote_extension, len(each.extension_signature)) for each in request.local_last_commit.votes
    ] == [(b"3", 64)] * 2


def test_snapshots(asked):
    offered = asked("offer_snapshot")
    assert offered.snapshot[:3] == (30, 1, 4)
    assert (len(offered.snapshot.hash), len(offered.app_hash)) == (32, 32)
    wanted = asked("load_snapshot_chunk")
    assert (wanted.height, wanted.format, wanted.chunk) == (30, 1, 1)
    chunk = asked("apply_snapshot_chunk")
    assert (chunk.index, len(chunk.sender)) == (3, 40)
    assert chunk.chunk.endswith(b'["6c617374", "6f6e65"]]')


def test_checks_queries_and_extensions(asked):
    checked = asked("check_tx")
    assert (checked.tx, checked.recheck) == (b"key0000=" + b"v" * 60, True)
    question = asked("query")
    assert (question.data, question.path, question.height, question.prove) == (b"key0089", "", 0, False)
    extension = asked("verify_vote_extension")
    assert (extension.height, extension.vote_extension, len(extension.validator_address)) == (10, b"10", 20)


def test_misbehavior_is_told():
    request = pb.RequestFinalizeBlock(
        misbehavior=[
            {
                "type": 1,
                "validator": {"address": b"a" * 20, "power": 7},
                "height": 5,
                "time": {"seconds": 2, "nanos": 3},
                "total_voting_power": 40,
            }
        ]
    )
    (told,) = decode.finalize_block(request).misbehavior
    validator = requests.Validator(b"a" * 20, 7)
    assert told == (requests.MisbehaviorType.DUPLICATE_VOTE, validator, 5, 2 * 10**9 + 3, 40)


def test_times_before_1970_are_whole_nanoseconds():
    assert decode.init_chain(pb.RequestInitChain(time={"seconds": -1, "nanos": 5})).time_ns == -(10**9) + 5


@pytest.mark.parametrize(
    "path",
    [b"", b"/store/ibc/key", "ü".encode(), b"\xff\xfe", b"/a\x80b"],
    ids=["none", "usual", "utf8", "a", "b"],
)
def test_any_path_reaches_the_application_and_can_be_had_back(path):
    request = pb.RequestQuery.FromString(pb.RequestQuery(path=path).SerializeToString())
    assert decode.query(request).path.encode("utf-8", "surrogateescape") == path


# -- answers


def kvstore_event(creator, key):
    """The events of CometBFT's own key-value application."""
    return Event(
        "app",
        [
            requests.EventAttribute("creator", creator),
            requests.EventAttribute("key", key),
            requests.EventAttribute("index_key", "index is working"),
            requests.EventAttribute("noindex_key", "index is working", indexed=False),
        ],
    )


GOS_ANSWERS = {
    "info": ResponseInfo(0, bytes(8), data='{"size":0}', version="2.0.0", app_version=1),
    "init_chain": ResponseInitChain(app_hash=bytes(8)),
    "check_tx": ResponseCheckTx(code=2),
    "prepare_proposal": [b"a=b", b"c=d"],
    "process_proposal": True,
    "finalize_block": ResponseFinalizeBlock(
        [
            ExecTxResult(
                events=[kvstore_event("Cosmoshi Netowoko", key), kvstore_event("Cosmoshi", value)],
            )
            for key, value in (("a", "b"), ("c", "d"))
        ],
        b"\x04" + bytes(7),
    ),
    "commit": 0,
    "query": ResponseQuery(log="exists", key=b"a", value=b"b", height=1),
    "list_snapshots": [],
}


@pytest.mark.parametrize("kind", GOS_ANSWERS)
def test_answers_are_gos_byte_for_byte(frames, app, kind):
    app.answers[kind] = GOS_ANSWERS[kind]
    request = pb.Request.FromString(frames["requests of CometBFT 0.38"][kind])
    if kind == "finalize_block":
        request.finalize_block.txs.append(b"another")
    response = pb.Response()
    METHODS[kind].serve(app, getattr(request, kind), response)
    assert response.SerializeToString() == frames["answers of CometBFT's kvstore"][kind]


def test_everything_an_answer_can_hold_arrives():
    result = ExecTxResult(
        5, b"data", "log", "info", 7, 6, [Event("e", [requests.EventAttribute("k", "v")])], "space"
    )
    params = ConsensusParams(BlockParams(100, -1), EvidenceParams(3, 4 * 10**9 + 5, 6), ["secp256k1"], 8, 9)
    update = ValidatorUpdate(PublicKey("secp256k1", b"\2" * 33), 0)
    answer = ResponseFinalizeBlock([result], b"hash", [Event("begin")], [update], params)
    told = pb.ResponseFinalizeBlock()
    encode.finalize_block(answer, 1, told)
    told = pb.ResponseFinalizeBlock.FromString(told.SerializeToString())
    (tx,) = told.tx_results
    assert (tx.code, tx.data, tx.log, tx.info, tx.gas_wanted, tx.gas_used, tx.codespace) == (
        5, b"data", "log", "info", 7, 6, "space",
    )  # fmt: skip
    assert [(each.key, each.value, each.index) for each in tx.events[0].attributes] == [("k", "v", True)]
    assert [each.type for each in told.events] == ["begin"]
    assert (told.validator_updates[0].pub_key.secp256k1, told.validator_updates[0].power) == (b"\2" * 33, 0)
    assert decode.consensus_params(told.consensus_param_updates) == params
    assert told.app_hash == b"hash"


def test_parameters_that_are_not_told_stay_away():
    told = pb.ResponseInitChain()
    encode.init_chain(ResponseInitChain(consensus_params=ConsensusParams(app_version=0)), told)
    assert [field.name for field, _ in told.consensus_params.ListFields()] == ["version"]


def test_proofs_arrive():
    told = pb.ResponseQuery()
    encode.query(ResponseQuery(proof_ops=[ProofOp("ics23:iavl", b"k", b"proof")]), told)
    assert [(op.type, op.key, op.data) for op in told.proof_ops.ops] == [("ics23:iavl", b"k", b"proof")]


@pytest.mark.parametrize("size", [0, 1, 127, 128, 16_383, 16_384, 70_000])
def test_tx_size_is_what_protobuf_takes(size):
    assert tx_size(bytes(size)) == pb.RequestProcessProposal(txs=[bytes(size)]).ByteSize()


def test_a_validator_of_another_kind_is_a_bug():
    answer = ResponseFinalizeBlock(validator_updates=[ValidatorUpdate(PublicKey("bls", b""), 1)])
    with pytest.raises(BadAnswer, match="'bls'"):
        encode.finalize_block(answer, 0, pb.ResponseFinalizeBlock())


def test_a_program_may_bring_a_faster_way_to_write_events(monkeypatch):
    """It is asked with the events and the number of their field; what it leaves, protobuf writes."""
    told, asked = [Event("e", [requests.EventAttribute("k", "v", False)]), Event("f")], []
    answer = ResponseFinalizeBlock([ExecTxResult(events=told)], b"hash", told)

    def written(faster):
        monkeypatch.setattr(encode, "faster_events", faster)
        into = pb.ResponseFinalizeBlock()
        encode.finalize_block(answer, 1, into)
        return into.SerializeToString()

    usual = written(lambda *_: None)
    assert written(lambda *given: asked.append(given)) == usual
    assert asked == [(told, 1), (told, 7)]
    raw = pb.ResponseFinalizeBlock.FromString(usual).events
    fields = b"".join(b"\x3a" + bytes([each.ByteSize()]) + each.SerializeToString() for each in raw)
    monkeypatch.setattr(encode, "faster_events", lambda *_: fields)
    into = pb.ExecTxResult()
    encode.tx_result(ExecTxResult(events=told), into)
    assert into == pb.ResponseFinalizeBlock.FromString(usual).tx_results[0]
