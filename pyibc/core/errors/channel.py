"""Errors of ICS-4 and ICS-5: channels, packets and ports."""

from pyibc.core.errors.base import IbcError


class ChannelError(IbcError):
    """Any error of codespace `channel`."""

    codespace = "channel"


class ChannelExists(ChannelError, code=2, source="ICS-4, ibc-go's `ErrChannelExists`"):
    """The requested channel identifier is already used on the port.

    Only raised if identifiers can be requested: overwriting a channel end would lose its sequences and
    commitments.
    """

    port_id: str
    channel_id: str
    text = "channel {port_id}/{channel_id} exists"


class ChannelNotFound(ChannelError, code=3, source="ICS-4, ibc-go's `ErrChannelNotFound`"):
    """The store has no channel end under this port and channel identifier."""

    port_id: str
    channel_id: str
    text = "no channel {port_id}/{channel_id}"


class InvalidChannel(ChannelError, code=4, source="ICS-4, ibc-go's `ErrInvalidChannel`"):
    """A malformed channel end, as reported by other chains.

    Never raised here: the checks of a channel end have their own errors.
    """

    reason: str
    text = "invalid channel: {reason}"


class InvalidChannelState(ChannelError, code=5, source="ICS-4, ibc-go's `ErrInvalidChannelState`"):
    """The channel end is not in the state required for this message.

    Examples are a handshake message out of order, or a packet on a channel that is not OPEN.
    """

    channel: str
    expected: str
    got: str
    text = "channel {channel} is {got}, expected {expected}"


class InvalidChannelOrdering(ChannelError, code=6, source="ICS-4, ibc-go's `ErrInvalidChannelOrdering`"):
    """The ordering is neither ORDERED nor UNORDERED, or not accepted by the application.

    Replay protection depends on the ordering (sequence or receipts), so an unknown one would have none.
    """

    expected: str
    got: str
    text = "invalid channel ordering {got}, expected {expected}"


class InvalidChannelCounterparty(ChannelError, code=7, source="ICS-4, ibc-go's `ErrInvalidCounterparty`"):
    """The counterparty's channel is set where it must be empty, or differs from the one in this chain's end.

    In ChanOpenInit, the counterparty's channel does not exist yet; ChanOpenTry creates it.
    """

    reason: str
    text = "invalid channel counterparty: {reason}"


class SequenceSendNotFound(ChannelError, code=10, source="ICS-4, ibc-go's `ErrSequenceSendNotFound`"):
    """The channel has no `nextSequenceSend`: it was never opened."""

    port_id: str
    channel_id: str
    text = "no next send sequence for {port_id}/{channel_id}"


class SequenceReceiveNotFound(ChannelError, code=11, source="ICS-4, ibc-go's `ErrSequenceReceiveNotFound`"):
    """The channel has no `nextSequenceRecv`: it was never opened."""

    port_id: str
    channel_id: str
    text = "no next receive sequence for {port_id}/{channel_id}"


class SequenceAckNotFound(ChannelError, code=12, source="ICS-4, ibc-go's `ErrSequenceAckNotFound`"):
    """The channel has no `nextSequenceAck`: it was never opened."""

    port_id: str
    channel_id: str
    text = "no next acknowledgement sequence for {port_id}/{channel_id}"


class InvalidPacket(ChannelError, code=13, source="ICS-4, ibc-go's `ErrInvalidPacket`"):
    """A packet is malformed, is not of this channel, or does not match the stored commitment.

    The sending chain only stores the commitment: a packet with another timeout or other data is another
    packet.
    """

    reason: str
    text = "invalid packet: {reason}"


class TooManyConnectionHops(ChannelError, code=15, source="ICS-4, ibc-go's `ErrTooManyConnectionHops`"):
    """A channel end has no connection hop or more than one: multi-hop channels are not supported."""

    got: int
    text = "a channel has one connection hop, got {got}"


class InvalidAcknowledgement(ChannelError, code=16, source="ICS-4, ibc-go's `ErrInvalidAcknowledgement`"):
    """An acknowledgement is empty, or is a standard acknowledgement that is not in the canonical encoding.

    Empty bytes could not be distinguished from "not acknowledged" (ICS-4); a second encoding could be decoded
    differently by the two chains.
    """

    reason: str
    text = "invalid acknowledgement: {reason}"


class AcknowledgementExists(ChannelError, code=17, source="ICS-4, ibc-go's `ErrAcknowledgementExists`"):
    """An acknowledgement of this packet is already written, and the sender may have processed it."""

    port_id: str
    channel_id: str
    sequence: int
    text = "packet {sequence} on {port_id}/{channel_id} is acknowledged"


class InvalidChannelIdentifier(ChannelError, code=18, source="ICS-4, ibc-go's `ErrInvalidChannelIdentifier`"):
    """A channel identifier does not have the form required by this message.

    Most messages require `channel-{N}`. Requested identifiers must not have this form, which is reserved for
    generated ones, and ChanOpenTry must not have a previous identifier.
    """

    channel_id: str
    text = "invalid channel identifier {channel_id!a}"


class PacketReceived(ChannelError, code=19, source="ICS-4, ibc-go's `ErrPacketReceived`"):
    """The packet was already received, so it can be neither received again nor timed out."""

    sequence: int
    reason: str
    text = "packet {sequence} was received: {reason}"


class PacketCommitmentNotFound(ChannelError, code=20, source="ICS-4, ibc-go's `ErrPacketCommitmentNotFound`"):
    """The packet has no commitment: it was acknowledged or timed out before, or never sent.

    Relayers' messages then succeed as no-ops; only direct calls of applications get this error.
    """

    port_id: str
    channel_id: str
    sequence: int
    text = "no commitment of packet {sequence} on {port_id}/{channel_id}"


class PacketSequenceOutOfOrder(ChannelError, code=21, source="ICS-4, ibc-go's `ErrPacketSequenceOutOfOrder`"):
    """A packet or an acknowledgement is out of order on an ordered channel.

    Also raised if an application sends with a sequence other than `nextSequenceSend`.
    """

    expected: int
    got: int
    text = "packet sequence is out of order: expected {expected}, got {got}"


class RedundantTx(ChannelError, code=22, source="ICS-4, ibc-go's `ErrRedundantTx`"):
    """All packet messages of the transaction are redundant, perhaps due to another relayer (CheckTx only).

    Refusing it in the mempool saves the relayer the fee.
    """

    text = "packet messages are redundant"


class InvalidChannelVersion(ChannelError, code=24, source="ICS-4, ibc-go's `ErrInvalidChannelVersion`"):
    """The channel versions of both ends, or of an end and its application, differ."""

    expected: str
    got: str
    text = "invalid channel version {got!a}, expected {expected!a}"


class PacketNotSent(ChannelError, code=25, source="ICS-4, ibc-go's `ErrPacketNotSent`"):
    """A packet that the counterparty never sent, as reported by other chains.

    Never raised here: the proof of the commitment fails first.
    """

    sequence: int
    text = "packet {sequence} was not sent"


class InvalidTimeout(ChannelError, code=26, source="ICS-4, ibc-go's `ErrInvalidTimeout`"):
    """An invalid packet timeout, as reported by other chains.

    Never raised here: a packet without a timeout is an `InvalidPacket`.
    """

    reason: str
    text = "invalid packet timeout: {reason}"


class TimeoutNotReached(ChannelError, code=39, source="ICS-4, ibc-go's `ErrTimeoutNotReached`"):
    """Neither timeout of the packet has passed at the proof's height and time on the counterparty.

    The counterparty could still receive the packet, so a refund could pay twice.
    """

    height: str
    timestamp_ns: int
    text = "packet timeout not reached at height {height}, time {timestamp_ns} ns"


class TimeoutElapsed(ChannelError, code=40, source="ICS-4, ibc-go's `ErrTimeoutElapsed`"):
    """The packet's timeout has passed on the receiving chain.

    Checked at the current block on receipt and at the client's latest height on sending. A packet received
    after its timeout could also be refunded on the sending chain.
    """

    height: str
    timestamp_ns: int
    text = "packet timeout elapsed at height {height}, time {timestamp_ns} ns"


# -- IBC v2 (codespace `channelv2`)


class ChannelV2Error(IbcError):
    """Any error of codespace `channelv2`."""

    codespace = "channelv2"


class InvalidPacketV2(ChannelV2Error, code=2, source="IBC v2, ibc-go's `ErrInvalidPacket`"):
    """A packet is malformed, does not match the commitment, or needs what several payloads do not allow."""

    reason: str
    text = "invalid packet: {reason}"


class InvalidPayload(ChannelV2Error, code=3, source="IBC v2, ibc-go's `ErrInvalidPayload`"):
    """A payload lacks version, encoding or value, or there are too many or too large payloads."""

    reason: str
    text = "invalid payload: {reason}"


class SequenceSendNotFoundV2(ChannelV2Error, code=4, source="IBC v2, ibc-go's `ErrSequenceSendNotFound`"):
    """The client has no next sequence to send: no counterparty is registered."""

    client_id: str
    text = "client {client_id} has no next send sequence"


class InvalidAcknowledgementV2(ChannelV2Error, code=5, source="IBC v2, ibc-go's `ErrInvalidAcknowledgement`"):
    """The entries of an acknowledgement do not match the packet, or no such packet awaits one.

    An acknowledgement has one nonempty entry per payload, or only the error acknowledgement. An application
    must not return this sentinel as a success, or the sender would refund a delivered packet.
    """

    reason: str
    text = "invalid acknowledgement: {reason}"


class InvalidTimeoutV2(ChannelV2Error, code=8, source="IBC v2, ibc-go's `ErrInvalidTimeout`"):
    """The timeout of a packet to send is zero, or more than a day after the block time."""

    reason: str
    text = "invalid timeout: {reason}"


class TimeoutElapsedV2(ChannelV2Error, code=9, source="IBC v2, ibc-go's `ErrTimeoutElapsed`"):
    """The packet's timeout has passed, on this chain or at the latest known time of the counterparty.

    Both times are Unix seconds. A packet received after its timeout could also be refunded on the sending
    chain.
    """

    timeout_s: int
    time_s: int
    text = "timeout {timeout_s} s has elapsed at {time_s} s"


class TimeoutNotReachedV2(ChannelV2Error, code=10, source="IBC v2, ibc-go's `ErrTimeoutNotReached`"):
    """The counterparty's time at the proof's height is before the packet's timeout, both in Unix seconds.

    The counterparty could still receive the packet, so a refund could pay twice.
    """

    timeout_s: int
    time_s: int
    text = "timeout {timeout_s} s is not reached at {time_s} s"


class AcknowledgementExistsV2(ChannelV2Error, code=11, source="IBC v2, ibc-go's `ErrAcknowledgementExists`"):
    """An acknowledgement of this packet is already written, and the sender may have processed it."""

    client_id: str
    sequence: int
    text = "packet {client_id}/{sequence} is acknowledged already"


# -- ports (ICS-5, codespace `port`)


class PortError(IbcError):
    """Any error of codespace `port`."""

    codespace = "port"


class PortExists(PortError, code=2, source="ICS-5, ibc-go's `ErrPortExists`"):
    """Another application has bound this port."""

    port_id: str
    text = "port {port_id!a} is bound"


class InvalidRoute(PortError, code=5, source="ICS-5, ibc-go's `ErrInvalidRoute`"):
    """No application is bound to this port, or the bound application is for another port.

    Applications bind their ports before the chain starts; later claims are refused.
    """

    port_id: str
    text = "no application is bound to port {port_id!a}"


# -- errors of ICS-4 and ICS-5 without a code in ibc-go (codespace `ics4`)


class Ics4Error(IbcError):
    """Any error of codespace `ics4`."""

    codespace = "ics4"


class NotPortOwner(Ics4Error, code=2, source="ICS-5 `authenticate`"):
    """The caller is not the owner of the port, or an argument has a wrong type.

    Without this check, one application could send packets from the port of another.
    """

    port_id: str
    text = "this application did not bind port {port_id!a}"


class CounterpartyUnknown(Ics4Error, code=5, source="ICS-4 `sendPacket`"):
    """The channel is not OPEN yet, and its counterparty channel is unknown: packets have no destination."""

    port_id: str
    channel_id: str
    text = "the other end of {port_id}/{channel_id} has no name before the channel is open"


class TooManyOptimisticPackets(Ics4Error, code=6, source="ICS-4 `sendPacket`"):
    """The channel is not OPEN yet, and the maximum number of packets has been sent over it.

    Their commitments stay in state until the handshake ends, perhaps forever, so their number is limited.
    """

    limit: int
    text = "{limit} packets were sent before the channel is open, no more are allowed"
