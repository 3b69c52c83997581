"""The packet keeper: chain A's half of a packet and chain B's are never mixed up."""

from dataclasses import replace

import pytest

from ibc_core.height import Height
from ibc_core.packet.types import RECEIPT, Packet, acknowledgement_commitment, packet_commitment
from keepers.channel.keeper import PacketKeeper

PACKET = Packet(7, "port-a", "channel-1", "port-b", "channel-2", b"data", Height(1, 5), 0)
ON_A = "ports/port-a/channels/channel-1/sequences/7"
ON_B = "ports/port-b/channels/channel-2/sequences/7"


@pytest.fixture
def packets():
    return PacketKeeper()


def test_a_commitment(ctx, packets, written):
    assert packets.commitment(ctx, PACKET) is None
    assert written(lambda: packets.commit(ctx, PACKET)) == [f"commitments/{ON_A}"]
    assert packets.commitment(ctx, PACKET) == packet_commitment(PACKET)
    assert packets.commitment(ctx, replace(PACKET, sequence=8)) is None
    assert packets.commitment(ctx, replace(PACKET, channel_id_on_a="channel-10")) is None
    assert written(lambda: packets.delete_commitment(ctx, PACKET)) == [f"commitments/{ON_A}"]
    assert packets.commitment(ctx, PACKET) is None


def test_a_commitment_is_of_the_packet_not_of_its_name(ctx, packets):
    packets.commit(ctx, PACKET)
    other = replace(PACKET, data=b"other")
    assert packets.commitment(ctx, other) != packet_commitment(other)


def test_a_receipt(ctx, packets, written):
    assert not packets.has_receipt(ctx, PACKET)
    assert written(lambda: packets.set_receipt(ctx, PACKET)) == [f"receipts/{ON_B}"]
    assert packets.has_receipt(ctx, PACKET)
    assert dict(ctx.writes("ibc"))[f"receipts/{ON_B}".encode()] == RECEIPT
    assert not packets.has_receipt(ctx, replace(PACKET, sequence=70))


def test_an_acknowledgement(ctx, packets, written):
    assert not packets.has_acknowledgement(ctx, PACKET)
    assert written(lambda: packets.set_acknowledgement(ctx, PACKET, b"answer")) == [f"acks/{ON_B}"]
    assert packets.has_acknowledgement(ctx, PACKET)
    stored = dict(ctx.writes("ibc"))[f"acks/{ON_B}".encode()]
    assert stored == acknowledgement_commitment(b"answer")
    assert not packets.has_receipt(ctx, PACKET)
