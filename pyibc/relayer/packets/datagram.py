"""Datagrams of tasks: messages with their proofs (ICS-18)."""

from typing import NamedTuple

from pyibc.codec.anys import AnyMessage
from pyibc.core import paths
from pyibc.core.channel.messages import MsgChannelCloseConfirm
from pyibc.core.channel.types import ChannelState
from pyibc.core.packet.messages import MsgAcknowledgement, MsgRecvPacket, MsgTimeout, MsgTimeoutOnClose
from pyibc.core.packet.types import Packet
from pyibc.core.packet_v2.messages import MsgAcknowledgementV2, MsgRecvPacketV2, MsgTimeoutV2
from pyibc.core.packet_v2.types import PacketV2, decode_acknowledgement
from pyibc.core.wire.message import Msg, pack_msg
from pyibc.core.wire.states import decode_channel_end
from pyibc.relayer.chain.values import Proven
from pyibc.relayer.packets import packets
from pyibc.relayer.packets.proofs import Proofs
from pyibc.relayer.packets.task import Result, Task, TaskKind, Verdict
from pyibc.relayer.paths.handshake import for_channel
from pyibc.relayer.paths.path import AnyEnd, PathEnd

# -- packet messages of both protocol versions


def recv(packet: packets.AnyPacket, proven: Proven, signer: str) -> Msg:
    """Return MsgRecvPacket; `proven` is the packet commitment."""
    if isinstance(packet, PacketV2):
        return MsgRecvPacketV2(packet, proven.proof, proven.height, signer)
    return MsgRecvPacket(packet, proven.proof, proven.height, signer)


def acknowledge(packet: packets.AnyPacket, acknowledgement: bytes, proven: Proven, signer: str) -> Msg:
    """Return MsgAcknowledgement; `proven` is the acknowledgement commitment."""
    if isinstance(packet, PacketV2):
        answer = decode_acknowledgement(acknowledgement)
        return MsgAcknowledgementV2(packet, answer, proven.proof, proven.height, signer)
    return MsgAcknowledgement(packet, acknowledgement, proven.proof, proven.height, signer)


def timeout(packet: packets.AnyPacket, proven: Proven, next_sequence: int, signer: str) -> Msg:
    """Return MsgTimeout; `proven` shows that the packet was not received; `next_sequence` is for channels."""
    if isinstance(packet, PacketV2):
        return MsgTimeoutV2(packet, proven.proof, proven.height, signer)
    return MsgTimeout(packet, proven.proof, proven.height, next_sequence, signer)


# -- datagrams


class Datagram(NamedTuple):
    """Message with its proof, ready to be sent."""

    task: Task
    message: AnyMessage

    @property
    def size(self) -> int:
        """Bytes that the message adds to a transaction, rounded up."""
        return len(self.message.value) + len(self.message.type_url) + 16


def keys_of(task: Task) -> list[bytes]:
    """Return the keys of the prover's store entries that the message of `task` proves."""
    match task.key.kind:
        case TaskKind.RECV:
            return [packets.commitment_key(_packet(task))]
        case TaskKind.ACKNOWLEDGE:
            return [packets.acknowledgement_key(_packet(task))]
        case TaskKind.TIMEOUT:
            return [_receiving_key(task, _packet(task))]
        case TaskKind.TIMEOUT_ON_CLOSE:
            return [_receiving_key(task, _packet(task)), _channel_key(task)]
        case TaskKind.CLOSE_CONFIRM:
            return [_channel_key(task)]


def build(task: Task, proofs: Proofs, signer: str) -> Datagram | Result:
    """Return the message of `task`; `proofs` have the entries at its `keys_of`.

    If the prover's state shows that nothing is left to do, or contradicts its events, return a result.

    Raises:
        EndpointRefused, EndpointUnavailable, MalformedAnswer: an entry could not be proven.
        IbcError: an entry has an encoding that ibc-go never writes.
    """
    return _BUILD[task.key.kind](task, proofs, signer)


def _recv(task: Task, proofs: Proofs, signer: str) -> Datagram | Result:
    packet = _packet(task)
    proven = proofs.prove(packets.commitment_key(packet))
    if proven.value is None:
        return Result(task, Verdict.GONE)
    if proven.value != packets.commitment_of(packet):
        return Result(task, Verdict.FAILED, "the commitment is not that of the packet in the event")
    return _datagram(task, recv(packet, proven, signer))


def _acknowledge(task: Task, proofs: Proofs, signer: str) -> Datagram | Result:
    packet = _packet(task)
    proven = proofs.prove(packets.acknowledgement_key(packet))
    if proven.value != packets.acknowledgement_commitment_of(packet, task.acknowledgement):
        return Result(task, Verdict.FAILED, "the commitment is not that of the acknowledgement in the event")
    return _datagram(task, acknowledge(packet, task.acknowledgement, proven, signer))


def _timeout(task: Task, proofs: Proofs, signer: str) -> Datagram | Result:
    packet = _packet(task)
    proven = _unreceived(task, packet, proofs)
    if proven is None:
        return Result(task, Verdict.RECEIVED)
    return _datagram(task, timeout(packet, proven, _next_sequence(task, proven), signer))


def _timeout_on_close(task: Task, proofs: Proofs, signer: str) -> Datagram | Result:
    packet = _channel_packet(task)
    proven = _unreceived(task, packet, proofs)
    if proven is None:
        return Result(task, Verdict.RECEIVED)
    closed = proofs.prove(_channel_key(task))
    next_sequence = _next_sequence(task, proven)
    message = MsgTimeoutOnClose(packet, proven.proof, closed.proof, proven.height, next_sequence, signer)
    return _datagram(task, message)


def _close_confirm(task: Task, proofs: Proofs, signer: str) -> Datagram | Result:
    ours = _channel(task.target_end)
    proven = proofs.prove(_channel_key(task))
    if proven.value is None or decode_channel_end(proven.value).state != ChannelState.CLOSED:
        return Result(task, Verdict.FAILED, "the channel end is not closed")
    message = MsgChannelCloseConfirm(ours.port_id, ours.channel_id, proven.proof, proven.height, signer)
    # guard: h305-a-closing-is-given-up {for_channel(message, ours.channel_id) => message}
    #   test_h305_packets_cross_it_and_its_closing_is_finished
    return _datagram(task, for_channel(message, ours.channel_id))


def _unreceived(task: Task, packet: packets.AnyPacket, proofs: Proofs) -> Proven | None:
    """Return the proof that the packet was not received; None if it was received."""
    proven = proofs.prove(_receiving_key(task, packet))
    if not task.ordered:
        return proven if proven.value is None else None
    return proven if _next_sequence(task, proven) <= packet.sequence else None


def _receiving_key(task: Task, packet: packets.AnyPacket) -> bytes:
    """Return the key that shows whether the prover has received the packet."""
    if not task.ordered:
        return packets.receipt_key(packet)
    end = _channel(task.prover_end)
    return paths.next_sequence_recv_path(end.port_id, end.channel_id)


def _channel_key(task: Task) -> bytes:
    end = _channel(task.prover_end)
    return paths.channel_path(end.port_id, end.channel_id)


def _next_sequence(task: Task, proven: Proven) -> int:
    # On an unordered channel the field is not verified, but must not be 0.
    return int.from_bytes(proven.value or b"", "big") if task.ordered else _packet(task).sequence


def _packet(task: Task) -> packets.AnyPacket:
    if task.packet is None:
        raise ValueError(f"{task.key.kind} needs a packet")
    return task.packet


def _channel_packet(task: Task) -> Packet:
    if not isinstance(task.packet, Packet):
        raise ValueError(f"{task.key.kind} needs a packet of a channel")  # noqa: TRY004 - not input
    return task.packet


def _channel(end: AnyEnd) -> PathEnd:
    if not isinstance(end, PathEnd):
        raise ValueError(f"{end.client_id} is not a channel")  # noqa: TRY004 - not input
    return end


def _datagram(task: Task, message: Msg) -> Datagram:
    return Datagram(task, pack_msg(message))


_BUILD = {
    TaskKind.RECV: _recv,
    TaskKind.ACKNOWLEDGE: _acknowledge,
    TaskKind.TIMEOUT: _timeout,
    TaskKind.TIMEOUT_ON_CLOSE: _timeout_on_close,
    TaskKind.CLOSE_CONFIRM: _close_confirm,
}
