"""Errors of ICS-4: channels and packets (codespace `channel`)."""

from ibc_core.errors.base import IbcError


class ChannelError(IbcError):
    """Any error of codespace `channel`."""

    codespace = "channel"


class ChannelExists(ChannelError, code=2, source="ICS-4, ibc-go's `ErrChannelExists`"):
    """A handshake names a channel identifier that is taken on its port.

    Raised only where the caller may choose the identifier: overwriting an end would lose its
    sequences and commitments.
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
    """A malformed channel end, as other chains report it.

    Never raised here: the checks of an end have errors of their own.
    """

    reason: str
    text = "invalid channel: {reason}"


class InvalidChannelState(ChannelError, code=5, source="ICS-4, ibc-go's `ErrInvalidChannelState`"):
    """The channel end is not in the state that this step needs.

    Examples: a handshake message out of turn, or a packet on a channel that is not OPEN.
    """

    channel: str
    expected: str
    got: str
    text = "channel {channel} is {got}, expected {expected}"


class InvalidChannelOrdering(ChannelError, code=6, source="ICS-4, ibc-go's `ErrInvalidChannelOrdering`"):
    """The ordering is neither ORDERED nor UNORDERED, or not one that the application accepts.

    Replay protection depends on it (a counter or receipts), so an unknown ordering would have none.
    """

    expected: str
    got: str
    text = "invalid channel ordering {got}, expected {expected}"


class InvalidChannelCounterparty(ChannelError, code=7, source="ICS-4, ibc-go's `ErrInvalidCounterparty`"):
    """The counterparty's channel is named where it must be empty, or differs from the one our end names.

    In ChanOpenInit the counterparty's identifier does not exist yet; only its ChanOpenTry chooses it.
    """

    reason: str
    text = "invalid channel counterparty: {reason}"


class SequenceSendNotFound(ChannelError, code=10, source="ICS-4, ibc-go's `ErrSequenceSendNotFound`"):
    """The channel has no `nextSequenceSend`: no channel of this name was ever opened."""

    port_id: str
    channel_id: str
    text = "no next send sequence for {port_id}/{channel_id}"


class SequenceReceiveNotFound(ChannelError, code=11, source="ICS-4, ibc-go's `ErrSequenceReceiveNotFound`"):
    """The channel has no `nextSequenceRecv`: nothing was ever opened under this name."""

    port_id: str
    channel_id: str
    text = "no next receive sequence for {port_id}/{channel_id}"


class SequenceAckNotFound(ChannelError, code=12, source="ICS-4, ibc-go's `ErrSequenceAckNotFound`"):
    """The channel has no `nextSequenceAck`: no such channel was ever opened."""

    port_id: str
    channel_id: str
    text = "no next acknowledgement sequence for {port_id}/{channel_id}"


class InvalidPacket(ChannelError, code=13, source="ICS-4, ibc-go's `ErrInvalidPacket`"):
    """A packet is malformed, names another channel as its route, or does not hash to the stored commitment.

    A packet is known on the sending chain by its commitment alone: with another timeout or other data
    it is another packet.
    """

    reason: str
    text = "invalid packet: {reason}"


class TooManyConnectionHops(ChannelError, code=15, source="ICS-4, ibc-go's `ErrTooManyConnectionHops`"):
    """A channel end lists no connection, or more than one: multi-hop channels are not supported."""

    got: int
    text = "a channel has one connection hop, got {got}"


class InvalidAcknowledgement(ChannelError, code=16, source="ICS-4, ibc-go's `ErrInvalidAcknowledgement`"):
    """An acknowledgement is empty, or is the standard JSON in a form other than its canonical one.

    Empty bytes could not be told from "not acknowledged" (ICS-4); a second spelling of one answer
    could be read two ways.
    """

    reason: str
    text = "invalid acknowledgement: {reason}"


class AcknowledgementExists(ChannelError, code=17, source="ICS-4, ibc-go's `ErrAcknowledgementExists`"):
    """An acknowledgement of this packet is already written; the sender may have acted on it."""

    port_id: str
    channel_id: str
    sequence: int
    text = "packet {sequence} on {port_id}/{channel_id} is acknowledged"


class InvalidChannelIdentifier(ChannelError, code=18, source="ICS-4, ibc-go's `ErrInvalidChannelIdentifier`"):
    """A channel identifier has the wrong form for this message.

    Most need `channel-{N}`; identifiers that a caller chooses must not have that form, which the
    chain counts up itself, and ChanOpenTry must not carry a previous identifier.
    """

    channel_id: str
    text = "invalid channel identifier {channel_id!a}"


class PacketReceived(ChannelError, code=19, source="ICS-4, ibc-go's `ErrPacketReceived`"):
    """The packet was received before, so it can be neither received again nor timed out."""

    sequence: int
    reason: str
    text = "packet {sequence} was received: {reason}"


class PacketCommitmentNotFound(ChannelError, code=20, source="ICS-4, ibc-go's `ErrPacketCommitmentNotFound`"):
    """The packet's commitment is gone: it was acknowledged or timed out before, or never sent.

    Messages of relayers succeed as no-ops then; only calls that an application makes itself get this
    error.
    """

    port_id: str
    channel_id: str
    sequence: int
    text = "no commitment of packet {sequence} on {port_id}/{channel_id}"


class PacketSequenceOutOfOrder(ChannelError, code=21, source="ICS-4, ibc-go's `ErrPacketSequenceOutOfOrder`"):
    """On an ordered channel, a packet or an acknowledgement came before its turn.

    Also raised when an application sends with a sequence other than `nextSequenceSend`.
    """

    expected: int
    got: int
    text = "packet sequence is out of order: expected {expected}, got {got}"


class RedundantTx(ChannelError, code=22, source="ICS-4, ibc-go's `ErrRedundantTx`"):
    """CheckTx only: all packet messages of the transaction were handled already, by another relayer perhaps.

    Rejecting it from the mempool saves the second relayer its fee.
    """

    text = "packet messages are redundant"


class InvalidChannelVersion(ChannelError, code=24, source="ICS-4, ibc-go's `ErrInvalidChannelVersion`"):
    """The two ends of the handshake, or an end and its application, name different channel versions."""

    expected: str
    got: str
    text = "invalid channel version {got!a}, expected {expected!a}"


class PacketNotSent(ChannelError, code=25, source="ICS-4, ibc-go's `ErrPacketNotSent`"):
    """A packet that the counterparty never sent, as other chains report it.

    Never raised here: its proof of commitment fails first.
    """

    sequence: int
    text = "packet {sequence} was not sent"


class InvalidTimeout(ChannelError, code=26, source="ICS-4, ibc-go's `ErrInvalidTimeout`"):
    """An invalid packet timeout, as other chains report it.

    Never raised here: a packet without a timeout is an `InvalidPacket`.
    """

    reason: str
    text = "invalid packet timeout: {reason}"


class TimeoutNotReached(ChannelError, code=39, source="ICS-4, ibc-go's `ErrTimeoutNotReached`"):
    """Neither timeout of the packet is reached at the counterparty's height and time that are proven.

    The counterparty could still receive the packet, so a refund now might pay twice.
    """

    height: str
    timestamp_ns: int
    text = "packet timeout not reached at height {height}, time {timestamp_ns} ns"


class TimeoutElapsed(ChannelError, code=40, source="ICS-4, ibc-go's `ErrTimeoutElapsed`"):
    """The packet's timeout has passed on the receiving chain.

    Checked at the block under way (recv) and at the client's latest height (send). Received after its
    timeout, a packet might be refunded on the sending chain as well.
    """

    height: str
    timestamp_ns: int
    text = "packet timeout elapsed at height {height}, time {timestamp_ns} ns"
