"""The messages that bring packets and what became of them, for packets of both protocols."""

from ibc_core.packet.acknowledge import MsgAcknowledgement
from ibc_core.packet.recv import MsgRecvPacket
from ibc_core.packet.timeout import MsgTimeout
from ibc_core.packet_v2.acknowledge import MsgAcknowledgementV2
from ibc_core.packet_v2.recv import MsgRecvPacketV2
from ibc_core.packet_v2.states import decode_acknowledgement
from ibc_core.packet_v2.timeout import MsgTimeoutV2
from ibc_core.packet_v2.types import PacketV2
from ibc_core.wire.message import Msg
from ibc_relayer.endpoint import Proven
from ibc_relayer.packets import AnyPacket


def recv(packet: AnyPacket, proven: Proven, signer: str) -> Msg:
    """Brings a packet; `proven` is its commitment."""
    if isinstance(packet, PacketV2):
        return MsgRecvPacketV2(packet, proven.proof, proven.height, signer)
    return MsgRecvPacket(packet, proven.proof, proven.height, signer)


def acknowledge(packet: AnyPacket, acknowledgement: bytes, proven: Proven, signer: str) -> Msg:
    """Brings an answer; `proven` is the commitment to it."""
    if isinstance(packet, PacketV2):
        answer = decode_acknowledgement(acknowledgement)
        return MsgAcknowledgementV2(packet, answer, proven.proof, proven.height, signer)
    return MsgAcknowledgement(packet, acknowledgement, proven.proof, proven.height, signer)


def timeout(packet: AnyPacket, proven: Proven, next_sequence: int, signer: str) -> Msg:
    """Takes a packet back; `proven` is that it was not received; `next_sequence` is of channels alone."""
    if isinstance(packet, PacketV2):
        return MsgTimeoutV2(packet, proven.proof, proven.height, signer)
    return MsgTimeout(packet, proven.proof, proven.height, next_sequence, signer)
