"""Errors of middleware: rate limits, packet forwarding and callbacks."""

from pyibc.core.errors.base import IbcError

# -- rate limits (codespace `ratelimit`)


class RateLimitError(IbcError):
    """Any error of codespace `ratelimit`."""

    codespace = "ratelimit"


class RateLimitAlreadyExists(
    RateLimitError, code=1, source="rate limits, ibc-go's `ErrRateLimitAlreadyExists`"
):
    """A rate limit of this denomination over this channel or client exists, and can be updated."""

    channel_or_client_id: str
    denom: str
    text = "there is a rate limit of {denom!a} over {channel_or_client_id}"


class RateLimitNotFound(RateLimitError, code=2, source="rate limits, ibc-go's `ErrRateLimitNotFound`"):
    """No rate limit of this denomination over this channel or client exists."""

    channel_or_client_id: str
    denom: str
    text = "no rate limit of {denom!a} over {channel_or_client_id}"


class ZeroChannelValue(RateLimitError, code=3, source="rate limits, ibc-go's `ErrZeroChannelValue`"):
    """The supply of the denomination is zero, so a percentage of it is meaningless."""

    denom: str
    text = "there is no {denom!a} on this chain"


class QuotaExceeded(RateLimitError, code=4, source="rate limits, ibc-go's `ErrQuotaExceeded`"):
    """The transfer would raise the net flow of the window above its quota."""

    direction: str  # `Inflow`, `Outflow`
    net: int  # with this transfer
    channel_value: int  # the supply at the start of the window
    percent: int
    text = (
        "{direction} exceeds quota - Net {direction}: {net}, Channel Value: {channel_value}, "
        "Threshold: {percent}%: quota exceeded"
    )


class InvalidRateLimitClient(RateLimitError, code=5, source="rate limits, ibc-go's `ErrInvalidClientState`"):
    """A query by chain id found a limit over a channel or client that does not exist any more."""

    channel_or_client_id: str
    text = "no client state for {channel_or_client_id}"


class RateLimitChannelNotFound(RateLimitError, code=6, source="rate limits, ibc-go's `ErrChannelNotFound`"):
    """The identifier of a new limit is neither a transfer channel nor a client of this chain."""

    channel_or_client_id: str
    text = "{channel_or_client_id} is neither a transfer channel nor a client"


class DenomIsBlacklisted(RateLimitError, code=7, source="rate limits, ibc-go's `ErrDenomIsBlacklisted`"):
    """Transfers of this denomination are forbidden in both directions."""

    denom: str
    text = "denom {denom} is blacklisted: denom is blacklisted"


class UnsupportedAttribute(RateLimitError, code=8, source="rate limits, ibc-go's `ErrUnsupportedAttribute`"):
    """An unsupported attribute, as reported by other chains.

    Never raised here, nor by ibc-go.
    """

    attribute: str
    text = "unsupported attribute {attribute!a}"


class EpochNotFound(RateLimitError, code=9, source="rate limits, ibc-go's `ErrEpochNotFound`"):
    """A missing hour epoch in the store, as reported by other chains.

    Never raised here: genesis sets it, and without it no window ends.
    """

    text = "hour epoch not found in store"


class UnmarshalEpoch(RateLimitError, code=10, source="rate limits, ibc-go's `ErrUnmarshalEpoch`"):
    """A malformed hour epoch, as reported by other chains.

    Never raised here: a corrupt store stops the node.
    """

    reason: str
    text = "could not unmarshal the hour epoch: {reason}"


class InvalidEpoch(RateLimitError, code=11, source="rate limits, ibc-go's `ErrInvalidEpoch`"):
    """A new hour epoch is invalid: a time is outside the years 1 to 9999, or a number exceeds 64 bits."""

    reason: str
    text = "invalid hour epoch: {reason}"


class InvalidRateLimitChannel(RateLimitError, code=12, source="rate limits, ibc-go's `ErrInvalidChannelID`"):
    """A channel or client identifier cannot be part of a store key."""

    channel_or_client_id: str
    text = "{channel_or_client_id!a} is longer than 64 bytes, or has a zero byte"


class AsyncPacketNotFound(RateLimitError, code=13, source="rate limits, ibc-go's `ErrAsyncPacketNotFound`"):
    """An application acknowledges an IBC v2 packet that does not await an acknowledgement."""

    client_id: str
    sequence: int
    text = "no packet {client_id}/{sequence} waits for an acknowledgement"


class AsyncAckNil(RateLimitError, code=14, source="rate limits, ibc-go's `ErrAsyncAckNil`"):
    """An application acknowledges a packet with no acknowledgement."""

    channel_id: str
    sequence: int
    text = "no acknowledgement for packet {channel_id}/{sequence}"


class InvalidRateLimitPacket(RateLimitError, code=15, source="rate limits, ibc-go's `ErrInvalidPacketData`"):
    """An IBC v2 payload has another version than ics20-1, or a denomination cannot be part of a store key."""

    reason: str
    text = "invalid packet data: {reason}"


# -- packet forwarding (codespace `packetfowardmiddleware`, spelled as in ibc-go)
# Errors without a code in ibc-go have the codespace `undefined` and the code 1, as in its acknowledgements.

_PLAIN = "a plain error in ibc-go"


class PacketForwardError(IbcError):
    """Any error of codespace `packetfowardmiddleware`."""

    codespace = "packetfowardmiddleware"


class ForwardKeyNotFound(PacketForwardError, code=1, source="ibc-go's `ErrMetadataKeyNotFound`"):
    """The memo's `forward` lacks a receiver, port or channel, or has one that is not a string.

    The acknowledgement has `InvalidForwardMetadata`.
    """

    key: str
    text = "no text {key!a} in the memo's `forward`"


class InvalidForwardMetadata(PacketForwardError, code=2, source="ibc-go's `ErrInvalidForwardMetadata`"):
    """The memo's `forward` is malformed: the packet is refused, and its sender refunded."""

    reason: str
    text = "invalid forward metadata: {reason}"


class ForwardTransferFailed(PacketForwardError, code=3, source="ibc-go's `ErrForwardTransferFailed`"):
    """A received packet cannot be forwarded: the channel, the coin or the transfer was refused."""

    reason: str
    text = "failed to forward transfer packet: {reason}"


class InvalidForwardHop(PacketForwardError, code=1, source=_PLAIN):
    """The memo's `forward` has an empty receiver, or an invalid port or channel identifier."""

    reason: str
    codespace = "undefined"
    text = "failed to validate metadata: {reason}"


class ForwardReceiveFailed(PacketForwardError, code=1, source=_PLAIN):
    """The transfer application refused a packet to forward, or acknowledges it asynchronously."""

    reason: str
    codespace = "undefined"
    text = "a packet to forward was not received: {reason}"


class ForwardRetriesExhausted(PacketForwardError, code=1, source=_PLAIN):
    """A forwarded packet timed out on all retries, and the previous chain gets an error acknowledgement."""

    port_id: str
    channel_id: str
    text = "giving up on packet on channel ({channel_id}) port ({port_id}) after max retries"
    codespace = "undefined"


class ForwardRefundFailed(PacketForwardError, code=1, source=_PLAIN):
    """The coins of a failed forwarded packet cannot be prepared for the refund.

    The acknowledgement or timeout message fails and may be submitted again: nothing is lost.
    """

    reason: str
    codespace = "undefined"
    text = "a forwarded packet cannot be refunded: {reason}"


# -- callbacks (ADR-8, codespace `ibccallbacks`)


class CallbackError(IbcError):
    """Any error of codespace `ibccallbacks`."""

    codespace = "ibccallbacks"


class CallbackAddressNotFound(CallbackError, code=5, source="ADR-8, ibc-go's `ErrCallbackAddressNotFound`"):
    """A packet requests a callback at an address without a contract."""

    address: str
    text = "no contract has the address {address!a}"


class CallbackOutOfGas(CallbackError, code=6, source="ADR-8, ibc-go's `ErrCallbackOutOfGas`"):
    """A contract exceeded the callback's gas limit, although the transaction had more gas."""

    callback: str
    text = "ibc {callback} callback out of gas: callback out of gas"


class CallbackPanicked(CallbackError, code=7, source="ADR-8, ibc-go's `ErrCallbackPanic`"):
    """A contract raised an exception that is no `IbcError`, whose text is only in the node's log."""

    callback: str
    raised: str  # the name of its class
    text = "ibc {callback} callback panicked with: {raised}: callback panic"


class InvalidCallbackData(CallbackError, code=8, source="ADR-8, ibc-go's `ErrInvalidCallbackData`"):
    """The callback data of a packet is malformed: it is not sent, or acknowledged with an error."""

    reason: str
    text = "{reason}: invalid callback data"
