"""Errors of IBC v2: packets between clients (codespace `channelv2`)."""

from typing import ClassVar

from ibc_core.errors.base import IbcError


class ChannelV2Error(IbcError):
    """Any error of codespace `channelv2`."""

    codespace: ClassVar[str] = "channelv2"


class InvalidPacketV2(ChannelV2Error):
    """A packet is malformed, differs from the stored commitment, or asks what its payloads do not allow.

    `channelv2/2`: IBC v2, ibc-go's `ErrInvalidPacket`.
    """

    reason: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "invalid packet: {reason}"


class InvalidPayload(ChannelV2Error):
    """A payload lacks version, encoding or value, or a packet's payloads are too many or too large.

    `channelv2/3`: IBC v2, ibc-go's `ErrInvalidPayload`.
    """

    reason: str
    code: ClassVar[int] = 3
    text: ClassVar[str] = "invalid payload: {reason}"


class SequenceSendNotFoundV2(ChannelV2Error):
    """The client has no next send sequence: no counterparty was registered for it.

    `channelv2/4`: IBC v2, ibc-go's `ErrSequenceSendNotFound`.
    """

    client_id: str
    code: ClassVar[int] = 4
    text: ClassVar[str] = "client {client_id} has no next send sequence"


class InvalidAcknowledgementV2(ChannelV2Error):
    """The entries of an acknowledgement do not fit the packet, or nothing waits for it.

    There is one nonempty entry a payload, or the error acknowledgement alone; an application must not
    return that sentinel as its success, or the sender would refund what was delivered.

    `channelv2/5`: IBC v2, ibc-go's `ErrInvalidAcknowledgement`.
    """

    reason: str
    code: ClassVar[int] = 5
    text: ClassVar[str] = "invalid acknowledgement: {reason}"


class InvalidTimeoutV2(ChannelV2Error):
    """The timeout of a packet to send is zero, or more than a day ahead of the block time.

    `channelv2/8`: IBC v2, ibc-go's `ErrInvalidTimeout`.
    """

    reason: str
    code: ClassVar[int] = 8
    text: ClassVar[str] = "invalid timeout: {reason}"


class TimeoutElapsedV2(ChannelV2Error):
    """The packet's timeout has passed, here or by the counterparty's latest known time.

    Both times are unix seconds. Received after its timeout, a packet might be refunded on the sending
    chain as well.

    `channelv2/9`: IBC v2, ibc-go's `ErrTimeoutElapsed`.
    """

    timeout_s: int
    time_s: int
    code: ClassVar[int] = 9
    text: ClassVar[str] = "timeout {timeout_s} s has elapsed at {time_s} s"


class TimeoutNotReachedV2(ChannelV2Error):
    """The counterparty's time at the proof's height is before the packet's timeout; both are unix seconds.

    It could still receive the packet, so a refund now might pay twice.

    `channelv2/10`: IBC v2, ibc-go's `ErrTimeoutNotReached`.
    """

    timeout_s: int
    time_s: int
    code: ClassVar[int] = 10
    text: ClassVar[str] = "timeout {timeout_s} s is not reached at {time_s} s"


class AcknowledgementExistsV2(ChannelV2Error):
    """An acknowledgement of this packet is already written; the sender may have acted on it.

    `channelv2/11`: IBC v2, ibc-go's `ErrAcknowledgementExists`.
    """

    client_id: str
    sequence: int
    code: ClassVar[int] = 11
    text: ClassVar[str] = "packet {client_id}/{sequence} is acknowledged already"
