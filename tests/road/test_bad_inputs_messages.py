"""Bad inputs at the edges of what is taken, beside those that the handlers' tables of refusals have."""

import tracemalloc
from dataclasses import replace

import pytest

from conformance.kit.headers import header_of
from conformance.kit.refusals import Row, check_row, expect_refusal, setting
from conformance.kit.solo_machine import SoloMachine
from conformance.kit.staged_block import StagedBlock
from light_client.tendermint.codec import pack_client_header
from light_client.tendermint.types import BlockId
from pyibc.apps.transfer.coins import escrow_address
from pyibc.codec.anys import AnyMessage
from pyibc.core.address import module_address
from pyibc.core.application.classic import Opened
from pyibc.core.channel.types import ChannelCounterparty, Order
from pyibc.core.errors import (
    InvalidClientType,
    InvalidHeaderHeight,
    InvalidProof,
    InvalidProofSpecs,
    InvalidTransferVersion,
    MalformedValidatorSet,
    Unauthorized,
    WrongSignature,
)
from pyibc.core.height import Height
from pyibc.core.packet import acknowledgement as acks
from pyibc.proto.cosmos.ics23.v1 import proofs_pb2
from pyibc.proto.ibc.core.commitment.v1 import commitment_pb2
from pyibc.proto.ibc.lightclients.tendermint.v1 import tendermint_pb2 as pb
from pyibc.testing.transfers import abroad, transfer

MAX_U64 = 2**64 - 1
SUCCESS = acks.success()


def wire_edit(field, kind, edit):
    """Edits a protobuf message that a field of the message holds."""

    def applied(_, message):
        packed = getattr(message, field)
        wire = kind.FromString(packed.value)
        edit(wire)
        return replace(message, **{field: AnyMessage(packed.type_url, wire.SerializeToString())})

    return applied


# -- creating a client


def state(edit):
    return wire_edit("client_state", pb.ClientState, edit)


def other_consensus(_, message):
    return replace(message, consensus_state=SoloMachine("other").states()[1])


CREATE = [
    Row("a consensus state of another type", other_consensus, InvalidClientType),
    Row("no proof specs", state(lambda wire: wire.ClearField("proof_specs")), InvalidProofSpecs),
]


@pytest.mark.parametrize("row", CREATE, ids=repr)
def test_create(scene, row):
    check_row(scene.stage(scene.a), scene.to_a.create_client(), row)


# -- updating a client


@pytest.fixture
def ahead(scene):
    """Chain b is well beyond what chain a's client knows."""
    while scene.b.chain.height < scene.pair.known(scene.a).revision_height + 3:
        scene.b.chain.make_block([])
    return scene


def honest(scene):
    return header_of(scene.b.chain, scene.b.chain.height, scene.pair.known(scene.a).revision_height)


def update(scene, header):
    return replace(scene.to_a.update_client(), client_message=pack_client_header(header))


def test_the_trusted_height_is_below_the_headers(ahead):
    header = honest(ahead)
    told = header._replace(trusted_height=Height(1, header.header.height))
    refusal = expect_refusal(ahead.stage(ahead.a), update(ahead, told), InvalidHeaderHeight)
    assert "trusted height" in str(refusal)


def test_a_part_set_of_0_is_well_formed_and_not_what_was_signed(ahead):
    header = honest(ahead)
    block_id = header.commit.block_id
    commit = header.commit._replace(block_id=BlockId(block_id.hash, 0, block_id.part_set_hash))
    expect_refusal(ahead.stage(ahead.a), update(ahead, header._replace(commit=commit)), WrongSignature)


KEYS = {
    "ed25519 of 31 bytes": lambda key: setattr(key, "ed25519", b"k" * 31),
    "uncompressed secp256k1": lambda key: setattr(key, "secp256k1", b"\x04" + b"k" * 64),
}


@pytest.mark.parametrize("name", KEYS)
def test_public_keys(ahead, name):
    edit = wire_edit("client_message", pb.Header, lambda h: KEYS[name](h.validator_set.validators[0].pub_key))
    message = edit(None, update(ahead, honest(ahead)))
    refusal = expect_refusal(ahead.stage(ahead.a), message, MalformedValidatorSet)
    assert refusal.field == "pub_key"


# -- handshakes


def test_a_delay_of_2_64_minus_1_is_taken_as_it_is(scene):
    """As in ibc-go: nothing will ever be proven over the connection."""
    stage = scene.stage(scene.a)
    attempt = stage.attempt(setting(delay_period_ns=MAX_U64)(None, scene.to_a.connection_open_init()))
    assert attempt.error is None
    (new,) = [key for _, key in attempt.writes if key.startswith(b"connections/")]
    end = scene.a.keepers.connections.get(stage.ctx, new.decode().removeprefix("connections/"))
    assert end.delay_period_ns == MAX_U64


def test_ics20_refuses_the_version_that_the_other_chain_settled_on(scene):
    app, stage = scene.a.keepers.ports.route("transfer"), scene.stage(scene.a)
    opened = Opened("transfer", "channel-0", ChannelCounterparty("transfer", "channel-9"), "ics20-9")
    with pytest.raises(InvalidTransferVersion) as refusal:
        app.on_chan_open_ack(stage.ctx, opened)
    assert "ics20-9" in str(refusal.value)
    assert stage.writes() == {}


# -- packets


def deepened(raw, layers):
    """A proof with the last step of its first tree repeated."""
    proof = commitment_pb2.MerkleProof.FromString(raw)
    path = proof.proofs[0].exist.path
    last = proofs_pb2.InnerOp.FromString(path[-1].SerializeToString())
    path.extend([last] * (layers - len(path)))
    return proof.SerializeToString()


@pytest.mark.parametrize("layers", [129, 10_000])
def test_a_proof_deeper_than_128(scene, layers):
    message = scene.to_b.recv(scene.packets[Order.UNORDERED].fresh)
    spoilt = replace(message, proof_commitment_on_a=deepened(message.proof_commitment_on_a, layers))
    stage = scene.stage(scene.b)
    tracemalloc.start()
    try:
        refusal = expect_refusal(stage, spoilt, InvalidProof)
        assert tracemalloc.get_traced_memory()[1] < 64_000_000 + 40 * len(spoilt.proof_commitment_on_a)
    finally:
        tracemalloc.stop()
    assert len(str(refusal)) < 300


def test_the_sender_of_coins_is_no_module(net):
    """Nobody can sign for one; a message in its name is refused all the same."""
    module = net.a.chain.app.addresses.encode(module_address("fee_collector")).text
    good = transfer(net.a, "alice", net.path.a, "uatom", 5, net.b.address("bob"))
    spoilt = good.value.replace(named(net.a.address("alice")), named(module))
    assert spoilt != good.value
    expect_refusal(StagedBlock(net.a.chain), AnyMessage(good.type_url, spoilt), Unauthorized)


def named(address):
    return b"\x22" + bytes([len(address)]) + address.encode()


def test_a_memo_may_hold_a_nul(net):
    """As in ibc-go: a memo is any text."""
    message = transfer(net.a, "alice", net.path.a, "uatom", 5, net.b.address("bob"), memo="a\x00b")
    assert net.a.execute("alice", message).code == 0
    net.relay()
    assert net.b.balance("bob", abroad("uatom", net.path.b).coin_denom) == 5


def test_an_escrow_account_and_twenty_zero_bytes_may_receive(net, hostile):
    """As in ibc-go, which blocks module accounts only: the coins are lost to their sender alone."""
    bank, escrow = net.b.chain.app.bank, escrow_address("transfer", net.path.b.channel_id)
    held = bank.balance(net.b.chain.app.query_context(), escrow, "uatom")
    for raw in (escrow, bytes(20)):
        assert hostile.attack(receiver=net.b.chain.app.addresses.encode(raw).text) == [SUCCESS]
    ctx = net.b.chain.app.query_context()
    assert bank.balance(ctx, escrow, abroad("uevil", hostile.path.b).coin_denom) == 1
    assert bank.balance(ctx, escrow, "uatom") == held
