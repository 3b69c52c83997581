"""The store of rate limits, in ibc-go's bytes: limits, packets that were counted, lists, the hour."""

from collections.abc import Iterator

from ibc_core.errors import InvalidRateLimitChannel, InvalidRateLimitPacket, TxDecode
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.numbers import be8
from ibc_core.paths import prefix_end
from ibc_core.rate_limit.epoch import HourEpoch
from ibc_core.rate_limit.limit import RateLimit
from ibc_core.rate_limit.whitelist import WhitelistedAddressPair
from ibc_core.wire.states import CorruptState, read
from ibc_core.wire.table import table_of, unpack
from ibc_proto.ibc.applications.rate_limiting.v1 import rate_limiting_pb2 as pb

STORE_NAME = "ratelimit"
LIMITS = b"rate-limit"
"""Then `{denom}{channel or client}` -> RateLimit."""
BLACKLIST = b"denom-blacklist"
"""Then the denomination -> 01."""
WHITELIST = b"address-blacklist"
"""Then `{sender}{receiver}` -> WhitelistedAddressPair. The name is ibc-go's mistake."""
EPOCH = b"hour-epoch"
SENT, RECEIVED = b"\x00", b"\x01"
"""Then `{channel or client} 00 {denom} 00` and the sequence in eight bytes -> nothing."""

_LISTED = b"\x01"
_MAX_ID_SIZE = 64
_LIMIT, _PAIR, _EPOCH = table_of(RateLimit), table_of(WhitelistedAddressPair), table_of(HourEpoch)


# -- limits


def limit_entry(limit: RateLimit) -> tuple[bytes, bytes]:
    """Key and value of a limit."""
    return _limit_path(limit.denom, limit.channel_or_client_id), _LIMIT.encode(limit)


def _limit_path(denom: str, channel_or_client_id: str) -> bytes:
    return LIMITS + f"{denom}{channel_or_client_id}".encode()


def limit(ctx: ReadContext, denom: str, channel_or_client_id: str) -> RateLimit | None:
    """The limit of a coin over a channel or client, None if there is none."""
    raw = ctx.reader(STORE_NAME).get(_limit_path(denom, channel_or_client_id))
    return None if raw is None else _read_limit(raw)


def limits(ctx: ReadContext) -> Iterator[RateLimit]:
    """All limits, in the order of their keys."""
    for _, raw in ctx.reader(STORE_NAME).iterate(LIMITS, prefix_end(LIMITS)):
        yield _read_limit(raw)


def set_limit(ctx: WriteContext, new: RateLimit) -> None:
    """Writes a limit with its flow."""
    ctx.store(STORE_NAME).set(*limit_entry(new))


def remove_limit(ctx: WriteContext, denom: str, channel_or_client_id: str) -> None:
    """Deletes a limit; the packets that were counted against it stay marked."""
    ctx.store(STORE_NAME).delete(_limit_path(denom, channel_or_client_id))


def _read_limit(raw: bytes) -> RateLimit:
    try:
        return unpack(RateLimit, read(pb.RateLimit, raw))
    except TxDecode as error:
        raise CorruptState(f"a stored rate limit: {error}") from error


# -- packets that were counted in the window under way


def is_packet_id(channel_or_client_id: str) -> bool:
    """Whether a channel's or client's name can stand in the key of a packet."""
    return len(channel_or_client_id.encode()) <= _MAX_ID_SIZE and "\0" not in channel_or_client_id


def check_packet_key(channel_or_client_id: str, denom: str) -> None:
    """Checks that both names can stand in the key of a packet, where a zero byte ends each.

    Raises:
        InvalidRateLimitChannel: the channel's or client's cannot.
        InvalidRateLimitPacket: the coin's cannot, or is empty.
    """
    # guard: ratelimit-any-end-in-a-key test_names_that_no_key_can_have
    if not is_packet_id(channel_or_client_id):
        raise InvalidRateLimitChannel(channel_or_client_id[:_MAX_ID_SIZE])
    # guard: ratelimit-any-coin-in-a-key test_names_that_no_key_can_have
    #   test_layers::test_h181_a_name_that_no_key_can_have_leaves_the_answer_to_ics_20
    if not denom or "\0" in denom:
        raise InvalidRateLimitPacket(f"denomination {denom[:128]!a}")


def packets_prefix(kind: bytes, channel_or_client_id: str, denom: str) -> bytes:
    """Prefix of the packets of one coin over one channel or client; `kind` is `SENT` or `RECEIVED`.

    Raises:
        InvalidRateLimitChannel, InvalidRateLimitPacket: see `check_packet_key`.
    """
    check_packet_key(channel_or_client_id, denom)
    return kind + f"{channel_or_client_id}\0{denom}\0".encode()


def is_counted(ctx: ReadContext, prefix: bytes, sequence: int) -> bool:
    """Whether a packet was counted in the window under way."""
    return ctx.reader(STORE_NAME).has(prefix + be8(sequence))


def note_packet(ctx: WriteContext, prefix: bytes, sequence: int) -> None:
    """Marks a packet as counted."""
    ctx.store(STORE_NAME).set(prefix + be8(sequence), b"")


def forget_packet(ctx: WriteContext, prefix: bytes, sequence: int) -> None:
    """Deletes the mark, whether it is there or not: ibc-go does not look either."""
    ctx.store(STORE_NAME).delete(prefix + be8(sequence))


def forget_packets(ctx: WriteContext, prefix: bytes) -> None:
    """Deletes all marks with a prefix."""
    store = ctx.store(STORE_NAME)
    for key in [key for key, _ in store.iterate(prefix, prefix_end(prefix))]:
        store.delete(key)


# -- lists


def blacklist_entry(denom: str) -> tuple[bytes, bytes]:
    """Key and value of a denomination that may not be transferred."""
    return BLACKLIST + denom.encode(), _LISTED


def is_blacklisted(ctx: ReadContext, denom: str) -> bool:
    """Whether a denomination may not be transferred."""
    return ctx.reader(STORE_NAME).has(BLACKLIST + denom.encode())


def blacklist(ctx: ReadContext) -> Iterator[str]:
    """The denominations that may not be transferred, in the order of their keys."""
    for key, _ in ctx.reader(STORE_NAME).iterate(BLACKLIST, prefix_end(BLACKLIST)):
        yield key[len(BLACKLIST) :].decode()


def add_to_blacklist(ctx: WriteContext, denom: str) -> None:
    """Forbids transfers of a denomination."""
    ctx.store(STORE_NAME).set(*blacklist_entry(denom))


def remove_from_blacklist(ctx: WriteContext, denom: str) -> None:
    """Allows transfers of a denomination again."""
    ctx.store(STORE_NAME).delete(BLACKLIST + denom.encode())


def whitelist_entry(pair: WhitelistedAddressPair) -> tuple[bytes, bytes]:
    """Key and value of a pair whose transfers are not counted."""
    return _whitelist_path(pair.sender, pair.receiver), _PAIR.encode(pair)


def _whitelist_path(sender: str, receiver: str) -> bytes:
    return WHITELIST + f"{sender}{receiver}".encode()


def is_whitelisted(ctx: ReadContext, sender: str, receiver: str) -> bool:
    """Whether transfers from `sender` to `receiver` are not counted."""
    return bool(ctx.reader(STORE_NAME).get(_whitelist_path(sender, receiver)))


def whitelist(ctx: ReadContext) -> Iterator[WhitelistedAddressPair]:
    """The pairs whose transfers are not counted, in the order of their keys."""
    for _, raw in ctx.reader(STORE_NAME).iterate(WHITELIST, prefix_end(WHITELIST)):
        yield unpack(WhitelistedAddressPair, read(pb.WhitelistedAddressPair, raw))


def add_to_whitelist(ctx: WriteContext, pair: WhitelistedAddressPair) -> None:
    """Leaves transfers of a pair uncounted from now on."""
    ctx.store(STORE_NAME).set(*whitelist_entry(pair))


def remove_from_whitelist(ctx: WriteContext, pair: WhitelistedAddressPair) -> None:
    """Counts transfers of a pair again."""
    ctx.store(STORE_NAME).delete(_whitelist_path(pair.sender, pair.receiver))


# -- the hour


def epoch(ctx: ReadContext) -> HourEpoch | None:
    """The hour under way, None before genesis set one."""
    raw = ctx.reader(STORE_NAME).get(EPOCH)
    return None if raw is None else unpack(HourEpoch, read(pb.HourEpoch, raw))


def set_epoch(ctx: WriteContext, new: HourEpoch) -> None:
    """Sets the hour.

    Raises:
        InvalidEpoch: it does not fit the store.
    """
    new.validate()
    ctx.store(STORE_NAME).set(EPOCH, _EPOCH.encode(new))
