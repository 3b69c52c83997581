"""Genesis state of rate limits (ibc-go's `GenesisState`)."""

from collections.abc import Iterable, Mapping
from typing import Any

from pyibc.apps.rate_limit import state
from pyibc.apps.rate_limit.limit import HOUR_NS, HourEpoch, RateLimit, WhitelistedAddressPair
from pyibc.core.errors import InvalidRequest
from pyibc.core.genesis import (
    Entry,
    Section,
    entries_of,
    export_store,
    part_of,
    require,
    require_new,
    single,
    state_of,
    write_store,
)
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.numbers import MAX_U256, be8, parse_u64
from pyibc.core.wire.table import unpack
from pyibc.proto.ibc.applications.rate_limiting.v1 import rate_limiting_pb2 as pb
from pyibc.proto.ibc.applications.rate_limiting.v1.genesis_pb2 import GenesisState

ENTRY = "ratelimit"
"""Key of rate limits in a host's genesis."""

_DAY = 24


def init(ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
    """Write the entry `ratelimit` of a genesis; by default no limits, and the epoch of the genesis time.

    Raises:
        InvalidGenesis: it is malformed; nothing is written, and the message has key and value.
    """
    given = part_of(genesis, ENTRY)
    found = state_of(GenesisState, given, ENTRY)
    hour = _first_hour(ctx, found)
    _check(found)
    # guard: ratelimit-packets-without-a-coin-are-kept test_packets_marked_without_their_coin_are_left_out
    _drop_unnamed(found)
    write_store(ctx.store(state.STORE_NAME), entries_of(found, SECTIONS[:-1]), given, ENTRY)
    state.set_epoch(ctx, hour)


def export(ctx: ReadContext) -> dict[str, Any]:
    """Export every entry of the store."""
    return {ENTRY: export_store(ctx.reader(state.STORE_NAME), GenesisState(), SECTIONS)}


# -- sections


def _read_limit(key: bytes, value: bytes) -> pb.RateLimit | None:
    if not key.startswith(state.LIMITS):
        return None
    item = pb.RateLimit.FromString(value)
    _check_limit(item)
    return item


def _limit(item: pb.RateLimit) -> Iterable[Entry]:
    yield state.limit_entry(unpack(RateLimit, item))


def _read_pair(key: bytes, value: bytes) -> pb.WhitelistedAddressPair | None:
    return pb.WhitelistedAddressPair.FromString(value) if key.startswith(state.WHITELIST) else None


def _pair(item: pb.WhitelistedAddressPair) -> Iterable[Entry]:
    yield state.whitelist_entry(unpack(WhitelistedAddressPair, item))


def _read_denom(key: bytes, _: bytes) -> str | None:  # `Section.item` compares the value
    return key[len(state.BLACKLIST) :].decode() if key.startswith(state.BLACKLIST) else None


def _denom(item: str) -> Iterable[Entry]:
    yield state.blacklist_entry(item)


def _packets(field: str, kind: bytes) -> Section:
    """Build the section of pending packets, each of the form `{channel or client}/{sequence}/{denom}`."""

    def read(key: bytes, _: bytes) -> str | None:  # `Section.item` compares the value
        if not key.startswith(kind) or len(key) < len(kind) + 8:
            return None
        end, _, denom = key[len(kind) : -9].partition(b"\0")
        if not key[:-8].isascii():
            return None  # the key holds only part of the name: see `state._key_part`
        name = f"{end.decode()}/{int.from_bytes(key[-8:], 'big')}/{denom.decode()}"
        _check_packet(name)
        return name

    def entries(item: str) -> Iterable[Entry]:
        end, sequence, denom = _split(item)
        yield state.packets_prefix(kind, end, denom) + be8(sequence), b""

    return Section("", field, read, entries)


def _split(item: str) -> tuple[str, int, str]:
    """Split a pending packet into channel or client, sequence and denomination.

    Raises:
        InvalidRequest: `item` does not have that form.
    """
    end, slash, rest = item.partition("/")
    digits, slash_2, denom = rest.partition("/")
    number = _number(digits)
    if not slash or not slash_2 or number is None:
        raise InvalidRequest(f"{item[:128]!a} is not channel/sequence/denom")
    return end, number, denom


def _number(digits: str) -> int | None:
    """Parse a sequence as Go's `strconv.ParseUint` does: leading zeros are allowed."""
    return parse_u64(digits.lstrip("0") or digits[:1])


SECTIONS = (
    Section("", "rate_limits", _read_limit, _limit),
    Section("", "whitelisted_address_pairs", _read_pair, _pair),
    Section("", "blacklisted_denoms", _read_denom, _denom),
    _packets("pending_send_packet_sequence_numbers", state.SENT),
    _packets("pending_recv_packet_sequence_numbers", state.RECEIVED),
    single("", "hour_epoch", state.EPOCH, pb.HourEpoch),
)


# -- checks


def _first_hour(ctx: ReadContext, found: GenesisState) -> HourEpoch:
    """Return the exported epoch, or, if there is none, the epoch of the genesis time."""
    given = unpack(HourEpoch, found.hour_epoch)
    if found.HasField("hour_epoch"):
        # guard: ratelimit-any-hour-in-a-genesis test_genesis::test_a_bad_genesis_is_refused_by_key
        require(HourEpoch.validate, given, f"{ENTRY}.hour_epoch")
    if given.epoch_number:
        return given
    hours = ctx.time_ns // HOUR_NS
    duration_ns = given.duration_ns or HOUR_NS
    return HourEpoch(hours % _DAY, duration_ns, hours * HOUR_NS, ctx.height.revision_height)


def _check(found: GenesisState) -> None:
    """Check for input that makes ibc-go panic, and for duplicates."""
    limits: set[Any] = set()
    for number, item in enumerate(found.rate_limits):
        key = f"{ENTRY}.rate_limits[{number}]"
        require(_check_limit, item, key)
        # guard: ratelimit-a-limit-comes-twice-in-a-genesis test_genesis::test_a_bad_genesis_is_refused_by_key
        require_new(state.limit_entry(unpack(RateLimit, item))[0], limits, key)
    for field in ("pending_send_packet_sequence_numbers", "pending_recv_packet_sequence_numbers"):
        for number, name in enumerate(getattr(found, field)):
            # guard: ratelimit-any-packet-in-a-genesis test_genesis::test_a_bad_genesis_is_refused_by_key
            if not _is_unnamed(name):
                require(_check_packet, name, f"{ENTRY}.{field}[{number}]")


def _check_limit(item: pb.RateLimit) -> None:
    """Raise InvalidRequest, TxDecode or what `state.check_packet_key` does."""
    limit = unpack(RateLimit, item)
    state.check_packet_key(limit.channel_or_client_id, limit.denom)
    quota, flow = limit.quota, limit.flow
    # guard: ratelimit-any-percentage-in-a-genesis test_genesis::test_a_bad_genesis_is_refused_by_key
    if not (0 <= quota.max_percent_send <= 100 and 0 <= quota.max_percent_recv <= 100):
        raise InvalidRequest("a threshold outside 0 to 100 percent")
    # guard: ratelimit-any-flow-in-a-genesis test_genesis::test_a_bad_genesis_is_refused_by_key
    if not all(0 <= number <= MAX_U256 for number in flow):
        raise InvalidRequest("a flow outside 0 to 2^256-1")


def _check_packet(name: str) -> None:
    end, _, denom = _split(name)
    state.check_packet_key(end, denom)


def _is_unnamed(name: str) -> bool:
    """Return whether a packet has the form before ibc-go v11, `{channel}/{sequence}`: no denomination."""
    end, _, digits = name.partition("/")
    return _number(digits) is not None and state.is_packet_id(end)


def _drop_unnamed(found: GenesisState) -> None:
    """Drop packets in the old form, as ibc-go does: their limit is unknown."""
    for listed in (found.pending_send_packet_sequence_numbers, found.pending_recv_packet_sequence_numbers):
        kept = [name for name in listed if not _is_unnamed(name)]
        del listed[:]
        listed.extend(kept)
