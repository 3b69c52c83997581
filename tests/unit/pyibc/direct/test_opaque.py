"""An opaque packet: one handler's table knows it, and forgets it with the object."""

import copy
import gc

import pytest

from pyibc.core.height import Height
from pyibc.core.packet.types import Packet
from pyibc.direct.capability import OpaquePacket, OpaquePackets
from pyibc.direct.errors import InvalidCapability, UnknownOpaquePacket

PACKET = Packet(1, "mock", "channel-0", "mock", "channel-1", b"data", Height(1, 5), 0)


def test_both_ways_in_one_room():
    room = OpaquePackets()
    opaque = room.to_opaque(PACKET)
    assert room.to_packet(opaque) is PACKET
    assert room.to_opaque(PACKET) != opaque


@pytest.mark.parametrize("stranger", [OpaquePacket(), PACKET, None, b"packet"])
def test_what_the_table_does_not_have_is_unknown(stranger):
    with pytest.raises(UnknownOpaquePacket):
        OpaquePackets().to_packet(stranger)


def test_another_rooms_packet_is_unknown():
    opaque = OpaquePackets().to_opaque(PACKET)
    with pytest.raises(UnknownOpaquePacket):
        OpaquePackets().to_packet(opaque)


def test_it_has_nothing_to_read_and_cannot_be_copied():
    opaque = OpaquePackets().to_opaque(PACKET)
    assert [name for name in dir(opaque) if not name.startswith("__")] == []
    with pytest.raises(AttributeError):
        opaque.data = b"x"
    with pytest.raises(InvalidCapability):
        copy.deepcopy(opaque)


def test_a_packet_goes_with_its_object():
    room = OpaquePackets()
    opaque = room.to_opaque(PACKET)
    assert len(room._packets) == 1
    del opaque
    gc.collect()
    assert len(room._packets) == 0
