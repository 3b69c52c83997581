"""What a liar answers a relayer: other blocks, packets that nobody sent, headers that nobody signed."""

from binascii import hexlify
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import NamedTuple

from google.protobuf.message import Message

from ibc_core.host.block import CommittedBlock
from ibc_core.host.events import Event
from ibc_core.packet.event_reader import SEND_PACKET
from ibc_core.packet_v2.states import encode_packet
from ibc_core.packet_v2.types import PacketV2
from ibc_proto.ibc.core.channel.v1 import query_pb2 as v1
from ibc_proto.ibc.core.channel.v2 import query_pb2 as v2
from ibc_proto.tendermint.types.types_pb2 import SignedHeader
from ibc_proto.tendermint.types.validator_pb2 import ValidatorSet
from ibc_relayer.endpoint import LightBlock, Proven
from ibc_relayer.packets import AnyPacket, read_event

_AHEAD = 1_000
"""By how much an invented packet's sequence is ahead of a real one's: so many are never sent."""
_DIGITS = bytes.maketrans(b"0123456789", b"9999999999")
_Change = Callable[[AnyPacket], AnyPacket]


def untrue_block(block: CommittedBlock, choice: Random) -> CommittedBlock:
    """Another block than the chain has."""
    return choice.choice(_BLOCKS)(block)


def untrue_list(path: str, answer: bytes) -> bytes:
    """The answer to a query without the packets in it; others as they are."""
    kind = _LISTS.get(path.rpartition("/")[2])
    if kind is None:
        return answer
    said = (kind.v2 if ".v2." in path else kind.v1)()
    said.ParseFromString(answer)
    said.ClearField(kind.field)
    return said.SerializeToString()


def untrue_proof(proven: Proven, choice: Random) -> Proven:
    """Another value with the same proof, or the value with a proof of something else."""
    if choice.random() < 0.5:
        return proven._replace(value=_spoilt(proven.value or b"\1" * 32, choice))
    return proven._replace(proof=_spoilt(proven.proof, choice))


def untrue_header(light: LightBlock, choice: Random) -> LightBlock:
    """Of another state, or with a wrong signature, or other validators; all of it can be decoded."""
    signed = SignedHeader.FromString(light.signed_header)
    validators = ValidatorSet.FromString(light.validators)
    match choice.randrange(3):
        case 0:
            signed.header.app_hash = _spoilt(signed.header.app_hash, choice)
        case 1:
            one = choice.choice(signed.commit.signatures)
            one.signature = _spoilt(one.signature or b"\1", choice)
        case _:
            choice.choice(validators.validators).voting_power += 1
    return light._replace(signed_header=signed.SerializeToString(), validators=validators.SerializeToString())


def _spoilt(raw: bytes, choice: Random) -> bytes:
    """With one byte that is another."""
    at = choice.randrange(len(raw))
    return raw[:at] + bytes((raw[at] ^ choice.randint(1, 255),)) + raw[at + 1 :]


def _with_packets(block: CommittedBlock, change: _Change) -> CommittedBlock:
    """A block whose packets were sent otherwise."""
    txs = tuple(
        each._replace(events=tuple(_changed(event, change) for event in each.events)) for each in block.txs
    )
    return block._replace(txs=txs)


def _changed(event: Event, change: _Change) -> Event:
    seen = read_event(event) if event[0] == SEND_PACKET else None
    if seen is None:
        return event
    packet = change(seen.packet)
    told = {"packet_sequence": str(packet.sequence)}
    if isinstance(packet, PacketV2):
        told["encoded_packet_hex"] = hexlify(encode_packet(packet)).decode()
    else:
        told["packet_data_hex"] = hexlify(packet.data).decode()
    return event[0], tuple((key, told.get(key, text)) for key, text in event[1])


def never_sent(packet: AnyPacket) -> AnyPacket:
    """The next one but a thousand."""
    return replace(packet, sequence=packet.sequence + _AHEAD)


def richer(packet: AnyPacket) -> AnyPacket:
    """The same one, of more coins."""
    if isinstance(packet, PacketV2):
        payloads = tuple(replace(each, value=each.value.translate(_DIGITS)) for each in packet.payloads)
        return replace(packet, payloads=payloads)
    return replace(packet, data=packet.data.translate(_DIGITS))


_BLOCKS: tuple[Callable[[CommittedBlock], CommittedBlock], ...] = (
    lambda block: block._replace(txs=tuple(each._replace(events=()) for each in block.txs), block_events=()),
    lambda block: block._replace(txs=(), hash=b"\1" * 32),  # another chain of the same name
    lambda block: block._replace(txs=(), hash=b"\2" * 32, parent=b"\1" * 32),
    lambda block: block._replace(chain_id="another-1"),
    lambda block: block._replace(height=block.height + 1),
    lambda block: _with_packets(block, never_sent),
    lambda block: _with_packets(block, richer),
)


class _List(NamedTuple):
    v1: type[Message]
    v2: type[Message]
    field: str


_LISTS = {
    "PacketCommitments": _List(
        v1.QueryPacketCommitmentsResponse, v2.QueryPacketCommitmentsResponse, "commitments"
    ),
    "UnreceivedPackets": _List(
        v1.QueryUnreceivedPacketsResponse, v2.QueryUnreceivedPacketsResponse, "sequences"
    ),
    "PacketAcknowledgements": _List(
        v1.QueryPacketAcknowledgementsResponse, v2.QueryPacketAcknowledgementsResponse, "acknowledgements"
    ),
}
