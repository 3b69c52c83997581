"""Builds the datagram of a task: the message with its proof (ICS-18)."""

from typing import NamedTuple

from ibc_core import paths
from ibc_core.any_message import AnyMessage
from ibc_core.channel.close_confirm import MsgChannelCloseConfirm
from ibc_core.channel.types import ChannelState
from ibc_core.packet.timeout_on_close import MsgTimeoutOnClose
from ibc_core.packet.types import Packet
from ibc_core.wire.message import Msg, pack_msg
from ibc_core.wire.states import decode_channel_end
from ibc_relayer import packet_messages as messages
from ibc_relayer.endpoint import Proven
from ibc_relayer.packets import (
    AnyPacket,
    acknowledgement_commitment_of,
    acknowledgement_key,
    commitment_key,
    commitment_of,
    receipt_key,
)
from ibc_relayer.path import AnyEnd, PathEnd
from ibc_relayer.proofs import Proofs
from ibc_relayer.task import Kind, Result, Task, Verdict


class Datagram(NamedTuple):
    """A message with its proof, ready to be sent."""

    task: Task
    message: AnyMessage

    @property
    def size(self) -> int:
        """Bytes it adds to a transaction, rounded up."""
        return len(self.message.value) + len(self.message.type_url) + 16


def keys_of(task: Task) -> list[bytes]:
    """The entries of the prover's store that the message of `task` is made of."""
    match task.key.kind:
        case Kind.RECV:
            return [commitment_key(_packet(task))]
        case Kind.ACKNOWLEDGE:
            return [acknowledgement_key(_packet(task))]
        case Kind.TIMEOUT:
            return [_receiving_key(task, _packet(task))]
        case Kind.TIMEOUT_ON_CLOSE:
            return [_receiving_key(task, _packet(task)), _channel_key(task)]
        case Kind.CLOSE_CONFIRM:
            return [_channel_key(task)]


def build(task: Task, proofs: Proofs, signer: str) -> Datagram | Result:
    """The message of `task`, of proofs that hold the entries at its `keys_of`.

    A result instead if the prover's state shows that nothing is left to do, or contradicts its events.

    Raises:
        EndpointRefused, EndpointUnavailable, MalformedAnswer: an entry could not be proven.
        IbcError: ibc-go never writes such an entry.
    """
    return _BUILD[task.key.kind](task, proofs, signer)


def _recv(task: Task, proofs: Proofs, signer: str) -> Datagram | Result:
    packet = _packet(task)
    proven = proofs.prove(commitment_key(packet))
    if proven.value is None:
        return Result(task, Verdict.GONE)
    if proven.value != commitment_of(packet):
        return Result(task, Verdict.FAILED, "the commitment is not that of the packet in the event")
    return _datagram(task, messages.recv(packet, proven, signer))


def _acknowledge(task: Task, proofs: Proofs, signer: str) -> Datagram | Result:
    packet = _packet(task)
    proven = proofs.prove(acknowledgement_key(packet))
    if proven.value != acknowledgement_commitment_of(packet, task.acknowledgement):
        return Result(task, Verdict.FAILED, "the commitment is not that of the acknowledgement in the event")
    return _datagram(task, messages.acknowledge(packet, task.acknowledgement, proven, signer))


def _timeout(task: Task, proofs: Proofs, signer: str) -> Datagram | Result:
    packet = _packet(task)
    proven = _unreceived(task, packet, proofs)
    if proven is None:
        return Result(task, Verdict.RECEIVED)
    return _datagram(task, messages.timeout(packet, proven, _next_sequence(task, proven), signer))


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
    return _datagram(task, message)


def _unreceived(task: Task, packet: AnyPacket, proofs: Proofs) -> Proven | None:
    """Proof that the packet has not been received; None if it has."""
    proven = proofs.prove(_receiving_key(task, packet))
    if not task.ordered:
        return proven if proven.value is None else None
    return proven if _next_sequence(task, proven) <= packet.sequence else None


def _receiving_key(task: Task, packet: AnyPacket) -> bytes:
    """Where the prover shows whether it has received the packet."""
    if not task.ordered:
        return receipt_key(packet)
    end = _channel(task.prover_end)
    return paths.next_sequence_recv_path(end.port_id, end.channel_id)


def _channel_key(task: Task) -> bytes:
    end = _channel(task.prover_end)
    return paths.channel_path(end.port_id, end.channel_id)


def _next_sequence(task: Task, proven: Proven) -> int:
    # On an unordered channel the field is not verified, but must not be 0.
    return int.from_bytes(proven.value or b"", "big") if task.ordered else _packet(task).sequence


def _packet(task: Task) -> AnyPacket:
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
    Kind.RECV: _recv,
    Kind.ACKNOWLEDGE: _acknowledge,
    Kind.TIMEOUT: _timeout,
    Kind.TIMEOUT_ON_CLOSE: _timeout_on_close,
    Kind.CLOSE_CONFIRM: _close_confirm,
}
