"""Creating and updating a client: good cases, and every check of the way there as a row."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from conformance.kit.forged_headers import EQUIVOCATIONS
from conformance.kit.headers import header_of
from conformance.kit.mutate_state import allow_clients, forget_consensus_state, freeze_client
from conformance.kit.refusal_rows import signer_rows
from conformance.kit.refusals import Row, check_row, expect_refusal, expect_undone, mutating, setting
from conformance.kit.sides import CLIENT_ON_A
from light_client.registry import Registry, builtin_light_clients
from light_client.tendermint import states as state_codec
from light_client.tendermint import store
from light_client.tendermint.codec import decode_client_header, pack_client_header
from light_client.tendermint.misbehaviour import encode_misbehaviour
from light_client.tendermint.types import Misbehaviour, ValidatorSet
from pyibc.codec.anys import AnyMessage
from pyibc.core import paths
from pyibc.core.address import AddressCodec
from pyibc.core.client.messages import MsgCreateClient, MsgSubmitMisbehaviour
from pyibc.core.errors import (
    ClientNotActive,
    ClientRouteNotFound,
    ConsensusStateNotFound,
    IbcError,
    InvalidAddress,
    InvalidClientHeader,
    InvalidClientType,
    InvalidConsensus,
    InvalidHeaderHeight,
    InvalidIdentifier,
    InvalidTendermintChainId,
    InvalidValidatorSet,
    MalformedValidatorSet,
    TooLarge,
    TxDecode,
    UnpackAny,
)
from pyibc.core.height import Height
from pyibc.core.wire.message import pack_msg
from pyibc.proto.ibc.lightclients.tendermint.v1 import tendermint_pb2 as pb
from pyibc.relayer.clients.tendermint import DAY
from tests.sampling import sample

MISBEHAVIOUR = "/ibc.lightclients.tendermint.v1.Misbehaviour"

# -- create


def within(name, kind):
    """Edits the state inside the message."""

    def applied(edit, message):
        packed = getattr(message, name)
        state = kind.FromString(packed.value)
        edit(state)
        return replace(message, **{name: AnyMessage(packed.type_url, state.SerializeToString())})

    return lambda edit: lambda _, message: applied(edit, message)


client_state = within("client_state", pb.ClientState)
consensus_state = within("consensus_state", pb.ConsensusState)


def field(name, value):
    return lambda state: setattr(state, name, value)


def frozen(state):
    state.frozen_height.revision_height = 1


STATE_ROWS = [
    Row("chain id empty", client_state(field("chain_id", "")), InvalidTendermintChainId),
    Row("root of 31 bytes", consensus_state(lambda s: setattr(s.root, "hash", b"r" * 31)), InvalidConsensus),
]
"""One of each state: the others are in tests/unit/light_client/test_states.py."""


def typed(name, url, value=b""):
    return setting(**{name: AnyMessage(url, value)})


CREATE_ROWS = [
    *signer_rows(),
    *STATE_ROWS,
    Row("client state missing", typed("client_state", ""), UnpackAny),
    Row("client state of no type", typed("client_state", "/nobody.ClientState"), TxDecode),
    Row(
        "client state is a header", typed("client_state", "/ibc.lightclients.tendermint.v1.Header"), TxDecode
    ),
    Row("consensus state missing", typed("consensus_state", ""), UnpackAny),
    Row("consensus state of no type", typed("consensus_state", "/nobody.ConsensusState"), TxDecode),
    Row(
        "client state too large",
        client_state(lambda s: s.upgrade_path.extend(["x" * 1000] * 33)),
        TooLarge,
        {"field": "client_state", "limit": 32_768},
    ),
    Row("type not allowed", mutating(lambda ctx, _: allow_clients(ctx, "06-solomachine")), InvalidClientType),
]


@pytest.mark.parametrize("row", CREATE_ROWS, ids=repr)
def test_create_refuses(scene, row):
    check_row(scene.stage(scene.a), scene.to_a.create_client(), row)


def test_a_client_that_would_be_frozen_or_expired_is_not_created(scene):
    message = scene.to_a.create_client()
    born_frozen = client_state(frozen)(None, message)
    expect_undone(scene.stage(scene.a), born_frozen, ClientNotActive, status="Frozen")
    late = scene.stage(scene.a)
    late.ctx.time_ns += 15 * DAY
    expect_undone(late, message, ClientNotActive, status="Expired")


# -- update


def test_the_same_update_twice_changes_nothing_more(scene):
    stage = scene.stage(scene.a)
    scene.b.chain.make_block([])
    message = scene.to_a.update_client()
    stage.attempt(message)
    before = stage.writes()
    assert stage.attempt(message).error is None
    assert stage.writes() == before


@pytest.fixture
def ahead(scene):
    """B is two blocks beyond what A's client knows: its last header is not adjacent."""
    while scene.b.chain.height < scene.pair.known(scene.a).revision_height + 2:
        scene.b.chain.make_block([])
    return scene


def honest(scene):
    return header_of(scene.b.chain, scene.b.chain.height, scene.pair.known(scene.a).revision_height)


def update(scene, header):
    return replace(scene.to_a.update_client(), client_message=pack_client_header(header))


@pytest.mark.parametrize("name", EQUIVOCATIONS)
def test_two_headers_that_contradict_each_other_freeze_the_client(ahead, name):
    stage, true = ahead.stage(ahead.a), honest(ahead)
    stage.attempt(update(ahead, true))
    attempt = stage.attempt(update(ahead, EQUIVOCATIONS[name](true, ahead.b.chain.keyring)))
    assert (attempt.error, attempt.response) == (None, b"")
    assert attempt.writes.keys() == {("ibc", paths.client_state_path(CLIENT_ON_A))}
    assert not store.client_state(stage.ctx, CLIENT_ON_A).frozen_height.is_zero
    assert [kind for kind, _ in attempt.events] == ["client_misbehaviour", "message"]
    expect_refusal(stage, update(ahead, true), ClientNotActive, status="Frozen")


def evidence(scene, one, two):
    raw = encode_misbehaviour(Misbehaviour(CLIENT_ON_A, one, two))
    return replace(scene.to_a.update_client(), client_message=AnyMessage(MISBEHAVIOUR, raw))


def test_evidence_under_the_older_name_freezes_too(ahead):
    """MsgSubmitMisbehaviour, as Hermes sends it."""
    stage, true = ahead.stage(ahead.a), honest(ahead)
    message = evidence(ahead, true, EQUIVOCATIONS["other_state"](true, ahead.b.chain.keyring))
    older = MsgSubmitMisbehaviour(message.client_id, message.client_message, message.signer)
    attempt = stage.attempt(pack_msg(older))
    assert (attempt.error, attempt.response) == (None, b"")
    assert not store.client_state(stage.ctx, CLIENT_ON_A).frozen_height.is_zero


def test_evidence_of_nothing_changes_nothing(ahead):
    stage, true = ahead.stage(ahead.a), honest(ahead)
    attempt = stage.attempt(evidence(ahead, true, true))
    assert attempt.writes == {}


def header_setting(**changes):
    """Replaces fields of the header message."""

    def applied(_, message):
        header = decode_client_header(message.client_message.value)
        return replace(message, client_message=pack_client_header(header._replace(**changes)))

    return applied


def header_wire(edit):
    """Edits the header's protobuf message."""

    def applied(_, message):
        header = pb.Header.FromString(message.client_message.value)
        edit(header)
        url = message.client_message.type_url
        return replace(message, client_message=AnyMessage(url, header.SerializeToString()))

    return applied


def other_trusted_proposer(header):
    header.trusted_validators.proposer.address = b"\x01" * 20


def validator_twice(header):
    header.validator_set.validators.add().CopyFrom(header.validator_set.validators[0])


def both(first, second):
    return lambda stage, message: second(stage, first(stage, message))


UPDATE_ROWS = [
    *signer_rows(),
    Row("client id malformed", setting(client_id="x"), InvalidIdentifier, {"kind": "client"}),
    Row("client id with newline", setting(client_id="07-tendermint-0\n"), InvalidIdentifier),
    Row("client id without number", setting(client_id="07-tendermint-"), InvalidIdentifier),
    Row("client id with number too large", setting(client_id=f"07-tendermint-{2**64}"), InvalidIdentifier),
    Row("client unknown", setting(client_id="07-tendermint-9"), ClientNotActive, {"status": "Unknown"}),
    Row("client of no type", setting(client_id="solo-0"), ClientRouteNotFound),
    Row(
        "client frozen",
        mutating(lambda ctx, _: freeze_client(ctx, CLIENT_ON_A)),
        ClientNotActive,
        {"status": "Frozen"},
    ),
    Row(
        "client expired",
        mutating(lambda ctx, _: setattr(ctx, "time_ns", ctx.time_ns + 15 * DAY)),
        ClientNotActive,
        {"status": "Expired"},
    ),
    Row("type not allowed", mutating(lambda ctx, _: allow_clients(ctx, "06-solomachine")), InvalidClientType),
    Row("message missing", typed("client_message", ""), UnpackAny),
    Row("message of no type", typed("client_message", "/nobody.Header"), TxDecode),
    Row(
        "message is a client state",
        typed("client_message", "/ibc.lightclients.tendermint.v1.ClientState"),
        TxDecode,
    ),
    Row("signed header missing", header_wire(lambda h: h.ClearField("signed_header")), InvalidClientHeader),
    Row("trusted proposer of nobody", header_wire(other_trusted_proposer), MalformedValidatorSet),
    Row(
        "trusted proposer of nobody, client frozen",
        both(header_wire(other_trusted_proposer), mutating(lambda ctx, _: freeze_client(ctx, CLIENT_ON_A))),
        ClientNotActive,
    ),
    Row("a validator twice", header_wire(validator_twice), InvalidClientHeader),
    Row("trusted validators missing", header_setting(trusted_validators=None), InvalidValidatorSet),
    Row("trusted height not below", header_setting(trusted_height=Height(1, 10**6)), InvalidHeaderHeight),
    Row(
        "trusted height of another revision",
        header_setting(trusted_height=Height(0, 5)),
        ConsensusStateNotFound,
    ),
    Row("trusted height zero", header_setting(trusted_height=Height(0, 0)), ConsensusStateNotFound),
]


@pytest.mark.parametrize("row", UPDATE_ROWS, ids=repr)
def test_update_refuses(ahead, row):
    check_row(ahead.stage(ahead.a), ahead.to_a.update_client(), row)


def test_a_height_that_was_pruned_is_no_base(ahead):
    stage = ahead.stage(ahead.a)
    known = ahead.pair.known(ahead.a)
    older = store.oldest_height(stage.ctx, CLIENT_ON_A)
    message = header_setting(trusted_height=older)(stage, ahead.to_a.update_client())
    forget_consensus_state(stage.ctx, CLIENT_ON_A, older)
    assert older < known
    expect_refusal(stage, message, ConsensusStateNotFound)


def test_other_trusted_validators_than_announced_are_refused(ahead):
    header = honest(ahead)
    first, *rest = header.trusted_validators.validators
    others = ValidatorSet([first._replace(power=first.power + 1), *rest])
    message = update(ahead, header._replace(trusted_validators=others))
    expect_refusal(ahead.stage(ahead.a), message, InvalidValidatorSet)


def test_a_bit_flipped_anywhere_in_a_header_never_gets_a_state_in(ahead):
    """A flip is refused with an error of the tree, or touches what no hash covers and changes nothing."""
    message = ahead.to_a.update_client()
    raw, good = message.client_message.value, ahead.stage(ahead.a).attempt(message)
    for at in sample(range(len(raw)), 120, "a flipped bit of a header"):
        spoilt = bytearray(raw)
        spoilt[at] ^= 1 << at % 8
        flipped = AnyMessage(message.client_message.type_url, bytes(spoilt))
        attempt = ahead.stage(ahead.a).attempt(replace(message, client_message=flipped))
        if attempt.error is None:
            assert attempt.writes == good.writes, at
        else:
            assert isinstance(attempt.error, IbcError), at
            assert (attempt.writes, attempt.events) == ({}, ()), at


# -- what Go's decoder of transactions refuses comes before a wrong signer

CHAIN = SimpleNamespace(addresses=AddressCodec("cosmos"), client_types=Registry(builtin_light_clients()))
NO_ADDRESS = "cosmos1nobody"
NO_DURATION = pb.ClientState(unbonding_period={"seconds": 2**63 - 1}).SerializeToString()
NO_TIME = pb.ConsensusState(timestamp={"nanos": 10**9}).SerializeToString()
STATES = state_codec.CLIENT_STATE_TYPE_URL, state_codec.CONSENSUS_STATE_TYPE_URL


@pytest.mark.parametrize(
    ("states", "error"),
    [
        ((NO_DURATION, b""), TxDecode),
        ((b"", NO_TIME), TxDecode),
        ((b"", b""), InvalidAddress),
        ((NO_DURATION + b"\0" * 32_768, b""), TooLarge),
    ],
    ids=["no duration", "no time", "readable", "too large to be read"],
)
def test_a_new_client_s_states_are_read_before_a_wrong_signer_is_seen(states, error):
    packed = [AnyMessage(*each) for each in zip(STATES, states, strict=True)]
    with pytest.raises(error) as refused:
        MsgCreateClient(*packed, NO_ADDRESS).check(CHAIN)
    assert type(refused.value) is error


@pytest.mark.parametrize(
    ("nanos", "error"), [(10**9, TxDecode), (0, InvalidAddress)], ids=["no time", "readable"]
)
def test_a_header_is_read_before_a_wrong_signer_is_seen(ahead, nanos, error):
    message = replace(update(ahead, honest(ahead)), signer=NO_ADDRESS)
    header = pb.Header.FromString(message.client_message.value)
    header.signed_header.commit.signatures[0].timestamp.nanos = nanos
    packed = AnyMessage(message.client_message.type_url, header.SerializeToString())
    expect_refusal(ahead.stage(ahead.a), replace(message, client_message=packed), error)
