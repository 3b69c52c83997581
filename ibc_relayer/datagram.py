"""From work to datagram: asks the prover for the proof and builds the message (ICS-18)."""

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
from ibc_relayer.endpoint import ChainEndpoint, Proven
from ibc_relayer.packets import (
    AnyPacket,
    acknowledgement_key,
    answered,
    commitment_key,
    committed,
    receipt_key,
)
from ibc_relayer.path import AnyEnd, PathEnd
from ibc_relayer.work import Kind, Result, Verdict, Work


class Datagram(NamedTuple):
    """A message with its proof, ready to be sent."""

    work: Work
    message: AnyMessage

    @property
    def size(self) -> int:
        """Bytes it adds to a transaction, rounded up."""
        return len(self.message.value) + len(self.message.type_url) + 16


def build(work: Work, prover: ChainEndpoint, height: int, signer: str) -> Datagram | Result:
    """The message of `work`, proven by the state after block `height` of the prover.

    What the prover's state shows to be done, or to differ from what its events said, is a result at once.
    """
    return _BUILD[work.key.kind](work, prover, height, signer)


def _recv(work: Work, prover: ChainEndpoint, height: int, signer: str) -> Datagram | Result:
    packet = _packet(work)
    proven = prover.prove(commitment_key(packet), height)
    if proven.value is None:
        return Result(work, Verdict.GONE)
    if proven.value != committed(packet):
        return Result(work, Verdict.FAILED, "the commitment is not that of the packet in the event")
    return _datagram(work, messages.recv(packet, proven, signer))


def _acknowledge(work: Work, prover: ChainEndpoint, height: int, signer: str) -> Datagram | Result:
    packet = _packet(work)
    proven = prover.prove(acknowledgement_key(packet), height)
    if proven.value != answered(packet, work.acknowledgement):
        return Result(work, Verdict.FAILED, "the commitment is not that of the acknowledgement in the event")
    return _datagram(work, messages.acknowledge(packet, work.acknowledgement, proven, signer))


def _timeout(work: Work, prover: ChainEndpoint, height: int, signer: str) -> Datagram | Result:
    packet = _packet(work)
    proven = _unreceived(work, packet, prover, height)
    if proven is None:
        return Result(work, Verdict.RECEIVED)
    return _datagram(work, messages.timeout(packet, proven, _next_sequence(work, proven), signer))


def _timeout_on_close(work: Work, prover: ChainEndpoint, height: int, signer: str) -> Datagram | Result:
    packet, end = _channel_packet(work), _channel(work.prover_end)
    proven = _unreceived(work, packet, prover, height)
    if proven is None:
        return Result(work, Verdict.RECEIVED)
    closed = prover.prove(paths.channel_path(end.port_id, end.channel_id), height)
    next_sequence = _next_sequence(work, proven)
    message = MsgTimeoutOnClose(packet, proven.proof, closed.proof, proven.height, next_sequence, signer)
    return _datagram(work, message)


def _close_confirm(work: Work, prover: ChainEndpoint, height: int, signer: str) -> Datagram | Result:
    end, ours = _channel(work.prover_end), _channel(work.target_end)
    proven = prover.prove(paths.channel_path(end.port_id, end.channel_id), height)
    if proven.value is None or decode_channel_end(proven.value).state != ChannelState.CLOSED:
        return Result(work, Verdict.FAILED, "the channel end is not closed")
    message = MsgChannelCloseConfirm(ours.port_id, ours.channel_id, proven.proof, proven.height, signer)
    return _datagram(work, message)


def _unreceived(work: Work, packet: AnyPacket, prover: ChainEndpoint, height: int) -> Proven | None:
    """Proof that the packet has not been received; None if it has."""
    if not work.ordered:
        proven = prover.prove(receipt_key(packet), height)
        return proven if proven.value is None else None
    end = _channel(work.prover_end)
    proven = prover.prove(paths.next_sequence_recv_path(end.port_id, end.channel_id), height)
    return proven if _next_sequence(work, proven) <= packet.sequence else None


def _next_sequence(work: Work, proven: Proven) -> int:
    # On an unordered channel the field is not verified, but must not be 0.
    return int.from_bytes(proven.value or b"", "big") if work.ordered else _packet(work).sequence


def _packet(work: Work) -> AnyPacket:
    if work.packet is None:
        raise ValueError(f"{work.key.kind} needs a packet")
    return work.packet


def _channel_packet(work: Work) -> Packet:
    if not isinstance(work.packet, Packet):
        raise ValueError(f"{work.key.kind} needs a packet of a channel")  # noqa: TRY004 - nobody's input
    return work.packet


def _channel(end: AnyEnd) -> PathEnd:
    if not isinstance(end, PathEnd):
        raise ValueError(f"{end.client_id} is no channel")  # noqa: TRY004 - nobody's input
    return end


def _datagram(work: Work, message: Msg) -> Datagram:
    return Datagram(work, pack_msg(message))


_BUILD = {
    Kind.RECV: _recv,
    Kind.ACKNOWLEDGE: _acknowledge,
    Kind.TIMEOUT: _timeout,
    Kind.TIMEOUT_ON_CLOSE: _timeout_on_close,
    Kind.CLOSE_CONFIRM: _close_confirm,
}
