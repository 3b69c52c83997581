"""Errors of ICS-4: channels and packets (codespace `channel`)."""

from typing import ClassVar

from ibc_core.errors.base import IbcError


class ChannelError(IbcError):
    """Any error of codespace `channel`."""

    codespace: ClassVar[str] = "channel"


class ChannelExists(ChannelError):
    """A handshake names a channel identifier that is taken on its port.

    Raised only where the caller may choose the identifier: overwriting an end would lose its
    sequences and commitments.

    `channel/2`: ICS-4, ibc-go's `ErrChannelExists`.
    """

    port_id: str
    channel_id: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "channel {port_id}/{channel_id} exists"


class ChannelNotFound(ChannelError):
    """The store has no channel end under this port and channel identifier.

    `channel/3`: ICS-4, ibc-go's `ErrChannelNotFound`.
    """

    port_id: str
    channel_id: str
    code: ClassVar[int] = 3
    text: ClassVar[str] = "no channel {port_id}/{channel_id}"


class InvalidChannel(ChannelError):
    """A malformed channel end, as other chains report it.

    Never raised here: the checks of an end have errors of their own.

    `channel/4`: ICS-4, ibc-go's `ErrInvalidChannel`.
    """

    reason: str
    code: ClassVar[int] = 4
    text: ClassVar[str] = "invalid channel: {reason}"


class InvalidChannelState(ChannelError):
    """The channel end is not in the state that this step needs.

    Examples: a handshake message out of turn, or a packet on a channel that is not OPEN.

    `channel/5`: ICS-4, ibc-go's `ErrInvalidChannelState`.
    """

    channel: str
    expected: str
    got: str
    code: ClassVar[int] = 5
    text: ClassVar[str] = "channel {channel} is {got}, expected {expected}"


class InvalidChannelOrdering(ChannelError):
    """The ordering is neither ORDERED nor UNORDERED, or not one that the application accepts.

    Replay protection depends on it (a counter or receipts), so an unknown ordering would have none.

    `channel/6`: ICS-4, ibc-go's `ErrInvalidChannelOrdering`.
    """

    expected: str
    got: str
    code: ClassVar[int] = 6
    text: ClassVar[str] = "invalid channel ordering {got}, expected {expected}"


class InvalidChannelCounterparty(ChannelError):
    """The counterparty's channel is named where it must be empty, or differs from the one our end names.

    In ChanOpenInit the counterparty's identifier does not exist yet; only its ChanOpenTry chooses it.

    `channel/7`: ICS-4, ibc-go's `ErrInvalidCounterparty`.
    """

    reason: str
    code: ClassVar[int] = 7
    text: ClassVar[str] = "invalid channel counterparty: {reason}"


class SequenceSendNotFound(ChannelError):
    """The channel has no `nextSequenceSend`: no channel of this name was ever opened.

    `channel/10`: ICS-4, ibc-go's `ErrSequenceSendNotFound`.
    """

    port_id: str
    channel_id: str
    code: ClassVar[int] = 10
    text: ClassVar[str] = "no next send sequence for {port_id}/{channel_id}"


class SequenceReceiveNotFound(ChannelError):
    """The channel has no `nextSequenceRecv`: nothing was ever opened under this name.

    `channel/11`: ICS-4, ibc-go's `ErrSequenceReceiveNotFound`.
    """

    port_id: str
    channel_id: str
    code: ClassVar[int] = 11
    text: ClassVar[str] = "no next receive sequence for {port_id}/{channel_id}"


class SequenceAckNotFound(ChannelError):
    """The channel has no `nextSequenceAck`: no such channel was ever opened.

    `channel/12`: ICS-4, ibc-go's `ErrSequenceAckNotFound`.
    """

    port_id: str
    channel_id: str
    code: ClassVar[int] = 12
    text: ClassVar[str] = "no next acknowledgement sequence for {port_id}/{channel_id}"


class InvalidPacket(ChannelError):
    """A packet is malformed, names another channel as its route, or does not hash to the stored commitment.

    A packet is known on the sending chain by its commitment alone: with another timeout or other data
    it is another packet.

    `channel/13`: ICS-4, ibc-go's `ErrInvalidPacket`.
    """

    reason: str
    code: ClassVar[int] = 13
    text: ClassVar[str] = "invalid packet: {reason}"


class TooManyConnectionHops(ChannelError):
    """A channel end lists no connection, or more than one: multi-hop channels are not supported.

    `channel/15`: ICS-4, ibc-go's `ErrTooManyConnectionHops`.
    """

    got: int
    code: ClassVar[int] = 15
    text: ClassVar[str] = "a channel has one connection hop, got {got}"


class InvalidAcknowledgement(ChannelError):
    """An acknowledgement is empty, or is the standard JSON in a form other than its canonical one.

    Empty bytes could not be told from "not acknowledged" (ICS-4); a second spelling of one answer
    could be read two ways.

    `channel/16`: ICS-4, ibc-go's `ErrInvalidAcknowledgement`.
    """

    reason: str
    code: ClassVar[int] = 16
    text: ClassVar[str] = "invalid acknowledgement: {reason}"


class AcknowledgementExists(ChannelError):
    """An acknowledgement of this packet is already written; the sender may have acted on it.

    `channel/17`: ICS-4, ibc-go's `ErrAcknowledgementExists`.
    """

    port_id: str
    channel_id: str
    sequence: int
    code: ClassVar[int] = 17
    text: ClassVar[str] = "packet {sequence} on {port_id}/{channel_id} is acknowledged"


class InvalidChannelIdentifier(ChannelError):
    """A channel identifier has the wrong form for this message.

    Most need `channel-{N}`; identifiers that a caller chooses must not have that form, which the
    chain counts up itself, and ChanOpenTry must not carry a previous identifier.

    `channel/18`: ICS-4, ibc-go's `ErrInvalidChannelIdentifier`.
    """

    channel_id: str
    code: ClassVar[int] = 18
    text: ClassVar[str] = "invalid channel identifier {channel_id!a}"


class PacketReceived(ChannelError):
    """The packet was received before, so it can be neither received again nor timed out.

    `channel/19`: ICS-4, ibc-go's `ErrPacketReceived`.
    """

    sequence: int
    reason: str
    code: ClassVar[int] = 19
    text: ClassVar[str] = "packet {sequence} was received: {reason}"


class PacketCommitmentNotFound(ChannelError):
    """The packet's commitment is gone: it was acknowledged or timed out before, or never sent.

    Messages of relayers succeed as no-ops then; only calls that an application makes itself get this
    error.

    `channel/20`: ICS-4, ibc-go's `ErrPacketCommitmentNotFound`.
    """

    port_id: str
    channel_id: str
    sequence: int
    code: ClassVar[int] = 20
    text: ClassVar[str] = "no commitment of packet {sequence} on {port_id}/{channel_id}"


class PacketSequenceOutOfOrder(ChannelError):
    """On an ordered channel, a packet or an acknowledgement came before its turn.

    Also raised when an application sends with a sequence other than `nextSequenceSend`.

    `channel/21`: ICS-4, ibc-go's `ErrPacketSequenceOutOfOrder`.
    """

    expected: int
    got: int
    code: ClassVar[int] = 21
    text: ClassVar[str] = "packet sequence is out of order: expected {expected}, got {got}"


class RedundantTx(ChannelError):
    """CheckTx only: all packet messages of the transaction were handled already, by another relayer perhaps.

    Rejecting it from the mempool saves the second relayer its fee.

    `channel/22`: ICS-4, ibc-go's `ErrRedundantTx`.
    """

    code: ClassVar[int] = 22
    text: ClassVar[str] = "packet messages are redundant"


class InvalidChannelVersion(ChannelError):
    """The two ends of the handshake, or an end and its application, name different channel versions.

    `channel/24`: ICS-4, ibc-go's `ErrInvalidChannelVersion`.
    """

    expected: str
    got: str
    code: ClassVar[int] = 24
    text: ClassVar[str] = "invalid channel version {got!a}, expected {expected!a}"


class PacketNotSent(ChannelError):
    """A packet that the counterparty never sent, as other chains report it.

    Never raised here: its proof of commitment fails first.

    `channel/25`: ICS-4, ibc-go's `ErrPacketNotSent`.
    """

    sequence: int
    code: ClassVar[int] = 25
    text: ClassVar[str] = "packet {sequence} was not sent"


class InvalidTimeout(ChannelError):
    """An invalid packet timeout, as other chains report it.

    Never raised here: a packet without a timeout is an `InvalidPacket`.

    `channel/26`: ICS-4, ibc-go's `ErrInvalidTimeout`.
    """

    reason: str
    code: ClassVar[int] = 26
    text: ClassVar[str] = "invalid packet timeout: {reason}"


class TimeoutNotReached(ChannelError):
    """Neither timeout of the packet is reached at the counterparty's height and time that are proven.

    The counterparty could still receive the packet, so a refund now might pay twice.

    `channel/39`: ICS-4, ibc-go's `ErrTimeoutNotReached`.
    """

    height: str
    timestamp_ns: int
    code: ClassVar[int] = 39
    text: ClassVar[str] = "packet timeout not reached at height {height}, time {timestamp_ns} ns"


class TimeoutElapsed(ChannelError):
    """The packet's timeout has passed on the receiving chain.

    Checked at the block under way (recv) and at the client's latest height (send). Received after its
    timeout, a packet might be refunded on the sending chain as well.

    `channel/40`: ICS-4, ibc-go's `ErrTimeoutElapsed`.
    """

    height: str
    timestamp_ns: int
    code: ClassVar[int] = 40
    text: ClassVar[str] = "packet timeout elapsed at height {height}, time {timestamp_ns} ns"
