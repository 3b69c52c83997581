"""Texts by which Hermes decides what to do after a simulation or CheckTx: it reads no codes."""

from dataclasses import replace

import pytest

from conformance.kit.encode import to_any
from pyibc.chain.queries.tx_service import SIMULATE, SimulationFailed
from pyibc.core.channel.types import Order
from pyibc.proto.cosmos.tx.v1beta1 import service_pb2


def signed(side, *messages, sequence=None):
    account = side.chain.app.pending_account(side.relayer.wallet.address.raw)
    return side.relayer.wallet.sign_tx(
        [to_any(message) for message in messages],
        chain_id=side.chain.chain_id,
        account_number=account.number,
        sequence=account.sequence if sequence is None else sequence,
        gas_limit=10**8,
    )


def simulated(side, *messages, **options):
    request = service_pb2.SimulateRequest(tx_bytes=signed(side, *messages, **options))
    with pytest.raises(SimulationFailed) as error:
        side.chain.app.grpc(SIMULATE, request.SerializeToString())
    return str(error.value)


def test_a_proof_above_the_clients_height(scene):
    """Sent behind an update whose block is not there yet: Hermes goes on with its default gas."""
    message = scene.to_b.recv(scene.packets[Order.UNORDERED].fresh)
    late = replace(message, proof_height_on_a=above(message.proof_height_on_a))
    text = simulated(scene.b, late)
    assert "verification failed" in text
    assert "client state height < proof height" in text


def above(height):
    return height._replace(revision_height=height.revision_height + 100)


def test_a_packet_out_of_order(scene):
    message = scene.to_b.recv(scene.packets[Order.ORDERED].beyond)
    assert "packet sequence is out of order" in simulated(scene.b, message)


def test_a_sequence_of_the_past_and_of_the_future(scene):
    message = scene.to_b.recv(scene.packets[Order.UNORDERED].fresh)
    expected = scene.b.chain.app.pending_account(scene.b.relayer.wallet.address.raw).sequence
    for got in (expected - 1, expected + 3):
        text = simulated(scene.b, message, sequence=got)
        assert f"account sequence mismatch, expected {expected}, got {got}" in text


def test_what_another_relayer_did_already(scene):
    message = scene.to_b.recv(scene.packets[Order.UNORDERED].received)
    outcome = scene.b.chain.app.check_tx(signed(scene.b, message))
    assert outcome.code != 0
    assert "packet messages are redundant" in outcome.log
