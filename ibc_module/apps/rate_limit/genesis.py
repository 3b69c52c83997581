"""Rate limits in a genesis; what was counted goes with them as it is."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ibc_core.genesis.entries import InvalidGenesis, parse_entries
from ibc_core.genesis.section import Entry, Section, require, require_new
from ibc_core.genesis.store import OTHER, entries_of, export_store
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.wire.protojson import from_json
from ibc_core.wire.table import unpack
from ibc_module.apps.rate_limit import state
from ibc_module.apps.rate_limit.limit import RateLimit
from ibc_proto.pyibc.ratelimit.v1 import ratelimit_pb2 as pb

ENTRY = "ratelimit"
"""Rate limits in a host's genesis."""


def _read_limit(key: bytes, value: bytes) -> pb.RateLimit | None:
    return pb.RateLimit.FromString(value) if key.startswith(state.LIMITS) else None


def _limit(item: pb.RateLimit) -> Iterable[Entry]:
    value = item.SerializeToString(deterministic=True)
    yield state.limit_path(item.channel_or_client_id, item.denom), value


SECTIONS = (Section("", "rate_limits", _read_limit, _limit),)


def init(ctx: WriteContext, genesis: Mapping[str, Any], limits: Sequence[RateLimit]) -> None:
    """Writes `genesis`, or `limits` if it is empty.

    Raises:
        InvalidGenesis: it is malformed, before anything is written; the message names key and value.
    """
    if ENTRY not in genesis:
        for limit in limits:
            state.set_limit(ctx, limit)
        return
    given = genesis[ENTRY]
    if not isinstance(given, Mapping):
        raise InvalidGenesis(ENTRY, given, "is not an object")
    found = from_json(pb.GenesisState, {name: given[name] for name in given if name != OTHER}, ENTRY)
    seen: set[Any] = set()
    for number, item in enumerate(found.rate_limits):
        key = f"{ENTRY}.rate_limits[{number}]"
        require(lambda wire: unpack(RateLimit, wire).validate(), item, key)
        require_new((item.channel_or_client_id, item.denom), seen, key)
    store, other = ctx.store(state.STORE_NAME), parse_entries(given.get(OTHER, []), f"{ENTRY}.{OTHER}")
    for _, name, value in entries_of(found, SECTIONS):
        store.set(name, value)
    for name, value in other:
        store.set(name, value)


def export(ctx: ReadContext) -> dict[str, Any]:
    """Every entry of the store."""
    return {ENTRY: export_store(ctx.reader(state.STORE_NAME), pb.GenesisState(), SECTIONS)}
