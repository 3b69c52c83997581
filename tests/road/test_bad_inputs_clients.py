"""Bad inputs of clients, headers and evidence, as MsgCreateClient and MsgUpdateClient bring them in.

The numbers are those of `bad_inputs.toml`, which lists all of them with the test of each.
"""

from dataclasses import replace

import pytest

from conformance.kit.ends import CLIENT_ON_A
from conformance.kit.headers import header_of, resigned
from conformance.kit.refusals import Row, check_row, expect_refusal, setting
from conformance.kit.solo_machine import SoloMachine
from ibc_core.any_message import AnyMessage
from ibc_core.client.upgrade import MsgUpgradeClient
from ibc_core.errors import (
    ClientNotActive,
    ConsensusStateNotFound,
    InvalidClientType,
    InvalidHeaderHeight,
    InvalidIdentifier,
    InvalidMisbehaviour,
    InvalidProof,
    InvalidProofSpecs,
    InvalidTendermintChainId,
    MalformedCommit,
    MalformedValidatorSet,
    TooLarge,
    TxDecode,
    WrongBlockId,
    WrongSignature,
)
from ibc_core.height import Height
from ibc_proto.ibc.lightclients.tendermint.v1 import tendermint_pb2 as pb
from light_client.tendermint import store
from light_client.tendermint.codec import pack_client_header
from light_client.tendermint.misbehaviour import encode_misbehaviour
from light_client.tendermint.types import BlockId, Misbehaviour

MISBEHAVIOUR = "/ibc.lightclients.tendermint.v1.Misbehaviour"
LIMIT = 32_768


@pytest.fixture
def ahead(scene):
    """Chain b is well beyond what chain a's client knows."""
    while scene.b.chain.height < scene.pair.known(scene.a).revision_height + 3:
        scene.b.chain.make_block([])
    return scene


# -- creating a client


def wire_edit(field, kind, edit):
    """Edits a protobuf message that a field of the message holds."""

    def applied(_, message):
        packed = getattr(message, field)
        wire = kind.FromString(packed.value)
        edit(wire)
        return replace(message, **{field: AnyMessage(packed.type_url, wire.SerializeToString())})

    return applied


def state(edit):
    return wire_edit("client_state", pb.ClientState, edit)


def of_size(size):
    """Fills the client state up to a number of bytes, with a path that nobody forbids."""

    def edit(wire):
        wire.upgrade_path.append("")
        room = size - wire.ByteSize()
        wire.upgrade_path[-1] = "x" * (room - 2)
        assert wire.ByteSize() == size

    return edit


def with_empty_spec(wire):
    wire.proof_specs.add()


SOLO_CONSENSUS = SoloMachine("other").states()[1]

CREATE = [
    Row(
        "4 value of 32,769 bytes",
        state(of_size(LIMIT + 1)),
        TooLarge,
        {"field": "client_state", "size": LIMIT + 1, "limit": LIMIT},
    ),
    Row("5 consensus state of another type", setting(consensus_state=SOLO_CONSENSUS), InvalidClientType),
    Row(
        "6 revision of 2^64",
        state(lambda s: setattr(s, "chain_id", f"beta-{2**64}")),
        InvalidTendermintChainId,
    ),
    Row("11 empty entry", state(with_empty_spec), InvalidProofSpecs),
]


@pytest.mark.parametrize("row", CREATE, ids=repr)
def test_create(scene, row):
    error = check_row(scene.stage(scene.a), scene.to_a.create_client(), row)
    assert str(error)


def test_4_a_value_of_32768_bytes_is_not_too_large(scene):
    message = state(of_size(LIMIT))(None, scene.to_a.create_client())
    assert scene.stage(scene.a).attempt(message).error is None


# -- updating a client: its name


NAMES = {
    "empty": ("", InvalidIdentifier),
    "no number": ("07-tendermint-", InvalidIdentifier),
    # a leading zero is part of a name for ibc-go, and nobody has this one
    "leading zero": ("07-tendermint-01", ClientNotActive),
    "number of 2^64": (f"07-tendermint-{2**64}", InvalidIdentifier),
    "slash": ("07-tendermint-0/x", InvalidIdentifier),
    "newline": ("07-tendermint-0\n", InvalidIdentifier),
}


@pytest.mark.parametrize("name", NAMES)
def test_14_client_id(ahead, name):
    text, error = NAMES[name]
    message = replace(ahead.to_a.update_client(), client_id=text)
    refusal = expect_refusal(ahead.stage(ahead.a), message, error)
    assert text.rstrip("\n") in str(refusal)


# -- updating a client: the header


def honest(scene, height=None):
    known = scene.pair.known(scene.a).revision_height
    return header_of(scene.b.chain, height or scene.b.chain.height, known)


def update(scene, header):
    return replace(scene.to_a.update_client(), client_message=pack_client_header(header))


def header_wire(edit):
    return wire_edit("client_message", pb.Header, edit)


def skipped(scene):
    """A height below the latest that chain a's client does not know."""
    stage, at = scene.stage(scene.a), scene.pair.known(scene.a)
    while store.find_consensus_state(stage.ctx, CLIENT_ON_A, at) is not None:
        at = at._replace(revision_height=at.revision_height - 1)
    return at


def test_17_trusted_height_is_the_headers(ahead):
    header = honest(ahead)
    told = header._replace(trusted_height=Height(1, header.header.height))
    refusal = expect_refusal(ahead.stage(ahead.a), update(ahead, told), InvalidHeaderHeight)
    assert "trusted height" in str(refusal)


def test_17_no_consensus_state_there(ahead):
    at = skipped(ahead)
    told = honest(ahead)._replace(trusted_height=at)
    refusal = expect_refusal(ahead.stage(ahead.a), update(ahead, told), ConsensusStateNotFound)
    assert str(at) in str(refusal)


def with_first(header, **changes):
    first, *rest = header.commit.signatures
    commit = header.commit._replace(signatures=(first._replace(**changes), *rest))
    return header._replace(commit=commit)


SIGNATURES = {
    "flag 0": {"flag": 0},
    "flag 4": {"flag": 4},
    "signature of 0 bytes": {"signature": b""},
    "signature of 97 bytes": {"signature": b"s" * 97},
    "absent with data": {"flag": 1},
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_22_commit_sig(ahead, name):
    told = with_first(honest(ahead), **SIGNATURES[name])
    refusal = expect_refusal(ahead.stage(ahead.a), update(ahead, told), MalformedCommit)
    assert refusal.field == "signature 0"


def test_21_block_id_of_another_header(ahead):
    header = honest(ahead)
    commit = header.commit._replace(block_id=header.commit.block_id._replace(hash=b"\x0e" * 32))
    expect_refusal(ahead.stage(ahead.a), update(ahead, header._replace(commit=commit)), WrongBlockId)


def test_21_part_set_of_0(ahead):
    """CometBFT takes a total of 0 for well-formed; the validators signed another one."""
    header = honest(ahead)
    block_id = header.commit.block_id
    commit = header.commit._replace(block_id=BlockId(block_id.hash, 0, block_id.part_set_hash))
    expect_refusal(ahead.stage(ahead.a), update(ahead, header._replace(commit=commit)), WrongSignature)


@pytest.mark.parametrize("nanos", [10**9, -1])
def test_23_nanos(ahead, nanos):
    message = header_wire(lambda h: setattr(h.signed_header.header.time, "nanos", nanos))(
        None, update(ahead, honest(ahead))
    )
    refusal = expect_refusal(ahead.stage(ahead.a), message, TxDecode)
    assert refusal.reason == "header: time is not a timestamp"


def unknown_key(key):
    key.ClearField("ed25519")


KEYS = {
    "ed25519 of 31 bytes": lambda key: setattr(key, "ed25519", b"k" * 31),
    "unknown type": unknown_key,
    "secp256k1 uncompressed": lambda key: setattr(key, "secp256k1", b"\x04" + b"k" * 64),
}


@pytest.mark.parametrize("name", KEYS)
def test_24_public_key(ahead, name):
    edit = KEYS[name]
    message = header_wire(lambda h: edit(h.validator_set.validators[0].pub_key))(
        None, update(ahead, honest(ahead))
    )
    refusal = expect_refusal(ahead.stage(ahead.a), message, MalformedValidatorSet)
    assert refusal.field == "pub_key"


# -- evidence


def evidence(scene, one, two):
    raw = encode_misbehaviour(Misbehaviour(CLIENT_ON_A, one, two))
    return replace(scene.to_a.update_client(), client_message=AnyMessage(MISBEHAVIOUR, raw))


def is_frozen(stage):
    return not store.client_state(stage.ctx, CLIENT_ON_A).frozen_height.is_zero


def test_25_times_are_fine(ahead):
    """Two honest headers of two heights: no error, as in ibc-go, and nothing freezes."""
    stage = ahead.stage(ahead.a)
    attempt = stage.attempt(evidence(ahead, honest(ahead), honest(ahead, ahead.b.chain.height - 1)))
    assert (attempt.error, attempt.writes, is_frozen(stage)) == (None, {}, False)


def test_25_another_chain_id(ahead):
    header = honest(ahead)
    other = resigned(header, ahead.b.chain.keyring, chain_id="other-1")
    for pair in ((header, other), (other, header)):
        stage = ahead.stage(ahead.a)
        refusal = expect_refusal(stage, evidence(ahead, *pair), InvalidMisbehaviour)
        assert "chain id" in str(refusal)
        assert not is_frozen(stage)


# -- upgrades


def test_27_the_last_height_is_not_reached(ahead):
    """Nothing is committed to at the client's height: whatever is shown is no proof of it."""
    created = ahead.to_a.create_client()
    wire = pb.ClientState.FromString(created.client_state.value)
    wire.chain_id = "beta-2"
    wire.latest_height.revision_number, wire.latest_height.revision_height = 2, 1
    upgraded = AnyMessage(created.client_state.type_url, wire.SerializeToString())
    shown = ahead.to_a.proof(b"nextClientSequence").proof
    message = MsgUpgradeClient(
        CLIENT_ON_A, upgraded, created.consensus_state, shown, shown, ahead.to_a.signer
    )
    stage = ahead.stage(ahead.a)
    expect_refusal(stage, message, InvalidProof)
    assert store.client_state(stage.ctx, CLIENT_ON_A).latest_height == ahead.pair.known(ahead.a)
