"""Errors of rate limits (codespace `ratelimit`, ibc-go's codes)."""

from ibc_core.errors.base import IbcError


class RateLimitError(IbcError):
    """Any error of codespace `ratelimit`."""

    codespace = "ratelimit"


class RateLimitAlreadyExists(
    RateLimitError, code=1, source="rate limits, ibc-go's `ErrRateLimitAlreadyExists`"
):
    """There is a limit of this denomination over this channel or client already: it can be updated."""

    channel_or_client_id: str
    denom: str
    text = "there is a rate limit of {denom!a} over {channel_or_client_id}"


class RateLimitNotFound(RateLimitError, code=2, source="rate limits, ibc-go's `ErrRateLimitNotFound`"):
    """There is no limit of this denomination over this channel or client."""

    channel_or_client_id: str
    denom: str
    text = "no rate limit of {denom!a} over {channel_or_client_id}"


class ZeroChannelValue(RateLimitError, code=3, source="rate limits, ibc-go's `ErrZeroChannelValue`"):
    """The chain has none of the coin, so that a percentage of it means nothing."""

    denom: str
    text = "there is no {denom!a} on this chain"


class QuotaExceeded(RateLimitError, code=4, source="rate limits, ibc-go's `ErrQuotaExceeded`"):
    """The transfer would bring the window's net flow above its threshold."""

    direction: str  # `Inflow`, `Outflow`
    net: int  # with this transfer
    channel_value: int  # the supply when the window began
    percent: int
    text = (
        "{direction} exceeds quota - Net {direction}: {net}, Channel Value: {channel_value}, "
        "Threshold: {percent}%: quota exceeded"
    )


class InvalidRateLimitClient(RateLimitError, code=5, source="rate limits, ibc-go's `ErrInvalidClientState`"):
    """A query by chain meets a limit over a channel or client that is no longer there."""

    channel_or_client_id: str
    text = "no client state for {channel_or_client_id}"


class RateLimitChannelNotFound(RateLimitError, code=6, source="rate limits, ibc-go's `ErrChannelNotFound`"):
    """The limit is to be over what is neither a transfer channel nor a client of this chain."""

    channel_or_client_id: str
    text = "{channel_or_client_id} is neither a transfer channel nor a client"


class DenomIsBlacklisted(RateLimitError, code=7, source="rate limits, ibc-go's `ErrDenomIsBlacklisted`"):
    """The chain lets no transfer of this denomination out or in."""

    denom: str
    text = "denom {denom} is blacklisted: denom is blacklisted"


class UnsupportedAttribute(RateLimitError, code=8, source="rate limits, ibc-go's `ErrUnsupportedAttribute`"):
    """An attribute that is not supported, as other chains report it.

    Never raised here, nor by ibc-go.
    """

    attribute: str
    text = "unsupported attribute {attribute!a}"


class EpochNotFound(RateLimitError, code=9, source="rate limits, ibc-go's `ErrEpochNotFound`"):
    """A store without an hour, as other chains report it.

    Never raised here: genesis sets one, and without one no window ends.
    """

    text = "hour epoch not found in store"


class UnmarshalEpoch(RateLimitError, code=10, source="rate limits, ibc-go's `ErrUnmarshalEpoch`"):
    """An unreadable hour, as other chains report it.

    Never raised here: a store that cannot be read stops the node.
    """

    reason: str
    text = "could not unmarshal the hour epoch: {reason}"


class InvalidEpoch(RateLimitError, code=11, source="rate limits, ibc-go's `ErrInvalidEpoch`"):
    """An hour that is to be set does not fit the store: a time outside years 1 to 9999, or beyond 64 bits."""

    reason: str
    text = "invalid hour epoch: {reason}"


class InvalidRateLimitChannel(RateLimitError, code=12, source="rate limits, ibc-go's `ErrInvalidChannelID`"):
    """A channel's or client's name cannot stand in the key of a packet that was counted."""

    channel_or_client_id: str
    text = "{channel_or_client_id!a} is longer than 64 bytes, or has a zero byte"


class AsyncPacketNotFound(RateLimitError, code=13, source="rate limits, ibc-go's `ErrAsyncPacketNotFound`"):
    """An application answers a packet of IBC v2 that waits for no answer."""

    client_id: str
    sequence: int
    text = "no packet {client_id}/{sequence} waits for an acknowledgement"


class AsyncAckNil(RateLimitError, code=14, source="rate limits, ibc-go's `ErrAsyncAckNil`"):
    """An application answers a packet with nothing."""

    channel_id: str
    sequence: int
    text = "no acknowledgement for packet {channel_id}/{sequence}"


class InvalidRateLimitPacket(RateLimitError, code=15, source="rate limits, ibc-go's `ErrInvalidPacketData`"):
    """A payload of IBC v2 is of another version than ics20-1, or a coin's name cannot stand in a key."""

    reason: str
    text = "invalid packet data: {reason}"
