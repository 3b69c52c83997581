"""Rate limits in a genesis (ibc-go's `GenesisState`)."""

from collections.abc import Iterable, Mapping
from typing import Any

from ibc_core.errors import InvalidRequest
from ibc_core.genesis.entries import InvalidGenesis, parse_entries
from ibc_core.genesis.section import Entry, Section, require, require_new, single
from ibc_core.genesis.store import OTHER, entries_of, export_store
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.numbers import MAX_U256, be8, parse_u64
from ibc_core.rate_limit.epoch import HOUR_NS, HourEpoch
from ibc_core.rate_limit.limit import RateLimit
from ibc_core.rate_limit.whitelist import WhitelistedAddressPair
from ibc_core.wire.protojson import from_json
from ibc_core.wire.table import unpack
from ibc_module.apps.rate_limit import state
from ibc_proto.ibc.applications.rate_limiting.v1 import rate_limiting_pb2 as pb
from ibc_proto.ibc.applications.rate_limiting.v1.genesis_pb2 import GenesisState

ENTRY = "ratelimit"
"""Rate limits in a host's genesis."""

_DAY = 24


def init(ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
    """Writes `genesis`; by default there are no limits, and hours are counted from this block's.

    Raises:
        InvalidGenesis: it is malformed, before anything is written; the message names key and value.
    """
    given = genesis.get(ENTRY, {})
    if not isinstance(given, Mapping):
        raise InvalidGenesis(ENTRY, given, "is not an object")
    found = from_json(GenesisState, {name: given[name] for name in given if name != OTHER}, ENTRY)
    hour = _first_hour(ctx, found)
    _check(found)
    # guard: ratelimit-packets-without-a-coin-are-kept test_packets_marked_without_their_coin_are_left_out
    _drop_unnamed(found)
    store, other = ctx.store(state.STORE_NAME), parse_entries(given.get(OTHER, []), f"{ENTRY}.{OTHER}")
    for _, key, value in entries_of(found, SECTIONS[:-1]):
        store.set(key, value)
    for key, value in other:
        store.set(key, value)
    state.set_epoch(ctx, hour)


def export(ctx: ReadContext) -> dict[str, Any]:
    """Every entry of the store."""
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
    """Marked packets, `{channel or client}/{sequence}/{denom}` each."""

    def read(key: bytes, _: bytes) -> str | None:  # as above
        if not key.startswith(kind) or len(key) < len(kind) + 8:
            return None
        end, _, denom = key[len(kind) : -9].partition(b"\0")
        name = f"{end.decode()}/{int.from_bytes(key[-8:], 'big')}/{denom.decode()}"
        _check_packet(name)
        return name

    def entries(item: str) -> Iterable[Entry]:
        end, sequence, denom = _split(item)
        yield state.packets_prefix(kind, end, denom) + be8(sequence), b""

    return Section("", field, read, entries)


def _split(item: str) -> tuple[str, int, str]:
    """Channel or client, sequence and denomination of a marked packet.

    Raises:
        InvalidRequest: `item` is not of that form.
    """
    end, slash, rest = item.partition("/")
    digits, slash_2, denom = rest.partition("/")
    number = _number(digits)
    if not slash or not slash_2 or number is None:
        raise InvalidRequest(f"{item[:128]!a} is not channel/sequence/denom")
    return end, number, denom


def _number(digits: str) -> int | None:
    """The sequence that Go's `strconv.ParseUint` reads: leading zeros are fine."""
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
    """The hour that was exported, or, where none was, the one of the genesis block, by the clock."""
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
    """Checks what ibc-go would panic over, and that each entry is there once."""
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
    """Raises InvalidRequest, TxDecode or what `state.check_packet_key` does."""
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
    """Whether a packet is marked as before ibc-go v11, `{channel}/{sequence}`: without its denomination."""
    end, _, digits = name.partition("/")
    return _number(digits) is not None and state.is_packet_id(end)


def _drop_unnamed(found: GenesisState) -> None:
    """Leaves such packets out, as ibc-go does: nobody can say which limit counted them."""
    for listed in (found.pending_send_packet_sequence_numbers, found.pending_recv_packet_sequence_numbers):
        kept = [name for name in listed if not _is_unnamed(name)]
        del listed[:]
        listed.extend(kept)
