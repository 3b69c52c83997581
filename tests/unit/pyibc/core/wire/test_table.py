"""Tables: made of annotations, refused where they say nothing the wire has."""

from enum import IntEnum
from typing import Annotated, NamedTuple

import pytest

from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.core.height import Height
from pyibc.core.packet.messages import MsgRecvPacket
from pyibc.core.packet.types import Packet
from pyibc.core.value import value
from pyibc.core.wire.columns import Absent, Codec, FieldKind, Wire
from pyibc.core.wire.table import on_wire, pack, table_of, unpack
from pyibc.proto.ibc.core.channel.v1 import channel_pb2
from pyibc.proto.ibc.core.client.v1 import client_pb2
from pyibc.proto.pyibc.queue.v1 import tx_pb2

HEIGHT = client_pb2.Height(revision_number=1, revision_height=2)


def test_values_and_wire_messages_turn_into_each_other():
    packet = Packet(7, "port-a", "channel-0", "port-b", "channel-1", b"data", Height(1, 2), 3)
    wire = channel_pb2.Packet(
        sequence=7,
        source_port="port-a",
        source_channel="channel-0",
        destination_port="port-b",
        destination_channel="channel-1",
        data=b"data",
        timeout_height=HEIGHT,
        timeout_timestamp=3,
    )
    assert pack(packet) == wire
    assert unpack(Packet, wire) == packet


def test_columns_say_what_fields_hold():
    columns = [(each.name, each.path, each.kind) for each in table_of(MsgRecvPacket).columns]
    assert columns == [
        ("packet", "packet", FieldKind.PART),
        ("proof_commitment_on_a", "proof_commitment", FieldKind.PROOF),
        ("proof_height_on_a", "proof_height", FieldKind.PART),
        ("signer", "signer", FieldKind.SIGNER),
    ]
    assert table_of(MsgRecvPacket).columns[0].part is table_of(Packet)
    assert MsgTransfer.SIGNER == "sender"


def test_a_field_inside_a_message_without_a_value_and_one_that_is_not_there():
    @on_wire(tx_pb2.MsgAdvance)
    @value
    class Told:
        height: Annotated[int, Wire("proof_height.revision_height")]
        note: Annotated[str, Absent("none")]
        number: Annotated[int, Wire("proof_height.revision_number", Codec(lambda n: n + 1, lambda n: n - 1))]

    wire = tx_pb2.MsgAdvance(proof_height=HEIGHT)
    assert unpack(Told, wire) == Told(2, "none", 2)
    assert pack(Told(2, "anything", 2)) == wire


def test_absent_and_empty_are_two_things_where_a_value_may_be_none():
    @on_wire(tx_pb2.MsgSend)
    class Sent(NamedTuple):
        sequence: int | None
        max_height: Height | None

    assert unpack(Sent, tx_pb2.MsgSend()) == Sent(None, None)
    assert unpack(Sent, tx_pb2.MsgSend(sequence=0, max_height={})) == Sent(0, Height(0, 0))
    assert pack(Sent(None, None)) == tx_pb2.MsgSend()
    assert pack(Sent(0, Height(0, 0))).HasField("max_height")


class Colour(IntEnum):
    NONE = 0
    RED = 1


def test_a_number_without_a_name_is_member_zero():
    @on_wire(client_pb2.Height)
    class Painted(NamedTuple):
        revision_number: Colour

    assert unpack(Painted, HEIGHT).revision_number is Colour.RED
    assert unpack(Painted, client_pb2.Height(revision_number=2)).revision_number is Colour.NONE


@pytest.mark.parametrize("path", ["no_such", "revision_height.part", "revision"])
def test_a_field_that_the_wire_does_not_have_is_refused_at_once(path):
    class Told(NamedTuple):
        number: Annotated[int, Wire(path)]

    with pytest.raises(TypeError, match=rf"Height has no field {path}"):
        on_wire(client_pb2.Height)(Told)


def test_a_type_that_no_table_holds_is_refused_at_once():
    class Told(NamedTuple):
        revision_number: float

    with pytest.raises(TypeError, match="field revision_number: unsupported type"):
        on_wire(client_pb2.Height)(Told)
