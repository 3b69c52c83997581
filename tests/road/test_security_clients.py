"""What has fooled other light clients, tried through MsgUpdateClient; names begin as in docs/security.md."""

from dataclasses import replace

import pytest

from conformance.kit.forged_headers import FORGERIES, other_state
from conformance.kit.headers import header_of, resigned
from conformance.kit.refusals import expect_refusal
from conformance.kit.sides import CLIENT_ON_A
from light_client.tendermint import store
from light_client.tendermint.codec import pack_client_header
from light_client.tendermint.hashing import validator_set_hash
from light_client.tendermint.misbehaviour import encode_misbehaviour
from light_client.tendermint.types import ABSENT, FLAG_NIL, Misbehaviour, ValidatorSet
from localnet.consensus.sign_state import validator_keys
from pyibc.codec.anys import AnyMessage
from pyibc.core.errors import (
    DuplicateVote,
    HeaderFromFuture,
    IbcError,
    InvalidClientHeader,
    InvalidHeaderHeight,
    InvalidMisbehaviour,
    InvalidValidatorSet,
    MalformedValidatorSet,
    NotEnoughPower,
    WrongBlockId,
    WrongChainId,
    WrongCommitHeight,
    WrongCommitSize,
    WrongSignature,
    WrongValidatorAddress,
)
from pyibc.proto.ibc.lightclients.tendermint.v1 import tendermint_pb2 as pb

MISBEHAVIOUR = "/ibc.lightclients.tendermint.v1.Misbehaviour"


@pytest.fixture
def ahead(scene):
    """Chain b is well beyond what chain a's client knows."""
    while scene.b.chain.height < scene.pair.known(scene.a).revision_height + 3:
        scene.b.chain.make_block([])
    return scene


def header(scene, height=None):
    known = scene.pair.known(scene.a).revision_height
    return header_of(scene.b.chain, height or scene.b.chain.height, known)


def adjacent(scene):
    return header(scene, scene.pair.known(scene.a).revision_height + 1)


def update(scene, told):
    return replace(scene.to_a.update_client(), client_message=pack_client_header(told))


def refused(scene, told, error):
    return expect_refusal(scene.stage(scene.a), update(scene, told), error)


def with_signatures(told, signatures):
    return told._replace(commit=told.commit._replace(signatures=tuple(signatures)))


def test_h24_signatures_of_another_block_do_not_count(ahead):
    honest = header(ahead)
    fork = other_state(honest, ahead.b.chain.keyring)
    mixed = with_signatures(honest, fork.commit.signatures)
    refused(ahead, mixed, WrongSignature)
    refused(ahead, honest._replace(commit=fork.commit), WrongBlockId)  # whole, and of another block
    assert ahead.stage(ahead.a).attempt(update(ahead, honest)).error is None


@pytest.mark.parametrize("where", [adjacent, header])
def test_h25_nil_votes_do_not_count(ahead, where):
    honest = where(ahead)
    flags = {member.address: FLAG_NIL for member in honest.validator_set.validators}
    told = resigned(honest, ahead.b.chain.keyring, flags=flags)
    error = refused(ahead, told, NotEnoughPower if where is adjacent else FORGERIES["usurped"].error)
    assert error.got == 0


@pytest.mark.parametrize("where", [adjacent, header])
def test_h26_a_validator_counts_once(ahead, where):
    honest = where(ahead)
    first, _, *rest = honest.commit.signatures
    told = with_signatures(honest, [first, first, *rest])
    refused(ahead, told, WrongValidatorAddress if where is adjacent else DuplicateVote)


@pytest.mark.parametrize("field", ["address", "pub_key"])
def test_h26_an_address_is_that_of_its_key(ahead, field):
    message = update(ahead, header(ahead))
    wire = pb.Header.FromString(message.client_message.value)
    first, second = wire.validator_set.validators[:2]
    if field == "address":
        first.address = second.address
    else:
        first.pub_key.CopyFrom(second.pub_key)
    spoilt = AnyMessage(message.client_message.type_url, wire.SerializeToString())
    expect_refusal(ahead.stage(ahead.a), replace(message, client_message=spoilt), MalformedValidatorSet)


@pytest.mark.parametrize(
    ("which", "error"), [("validator_set", InvalidClientHeader), ("trusted_validators", InvalidValidatorSet)]
)
def test_h26_a_set_that_the_chain_has_not_committed_to(ahead, which, error):
    message = update(ahead, header(ahead))
    wire = pb.Header.FromString(message.client_message.value)
    members = getattr(wire, which).validators
    members.add().CopyFrom(members[0])
    spoilt = AnyMessage(message.client_message.type_url, wire.SerializeToString())
    expect_refusal(ahead.stage(ahead.a), replace(message, client_message=spoilt), error)


@pytest.mark.parametrize("blocks", [1, 2])
def test_h26_a_validator_stands_in_a_set_once(ahead, blocks):
    """A chain that commits to one of its validators twice: as the next block's set, or as a trusted one."""
    honest, ring = header(ahead, ahead.b.chain.height), ahead.b.chain.keyring
    twice = doubled(honest.validator_set)
    stage = ahead.stage(ahead.a)
    before = resigned(honest, ring, next_validators_hash=validator_set_hash(twice))
    assert stage.attempt(update(ahead, before)).error is None
    for _ in range(blocks):
        ahead.b.chain.make_block([])
    later = resigned(header(ahead), ring, validators=twice if blocks == 1 else None)._replace(
        trusted_height=honest.trusted_height._replace(revision_height=honest.header.height),
        trusted_validators=twice,
    )
    expect_refusal(stage, update(ahead, later), MalformedValidatorSet)


def doubled(members):
    return ValidatorSet((members.validators[0], *members.validators))


@pytest.mark.parametrize("chain_id", ["beta-2", "beta", "alpha-1", "beta-1 ", "Beta-1"])
def test_h27_the_same_validators_on_another_chain(ahead, chain_id):
    told = resigned(header(ahead), ahead.b.chain.keyring, chain_id=chain_id)
    stage = ahead.stage(ahead.a)
    attempt = stage.attempt(update(ahead, told))
    assert isinstance(attempt.error, IbcError)
    assert attempt.writes == {}
    if chain_id.endswith("-1"):
        assert type(attempt.error) is WrongChainId


@pytest.mark.parametrize(("beyond", "accepted"), [(-1, True), (0, False), (1, False)])
def test_h28_the_future_begins_at_now_plus_the_drift(ahead, beyond, accepted):
    stage = ahead.stage(ahead.a)
    drift = store.client_state(stage.ctx, CLIENT_ON_A).max_clock_drift_ns
    told = resigned(header(ahead), ahead.b.chain.keyring, time_ns=stage.ctx.time_ns + drift + beyond)
    attempt = stage.attempt(update(ahead, told))
    if accepted:
        assert attempt.error is None
    else:
        assert type(attempt.error) is HeaderFromFuture
        assert (attempt.error.now_ns, attempt.error.drift_ns) == (stage.ctx.time_ns, drift)
        assert attempt.writes == {}


def test_h29_priorities_decide_nothing(ahead):
    """Whoever hands a header in may write what he likes there: verdict and state are the same."""
    honest = update(ahead, header(ahead))
    wire = pb.Header.FromString(honest.client_message.value)
    for members in (wire.validator_set, wire.trusted_validators):
        for number, member in enumerate(members.validators):
            member.proposer_priority = (-1) ** number * (2**62 + number)
        members.proposer.CopyFrom(members.validators[-1])
    told = AnyMessage(honest.client_message.type_url, wire.SerializeToString())
    spoilt, plain = ahead.stage(ahead.a), ahead.stage(ahead.a)
    assert spoilt.attempt(replace(honest, client_message=told)).error is None
    assert plain.attempt(honest).error is None
    assert spoilt.writes() == plain.writes()


@pytest.mark.parametrize("which", ["validator_set", "trusted_validators"])
def test_h29_the_proposer_is_one_of_the_set(ahead, which):
    message = update(ahead, header(ahead))
    wire = pb.Header.FromString(message.client_message.value)
    stranger = validator_keys("stranger", 1)[0].validator(5)
    proposer = getattr(wire, which).proposer
    proposer.address, proposer.pub_key.ed25519 = stranger.address, stranger.public_key
    spoilt = AnyMessage(message.client_message.type_url, wire.SerializeToString())
    expect_refusal(ahead.stage(ahead.a), replace(message, client_message=spoilt), MalformedValidatorSet)


def test_h30_every_vote_is_bound_to_the_validator_in_its_place(ahead):
    honest = adjacent(ahead)
    first, second, *rest = honest.commit.signatures
    swapped = [
        first._replace(validator_address=second.validator_address),
        second._replace(validator_address=first.validator_address),
    ]
    refused(ahead, with_signatures(honest, [*swapped, *rest]), WrongValidatorAddress)


def test_h30_every_vote_that_carries_trust_is_bound_to_its_validator(ahead):
    """Not adjacent: votes are looked up by address, so a swapped one has another's signature."""
    honest = header(ahead)
    refused(ahead, FORGERIES["addresses_swapped"].forge(honest, ahead.b.chain.keyring), WrongSignature)
    refused(ahead, FORGERIES["signatures_swapped"].forge(honest, ahead.b.chain.keyring), WrongSignature)


@pytest.mark.parametrize("where", [adjacent, header])
@pytest.mark.parametrize(
    "change", [lambda sigs: sigs[:-1], lambda sigs: [*sigs, ABSENT]], ids=["less", "more"]
)
def test_h30_a_commit_has_one_entry_for_each_validator(ahead, where, change):
    honest = where(ahead)
    told = with_signatures(honest, change(list(honest.commit.signatures)))
    refused(ahead, told, WrongCommitSize)


@pytest.mark.parametrize("power", [-1, -(2**63), 2**63 - 1, 2**60])
@pytest.mark.parametrize("which", ["validator_set", "trusted_validators"])
def test_h31_powers_stay_within_64_bits(ahead, power, which):
    message = update(ahead, header(ahead))
    wire = pb.Header.FromString(message.client_message.value)
    getattr(wire, which).validators[0].voting_power = power
    spoilt = AnyMessage(message.client_message.type_url, wire.SerializeToString())
    expect_refusal(ahead.stage(ahead.a), replace(message, client_message=spoilt), MalformedValidatorSet)


def test_h31_a_validator_without_power_is_not_the_one_in_the_hash(ahead):
    message = update(ahead, header(ahead))
    wire = pb.Header.FromString(message.client_message.value)
    wire.validator_set.validators[0].voting_power = 0
    spoilt = AnyMessage(message.client_message.type_url, wire.SerializeToString())
    expect_refusal(ahead.stage(ahead.a), replace(message, client_message=spoilt), InvalidClientHeader)


def evidence(scene, one, two):
    raw = encode_misbehaviour(Misbehaviour(CLIENT_ON_A, one, two))
    return replace(scene.to_a.update_client(), client_message=AnyMessage(MISBEHAVIOUR, raw))


EDITS = {
    "height": lambda h: {"height": h.height - 1},
    "time": lambda h: {"time_ns": h.time_ns - 1},
    "app hash": lambda h: {"app_hash": b"\x0e" * 32},
    "next validators": lambda h: {"next_validators_hash": b"\x0e" * 32},
}


@pytest.mark.parametrize("name", EDITS)
@pytest.mark.parametrize("place", [0, 1])
def test_h32_an_edited_header_beside_a_real_commit_does_not_freeze(ahead, name, place):
    honest = header(ahead)
    edited = honest._replace(header=honest.header._replace(**EDITS[name](honest.header)))
    pair = [honest, honest]
    pair[place] = edited
    expect_refusal(ahead.stage(ahead.a), evidence(ahead, *pair), InvalidMisbehaviour)


@pytest.mark.parametrize("name", EDITS)
@pytest.mark.parametrize("where", [adjacent, header])
def test_h32_an_edited_header_is_no_update(ahead, name, where):
    honest = where(ahead)
    edited = honest._replace(header=honest.header._replace(**EDITS[name](honest.header)))
    attempt = ahead.stage(ahead.a).attempt(update(ahead, edited))
    assert type(attempt.error) in {WrongBlockId, WrongCommitHeight, InvalidHeaderHeight}
    assert attempt.writes == {}


def test_h32_the_same_header_twice_does_not_freeze(ahead):
    stage, honest = ahead.stage(ahead.a), header(ahead)
    stage.attempt(evidence(ahead, honest, honest))
    assert store.client_state(stage.ctx, CLIENT_ON_A).frozen_height.is_zero


def test_h32_evidence_that_too_few_signed_does_not_freeze(ahead):
    honest = header(ahead)
    fork = other_state(honest, ahead.b.chain.keyring)
    weak = with_signatures(fork, [*fork.commit.signatures[:1], *[ABSENT] * 3])
    expect_refusal(ahead.stage(ahead.a), evidence(ahead, honest, weak), InvalidMisbehaviour)


def test_h32_evidence_that_a_third_signed_does_not_freeze(ahead):
    """Two of four carry the client's trust, but no block of a chain."""
    honest = header(ahead)
    fork = other_state(honest, ahead.b.chain.keyring)
    weak = with_signatures(fork, [*fork.commit.signatures[:2], ABSENT, ABSENT])
    expect_refusal(ahead.stage(ahead.a), evidence(ahead, honest, weak), InvalidMisbehaviour)


def test_h32_evidence_of_strangers_does_not_freeze(ahead):
    """A block that another chain's validators committed, under this chain's name."""
    honest = header(ahead)
    usurped = FORGERIES["usurped"].forge(honest, ahead.b.chain.keyring)
    for pair in ((honest, usurped), (usurped, honest)):
        expect_refusal(ahead.stage(ahead.a), evidence(ahead, *pair), InvalidMisbehaviour)


def test_h32_a_real_fork_freezes(ahead):
    """What all of the above must not: two headers of one height, both committed."""
    honest, stage = header(ahead), ahead.stage(ahead.a)
    fork = other_state(honest, ahead.b.chain.keyring)
    assert stage.attempt(evidence(ahead, honest, fork)).error is None
    assert not store.client_state(stage.ctx, CLIENT_ON_A).frozen_height.is_zero


def test_h32_evidence_in_the_wrong_order_does_not_freeze(ahead):
    lower = header(ahead, ahead.b.chain.height - 1)
    expect_refusal(ahead.stage(ahead.a), evidence(ahead, lower, header(ahead)), InvalidMisbehaviour)


def test_h32_evidence_for_another_client_is_judged_by_that_clients_chain(scene):
    """Honest headers of chain a are no evidence against b's client of another chain."""
    honest = header_of(scene.a.chain, scene.a.chain.height, scene.a.chain.height - 1)
    raw = encode_misbehaviour(Misbehaviour(CLIENT_ON_A, honest, honest))
    message = replace(scene.to_a.update_client(), client_message=AnyMessage(MISBEHAVIOUR, raw))
    attempt = scene.stage(scene.a).attempt(message)
    assert attempt.writes == {}
