"""Errors of IBC v2: packets between clients (codespace `channelv2`)."""

from ibc_core.errors.base import IbcError


class ChannelV2Error(IbcError):
    """Any error of codespace `channelv2`."""

    codespace = "channelv2"


class InvalidPacketV2(ChannelV2Error, code=2, source="IBC v2, ibc-go's `ErrInvalidPacket`"):
    """A packet is malformed, differs from the stored commitment, or asks what its payloads do not allow."""

    reason: str
    text = "invalid packet: {reason}"


class InvalidPayload(ChannelV2Error, code=3, source="IBC v2, ibc-go's `ErrInvalidPayload`"):
    """A payload lacks version, encoding or value, or a packet's payloads are too many or too large."""

    reason: str
    text = "invalid payload: {reason}"


class SequenceSendNotFoundV2(ChannelV2Error, code=4, source="IBC v2, ibc-go's `ErrSequenceSendNotFound`"):
    """The client has no next send sequence: no counterparty was registered for it."""

    client_id: str
    text = "client {client_id} has no next send sequence"


class InvalidAcknowledgementV2(ChannelV2Error, code=5, source="IBC v2, ibc-go's `ErrInvalidAcknowledgement`"):
    """The entries of an acknowledgement do not fit the packet, or nothing waits for it.

    There is one nonempty entry a payload, or the error acknowledgement alone; an application must not
    return that sentinel as its success, or the sender would refund what was delivered.
    """

    reason: str
    text = "invalid acknowledgement: {reason}"


class InvalidTimeoutV2(ChannelV2Error, code=8, source="IBC v2, ibc-go's `ErrInvalidTimeout`"):
    """The timeout of a packet to send is zero, or more than a day ahead of the block time."""

    reason: str
    text = "invalid timeout: {reason}"


class TimeoutElapsedV2(ChannelV2Error, code=9, source="IBC v2, ibc-go's `ErrTimeoutElapsed`"):
    """The packet's timeout has passed, here or by the counterparty's latest known time.

    Both times are unix seconds. Received after its timeout, a packet might be refunded on the sending
    chain as well.
    """

    timeout_s: int
    time_s: int
    text = "timeout {timeout_s} s has elapsed at {time_s} s"


class TimeoutNotReachedV2(ChannelV2Error, code=10, source="IBC v2, ibc-go's `ErrTimeoutNotReached`"):
    """The counterparty's time at the proof's height is before the packet's timeout; both are unix seconds.

    It could still receive the packet, so a refund now might pay twice.
    """

    timeout_s: int
    time_s: int
    text = "timeout {timeout_s} s is not reached at {time_s} s"


class AcknowledgementExistsV2(ChannelV2Error, code=11, source="IBC v2, ibc-go's `ErrAcknowledgementExists`"):
    """An acknowledgement of this packet is already written; the sender may have acted on it."""

    client_id: str
    sequence: int
    text = "packet {client_id}/{sequence} is acknowledged already"
