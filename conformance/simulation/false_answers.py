"""False answers to a relayer: changed blocks, packets never sent, unsigned headers."""

from binascii import hexlify
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import NamedTuple

from google.protobuf.message import Message

from pyibc.core.host.block import CommittedBlock, Event
from pyibc.core.packet.events import SEND_PACKET
from pyibc.core.packet_v2.types import PacketV2, encode_packet
from pyibc.proto.ibc.core.channel.v1 import query_pb2 as v1
from pyibc.proto.ibc.core.channel.v2 import query_pb2 as v2
from pyibc.proto.tendermint.types.types_pb2 import SignedHeader
from pyibc.proto.tendermint.types.validator_pb2 import ValidatorSet
from pyibc.relayer.chain.values import LightBlock, Proven
from pyibc.relayer.packets.packets import AnyPacket, read_event

_AHEAD = 1_000
"""Offset of an invented packet's sequence from a real one's, more than are ever sent."""
_DIGITS = bytes.maketrans(b"0123456789", b"9999999999")
_Change = Callable[[AnyPacket], AnyPacket]


def false_block(block: CommittedBlock, choice: Random) -> CommittedBlock:
    """Return a changed block."""
    return choice.choice(_BLOCKS)(block)


def false_list(path: str, answer: bytes) -> bytes:
    """Return the response to a query without its packets; other responses are unchanged."""
    kind = _LISTS.get(path.rpartition("/")[2])
    if kind is None:
        return answer
    said = (kind.v2 if ".v2." in path else kind.v1)()
    said.ParseFromString(answer)
    said.ClearField(kind.field)
    return said.SerializeToString()


def false_proof(proven: Proven, choice: Random) -> Proven:
    """Return another value with the same proof, or the value with a proof of something else."""
    if choice.random() < 0.5:
        return proven._replace(value=_spoilt(proven.value or b"\1" * 32, choice))
    return proven._replace(proof=_spoilt(proven.proof, choice))


def false_header(light: LightBlock, choice: Random) -> LightBlock:
    """Return a decodable header with another state, wrong signatures, or other validators."""
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
    """Return the bytes with one of them changed."""
    at = choice.randrange(len(raw))
    return raw[:at] + bytes((raw[at] ^ choice.randint(1, 255),)) + raw[at + 1 :]


def _with_packets(block: CommittedBlock, change: _Change) -> CommittedBlock:
    """Return a block with changed packets in its events."""
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
    """Return the packet with a sequence that was never sent."""
    return replace(packet, sequence=packet.sequence + _AHEAD)


def richer(packet: AnyPacket) -> AnyPacket:
    """Return the packet with a larger amount."""
    if isinstance(packet, PacketV2):
        payloads = tuple(replace(each, value=each.value.translate(_DIGITS)) for each in packet.payloads)
        return replace(packet, payloads=payloads)
    return replace(packet, data=packet.data.translate(_DIGITS))


_BLOCKS: tuple[Callable[[CommittedBlock], CommittedBlock], ...] = (
    lambda block: block._replace(txs=tuple(each._replace(events=()) for each in block.txs), block_events=()),
    lambda block: block._replace(txs=(), hash=b"\1" * 32),  # another chain with the same id
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
