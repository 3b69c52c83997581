"""A chain plans its upgrade and commits to what comes after; its clients follow."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from conformance.kit.encode import to_any
from conformance.kit.mutate_state import freeze_client
from conformance.kit.refusal_rows import signer_rows
from conformance.kit.refusals import Row, check_row, expect_refusal, mutating, setting
from conformance.kit.sides import CLIENT_ON_A
from ibc_module.upgrades import UpgradeNeeded
from light_client.registry import Registry, builtin_light_clients
from light_client.tendermint import states as state_codec
from light_client.tendermint import store
from light_client.tendermint.states import SENTINEL_ROOT
from pyibc.codec.anys import AnyMessage, decode_any
from pyibc.codec.encoding import encode
from pyibc.codec.gotime import GO_ZERO_TIME_NS
from pyibc.core import paths
from pyibc.core.client.messages import MsgIbcSoftwareUpgrade, MsgUpgradeClient
from pyibc.core.client.types import UpgradePlan
from pyibc.core.errors import (
    ClientNotActive,
    InvalidHeight,
    InvalidIdentifier,
    InvalidProof,
    InvalidSdkRequest,
    InvalidUpgradeClient,
    TxDecode,
    UnauthorizedTx,
    UnpackAny,
)
from pyibc.core.height import Height
from pyibc.core.wire.merkle import encode_merkle_proof
from pyibc.proto.ibc.core.client.v1 import tx_pb2
from pyibc.proto.ibc.lightclients.tendermint.v1 import tendermint_pb2
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.clients.tendermint import ClientSettings, client_state

NOBODY = "cosmos1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5lzv7xu"
SOLO_STATE = AnyMessage("/ibc.lightclients.solomachine.v3.ClientState", b"\x1a\x00")
SOLO_CONSENSUS = AnyMessage("/ibc.lightclients.solomachine.v3.ConsensusState", b"")
ZERO_NS = GO_ZERO_TIME_NS


def plan_message(governed, height):
    plan = UpgradePlan("v2", ZERO_NS, height, "", False)
    return MsgIbcSoftwareUpgrade(
        plan, client_state("beta-2", height + 1, ClientSettings()), governed.authority
    )


def test_a_plan_commits_to_the_client_without_what_each_client_chooses(governed):
    stage = governed.stage(governed.b)
    height = stage.ctx.height.revision_height + 3
    attempt = stage.attempt(plan_message(governed, height))
    assert (attempt.error, attempt.response) == (None, b"")
    assert attempt.events == (
        ("schedule_ibc_software_upgrade", (("title", "v2"), ("upgrade_plan_height", str(height)))),
        ("message", (("module", "ibc_client"),)),
    )
    key = ("upgrade", paths.upgraded_client_path(height))
    assert stage.writes().keys() == {("upgrade", paths.UPGRADE_PLAN), key}
    committed = state_codec.decode_client_state(decode_any(stage.writes()[key]).value)
    assert (committed.chain_id, committed.latest_height) == ("beta-2", Height(2, height + 1))
    assert (committed.trusting_period_ns, committed.max_clock_drift_ns) == (0, 0)
    assert committed.unbonding_period_ns == ClientSettings().unbonding_ns


def test_a_second_plan_replaces_the_first(governed):
    stage = governed.stage(governed.b)
    first = stage.ctx.height.revision_height + 3
    stage.attempt(plan_message(governed, first))
    stage.attempt(plan_message(governed, first + 1))
    left = {key for (name, key), value in stage.writes().items() if name == "upgrade" and value is not None}
    assert left == {paths.UPGRADE_PLAN, paths.upgraded_client_path(first + 1)}
    governed.b.keepers.upgrades.cancel(stage.ctx)
    assert {value for (name, _), value in stage.writes().items() if name == "upgrade"} == {None}


def planning(**changes):
    return lambda _, message: replace(message, plan=replace(message.plan, **changes))


PLAN_ROWS = [
    *signer_rows(),
    Row("not the authority", setting(signer=NOBODY), UnauthorizedTx),
    Row("no state", setting(upgraded_client_state=AnyMessage("", b"")), UnpackAny),
    Row("a solo machine", setting(upgraded_client_state=SOLO_STATE), InvalidUpgradeClient),
    Row("a time", planning(time_ns=0), InvalidSdkRequest),
    Row("no name", planning(name=""), InvalidSdkRequest),
    *(
        Row(
            f"height {n}",
            planning(height=n),
            InvalidSdkRequest,
            {"reason": f"plan: height {n} is not positive"},
        )
        for n in (0, -1)
    ),
    Row("height in the past", planning(height=1), InvalidSdkRequest),
]


@pytest.mark.parametrize("row", PLAN_ROWS, ids=repr)
def test_h39b_plans_that_are_refused(governed, row):
    stage = governed.stage(governed.b)
    check_row(stage, plan_message(governed, stage.ctx.height.revision_height), row)


def test_h278_an_upgrade_that_was_carried_out_is_not_planned_again(governed):
    stage = governed.stage(governed.b)
    message = plan_message(governed, stage.ctx.height.revision_height + 3)
    governed.b.keepers.upgrades.finish(stage.ctx, "v2-a")
    assert stage.attempt(message).error is None
    governed.b.keepers.upgrades.finish(stage.ctx, message.plan.name)
    before = stage.writes()
    refused = expect_refusal(stage, message, InvalidSdkRequest)
    assert refused.reason == "upgrade with name v2 has already been completed"
    assert stage.writes() == before


def test_a_plan_holds_no_client_state(governed):
    stage = governed.stage(governed.b)
    good = to_any(plan_message(governed, stage.ctx.height.revision_height))
    wire = tx_pb2.MsgIBCSoftwareUpgrade.FromString(good.value)
    wire.plan.upgraded_client_state.CopyFrom(wire.upgraded_client_state)
    expect_refusal(stage, AnyMessage(good.type_url, wire.SerializeToString()), InvalidSdkRequest)


def test_a_plan_for_the_block_under_way_is_taken(governed):
    stage = governed.stage(governed.b)
    assert stage.attempt(plan_message(governed, stage.ctx.height.revision_height)).error is None


@pytest.mark.parametrize(("blocks_before", "commits"), [(0, False), (1, True), (2, False)])
def test_only_the_last_block_before_commits_to_what_comes_after(governed, blocks_before, commits):
    stage = governed.stage(governed.b)
    ctx, height = stage.ctx, stage.ctx.height.revision_height + blocks_before
    stage.attempt(plan_message(governed, height))
    ctx.take_events()
    ctx.next_validators_hash = b"v" * 32
    governed.b.chain.app.pipeline.begin_block(ctx)
    raw = ctx.store("upgrade").get(paths.upgraded_consensus_state_path(height))
    assert (raw is not None) is commits
    chained = ("upgrade_chain", (("upgrade_plan_height", str(height)), ("upgrade_store", "upgrade")))
    assert (chained in ctx.events) is commits
    if commits:
        state = state_codec.decode_consensus_state(decode_any(raw).value)
        assert state == (ctx.time_ns, b"", b"v" * 32)


def test_a_plan_without_a_client_commits_to_nothing(governed):
    stage = governed.stage(governed.b)
    height = stage.ctx.height.revision_height + 1
    stage.attempt(plan_message(governed, height))
    stage.ctx.store("upgrade").delete(paths.upgraded_client_path(height))
    governed.b.chain.app.pipeline.begin_block(stage.ctx)
    assert stage.ctx.store("upgrade").get(paths.upgraded_consensus_state_path(height)) is None


@pytest.fixture(scope="module")
def upgraded(governed):
    """B has come to the last block before its upgrade, A's client knows it: the message that follows it."""
    b = governed.b
    height = b.chain.height + 4
    routes = b.chain.app.pipeline.messages()
    message = plan_message(governed, height)
    route = routes["/ibc.core.client.v1.MsgIBCSoftwareUpgrade"]
    b.inside(lambda ctx: route.deliver(ctx, message))
    while b.chain.height < height - 1:
        b.chain.make_block([])
    with pytest.raises(UpgradeNeeded):
        b.chain.make_block([])
    client = ForeignClient(governed.a.relayer, b.relayer, CLIENT_ON_A)
    client.update_to(height)  # the header that holds the app hash of the block before
    tree = b.chain.app.store

    def prove(path):
        value, proofs = tree.prove("upgrade", path, height - 1)
        return decode_any(value), encode_merkle_proof(proofs)

    state, client_proof = prove(paths.upgraded_client_path(height))
    consensus, consensus_proof = prove(paths.upgraded_consensus_state_path(height))
    return MsgUpgradeClient(CLIENT_ON_A, state, consensus, client_proof, consensus_proof, governed.relayer)


def test_the_client_follows(governed, upgraded):
    stage = governed.stage()
    before = store.client_state(stage.ctx, CLIENT_ON_A)
    attempt = stage.attempt(upgraded)
    assert (attempt.error, attempt.response) == (None, b"")
    after = store.client_state(stage.ctx, CLIENT_ON_A)
    assert (after.chain_id, after.latest_height.revision_number) == ("beta-2", 2)
    assert after.trusting_period_ns == before.trusting_period_ns
    assert attempt.events == (
        (
            "upgrade_client",
            (
                ("client_id", CLIENT_ON_A),
                ("client_type", "07-tendermint"),
                ("consensus_height", str(after.latest_height)),
            ),
        ),
        ("message", (("module", "ibc_client"),)),
    )
    first = store.consensus_state(stage.ctx, CLIENT_ON_A, after.latest_height)
    assert first.root == SENTINEL_ROOT
    assert (
        first.next_validators_hash
        == governed.b.chain.record(before.latest_height.revision_height - 1).header.next_validators_hash
    )
    expect_refusal(stage, upgraded, InvalidHeight)


def edited(**changes):
    def change(_, message):
        state = state_codec.decode_client_state(message.client_state.value)._replace(**changes)
        raw = state_codec.encode_client_state(state)
        return replace(message, client_state=AnyMessage(message.client_state.type_url, raw))

    return change


def swapped(_, message):
    return replace(message, client_proof=message.consensus_proof, consensus_proof=message.client_proof)


def other_consensus(_, message):
    state = state_codec.decode_consensus_state(message.consensus_state.value)
    raw = state_codec.encode_consensus_state(state._replace(next_validators_hash=b"x" * 32))
    return replace(message, consensus_state=AnyMessage(message.consensus_state.type_url, raw))


UPGRADE_ROWS = [
    *signer_rows(),
    Row("no state", setting(client_state=AnyMessage("", b"")), UnpackAny),
    Row("types differ", setting(consensus_state=SOLO_CONSENSUS), InvalidUpgradeClient),
    Row("no client proof", setting(client_proof=b""), InvalidUpgradeClient),
    Row("no consensus proof", setting(consensus_proof=b""), InvalidUpgradeClient),
    Row("malformed id", setting(client_id="07/t-0"), InvalidIdentifier),
    Row("no such client", setting(client_id="07-tendermint-99"), ClientNotActive),
    Row("frozen", mutating(lambda ctx, _: freeze_client(ctx, CLIENT_ON_A)), ClientNotActive),
    Row("not higher", edited(latest_height=Height(1, 1)), InvalidHeight),
    Row("other chain", edited(chain_id="gamma-2"), InvalidProof),
    Row("other unbonding", edited(unbonding_period_ns=7), InvalidProof),
    Row("proofs swapped", swapped, InvalidProof),
    Row("garbage proof", setting(client_proof=b"\xff"), InvalidProof),
    Row("other consensus state", other_consensus, InvalidProof),
]


@pytest.mark.parametrize("row", UPGRADE_ROWS, ids=repr)
def test_upgrades_that_are_refused(governed, upgraded, row):
    stage = governed.stage()
    bad = row.change(stage, upgraded)
    before = stage.writes()
    check_row(stage, bad, row._replace(change=setting()))
    assert stage.writes() == before


def test_a_solo_machine_and_the_localhost_cannot_be_upgraded(governed, upgraded):
    expect_refusal(governed.stage(), replace(upgraded, client_id="09-localhost"), InvalidUpgradeClient)


def test_a_state_of_no_known_type_is_not_read(governed, upgraded):
    unknown = AnyMessage("/ibc.core.client.v1.Height", encode(state_codec.client_pb2.Height()))
    expect_refusal(governed.stage(), replace(upgraded, client_state=unknown), TxDecode)


def no_duration(packed):
    """The client state with an unbonding period that Go reads as no duration."""
    raw = tendermint_pb2.ClientState.FromString(packed.value)
    raw.unbonding_period.seconds = 2**63 - 1
    return replace(packed, value=raw.SerializeToString())


def test_a_plan_of_a_state_that_cannot_be_read_is_no_message_whoever_signed(governed):
    stage = governed.stage(governed.b)
    message = plan_message(governed, stage.ctx.height.revision_height + 3)
    odd = replace(message, upgraded_client_state=no_duration(message.upgraded_client_state), signer=NOBODY)
    attempt = stage.attempt(odd)
    assert type(attempt.error) is TxDecode
    assert "unbonding_period" in str(attempt.error)
    assert stage.writes() == {}


@pytest.mark.parametrize("field", ["client_state", "consensus_state"])
def test_an_upgrade_with_a_state_that_cannot_be_read_is_no_message(field):
    raw = tendermint_pb2.ConsensusState()
    raw.timestamp.nanos = 10**9
    states = {
        "client_state": no_duration(client_state("beta-2", 9, ClientSettings())),
        "consensus_state": AnyMessage(state_codec.CONSENSUS_STATE_TYPE_URL, raw.SerializeToString()),
    }
    good = {
        "client_state": client_state("beta-2", 9, ClientSettings()),
        "consensus_state": AnyMessage(state_codec.CONSENSUS_STATE_TYPE_URL, b""),
    }
    told = {**good, field: states[field]}
    message = MsgUpgradeClient(CLIENT_ON_A, **told, client_proof=b"p", consensus_proof=b"q", signer="")
    with pytest.raises(TxDecode, match=r"not a (duration|timestamp)"):
        message.check(SimpleNamespace(client_types=Registry(builtin_light_clients())))
