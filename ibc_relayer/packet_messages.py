"""The packet messages of both protocol versions."""

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
    """MsgRecvPacket; `proven` is the packet commitment."""
    if isinstance(packet, PacketV2):
        return MsgRecvPacketV2(packet, proven.proof, proven.height, signer)
    return MsgRecvPacket(packet, proven.proof, proven.height, signer)


def acknowledge(packet: AnyPacket, acknowledgement: bytes, proven: Proven, signer: str) -> Msg:
    """MsgAcknowledgement; `proven` is the acknowledgement commitment."""
    if isinstance(packet, PacketV2):
        answer = decode_acknowledgement(acknowledgement)
        return MsgAcknowledgementV2(packet, answer, proven.proof, proven.height, signer)
    return MsgAcknowledgement(packet, acknowledgement, proven.proof, proven.height, signer)


def timeout(packet: AnyPacket, proven: Proven, next_sequence: int, signer: str) -> Msg:
    """MsgTimeout; `proven` shows that the packet was not received; `next_sequence` is for channels."""
    if isinstance(packet, PacketV2):
        return MsgTimeoutV2(packet, proven.proof, proven.height, signer)
    return MsgTimeout(packet, proven.proof, proven.height, next_sequence, signer)
