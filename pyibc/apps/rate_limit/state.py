"""Store of rate limits in ibc-go's format: limits, pending packets, lists, epoch."""

from collections.abc import Iterator

from pyibc.apps.rate_limit.limit import HourEpoch, RateLimit, WhitelistedAddressPair
from pyibc.core.errors import InvalidRateLimitChannel, InvalidRateLimitPacket, TxDecode
from pyibc.core.host.context import ReadContext, WriteContext, prefix_end
from pyibc.core.numbers import be8
from pyibc.core.wire.states import CorruptState, read
from pyibc.core.wire.table import table_of, unpack
from pyibc.proto.ibc.applications.rate_limiting.v1 import rate_limiting_pb2 as pb

STORE_NAME = "ratelimit"
LIMITS = b"rate-limit"
"""Key prefix; `{denom}{channel or client}` -> RateLimit."""
BLACKLIST = b"denom-blacklist"
"""Key prefix; denomination -> 01."""
WHITELIST = b"address-blacklist"
"""Key prefix; `{sender}{receiver}` -> WhitelistedAddressPair. The misleading name is ibc-go's."""
EPOCH = b"hour-epoch"
SENT, RECEIVED = b"\x00", b"\x01"
"""Key prefixes; `{channel or client} 00 {denom} 00` and the sequence in eight bytes -> empty."""

_LISTED = b"\x01"
_MAX_ID_SIZE = 64
_LIMIT, _PAIR, _EPOCH = table_of(RateLimit), table_of(WhitelistedAddressPair), table_of(HourEpoch)


# -- limits


def limit_entry(limit: RateLimit) -> tuple[bytes, bytes]:
    """Return key and value of a limit."""
    return _limit_path(limit.denom, limit.channel_or_client_id), _LIMIT.encode(limit)


def _limit_path(denom: str, channel_or_client_id: str) -> bytes:
    return LIMITS + f"{denom}{channel_or_client_id}".encode()


def limit(ctx: ReadContext, denom: str, channel_or_client_id: str) -> RateLimit | None:
    """Return the limit of a coin over a channel or client, None if there is none."""
    raw = ctx.reader(STORE_NAME).get(_limit_path(denom, channel_or_client_id))
    return None if raw is None else _read_limit(raw)


def limits(ctx: ReadContext) -> Iterator[RateLimit]:
    """Return all limits in the order of their keys."""
    for _, raw in ctx.reader(STORE_NAME).iterate(LIMITS, prefix_end(LIMITS)):
        yield _read_limit(raw)


def set_limit(ctx: WriteContext, new: RateLimit) -> None:
    """Store a limit with its flow."""
    ctx.store(STORE_NAME).set(*limit_entry(new))


def remove_limit(ctx: WriteContext, denom: str, channel_or_client_id: str) -> None:
    """Delete a limit; packets counted against it stay marked."""
    ctx.store(STORE_NAME).delete(_limit_path(denom, channel_or_client_id))


def _read_limit(raw: bytes) -> RateLimit:
    try:
        return unpack(RateLimit, read(pb.RateLimit, raw))
    except TxDecode as error:
        raise CorruptState(f"a stored rate limit: {error}") from error


# -- pending packets, counted in the current window


def is_packet_id(channel_or_client_id: str) -> bool:
    """Return whether a channel or client identifier fits the key of a packet."""
    return len(channel_or_client_id.encode()) <= _MAX_ID_SIZE and "\0" not in channel_or_client_id


def check_packet_key(channel_or_client_id: str, denom: str) -> None:
    """Check that both names fit the key of a packet, where a zero byte terminates each.

    Raises:
        InvalidRateLimitChannel: the channel's or client's does not.
        InvalidRateLimitPacket: the coin's does not, or is empty.
    """
    # guard: ratelimit-any-end-in-a-key test_names_that_no_key_can_have
    if not is_packet_id(channel_or_client_id):
        raise InvalidRateLimitChannel(channel_or_client_id[:_MAX_ID_SIZE])
    # guard: ratelimit-any-coin-in-a-key test_names_that_no_key_can_have
    #   test_middleware::test_h181_a_name_that_no_key_can_have_leaves_the_answer_to_ics_20
    if not denom or "\0" in denom:
        raise InvalidRateLimitPacket(f"denomination {denom[:128]!a}")


def packets_prefix(kind: bytes, channel_or_client_id: str, denom: str) -> bytes:
    """Return the key prefix of one coin's packets over one channel or client; `kind`: `SENT`, `RECEIVED`.

    Raises:
        InvalidRateLimitChannel, InvalidRateLimitPacket: see `check_packet_key`.
    """
    check_packet_key(channel_or_client_id, denom)
    return kind + _key_part(channel_or_client_id) + _key_part(denom)


def _key_part(text: str) -> bytes:
    """Encode a text with a terminating zero byte, as the SDK's collections do.

    Of a multi-byte character they write the first byte, and zeros in place of the others. No coin has such a
    name, but a packet may; its mark is deleted under this key.
    """
    # guard: ratelimit-names-of-other-scripts-as-they-are {text.isascii() => True}
    #   test_of_a_character_with_several_bytes_the_first_is_in_the_key
    if text.isascii():
        return f"{text}\0".encode()
    raw = b"".join([each.encode()[:1].ljust(len(each.encode()), b"\0") for each in text])
    return raw + b"\0"


def is_pending(ctx: ReadContext, prefix: bytes, sequence: int) -> bool:
    """Return whether a packet was counted in the current window."""
    return ctx.reader(STORE_NAME).has(prefix + be8(sequence))


def add_pending_packet(ctx: WriteContext, prefix: bytes, sequence: int) -> None:
    """Mark a packet as counted in the current window."""
    ctx.store(STORE_NAME).set(prefix + be8(sequence), b"")


def remove_pending_packet(ctx: WriteContext, prefix: bytes, sequence: int) -> None:
    """Delete the mark of a packet; like ibc-go, without checking that it exists."""
    ctx.store(STORE_NAME).delete(prefix + be8(sequence))


def remove_pending_packets(ctx: WriteContext, prefix: bytes) -> None:
    """Delete all marks with a prefix."""
    store = ctx.store(STORE_NAME)
    for key in [key for key, _ in store.iterate(prefix, prefix_end(prefix))]:
        store.delete(key)


# -- lists


def blacklist_entry(denom: str) -> tuple[bytes, bytes]:
    """Return key and value of a blacklisted denomination."""
    return BLACKLIST + denom.encode(), _LISTED


def is_blacklisted(ctx: ReadContext, denom: str) -> bool:
    """Return whether a denomination is blacklisted."""
    return ctx.reader(STORE_NAME).has(BLACKLIST + denom.encode())


def blacklist(ctx: ReadContext) -> Iterator[str]:
    """Return the blacklisted denominations in the order of their keys."""
    for key, _ in ctx.reader(STORE_NAME).iterate(BLACKLIST, prefix_end(BLACKLIST)):
        yield key[len(BLACKLIST) :].decode()


def add_to_blacklist(ctx: WriteContext, denom: str) -> None:
    """Forbid transfers of a denomination."""
    ctx.store(STORE_NAME).set(*blacklist_entry(denom))


def remove_from_blacklist(ctx: WriteContext, denom: str) -> None:
    """Allow transfers of a denomination again."""
    ctx.store(STORE_NAME).delete(BLACKLIST + denom.encode())


def whitelist_entry(pair: WhitelistedAddressPair) -> tuple[bytes, bytes]:
    """Return key and value of a whitelisted pair."""
    return _whitelist_path(pair.sender, pair.receiver), _PAIR.encode(pair)


def _whitelist_path(sender: str, receiver: str) -> bytes:
    return WHITELIST + f"{sender}{receiver}".encode()


def is_whitelisted(ctx: ReadContext, sender: str, receiver: str) -> bool:
    """Return whether transfers from `sender` to `receiver` are exempt."""
    return bool(ctx.reader(STORE_NAME).get(_whitelist_path(sender, receiver)))


def whitelist(ctx: ReadContext) -> Iterator[WhitelistedAddressPair]:
    """Return the whitelisted pairs in the order of their keys."""
    for _, raw in ctx.reader(STORE_NAME).iterate(WHITELIST, prefix_end(WHITELIST)):
        yield unpack(WhitelistedAddressPair, read(pb.WhitelistedAddressPair, raw))


def add_to_whitelist(ctx: WriteContext, pair: WhitelistedAddressPair) -> None:
    """Exempt transfers of an address pair."""
    ctx.store(STORE_NAME).set(*whitelist_entry(pair))


def remove_from_whitelist(ctx: WriteContext, pair: WhitelistedAddressPair) -> None:
    """Count transfers of a pair again."""
    ctx.store(STORE_NAME).delete(_whitelist_path(pair.sender, pair.receiver))


# -- epoch


def epoch(ctx: ReadContext) -> HourEpoch | None:
    """Return the current epoch, None before genesis set one."""
    raw = ctx.reader(STORE_NAME).get(EPOCH)
    return None if raw is None else unpack(HourEpoch, read(pb.HourEpoch, raw))


def set_epoch(ctx: WriteContext, new: HourEpoch) -> None:
    """Set the epoch.

    Raises:
        InvalidEpoch: see `HourEpoch.validate`.
    """
    new.validate()
    ctx.store(STORE_NAME).set(EPOCH, _EPOCH.encode(new))
