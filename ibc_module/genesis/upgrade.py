"""The store `upgrade` in a genesis: the pending plan and the states it commits to.

x/upgrade of the Cosmos SDK exports nothing; a chain restarted from that forgets its plan.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from ibc_core import paths
from ibc_core.genesis.entries import InvalidGenesis, export_entries, parse_entries
from ibc_core.genesis.section import Entry
from ibc_core.host.context import KVStore, ReadStore
from ibc_core.wire.encoding import encode
from ibc_core.wire.protojson import Unprintable, from_json, to_json
from ibc_proto.cosmos.upgrade.v1beta1 import upgrade_pb2
from ibc_proto.google.protobuf import any_pb2

ENTRY = "upgrade"
"""The store's name in a host's genesis."""

_PATHS = {
    "client_state": paths.upgraded_client_path,
    "consensus_state": paths.upgraded_consensus_state_path,
}


def export(store: ReadStore) -> dict[str, Any]:
    """The plan (null: none), the upgraded states of its height, and what else is in the store."""
    entries = dict(store.iterate(b"\0", None))
    genesis: dict[str, Any] = {"plan": _plan_to_json(entries.get(paths.UPGRADE_PLAN)), "upgraded_state": None}
    if genesis["plan"] is not None:
        height = int(genesis["plan"]["height"])
        genesis["upgraded_state"] = {
            field: _any_to_json(entries.get(path(height))) for field, path in _PATHS.items()
        }
    given = dict(_entries(genesis))
    genesis["other_entries"] = export_entries(
        (key, value) for key, value in entries.items() if given.get(key) != value
    )
    return genesis


def restore(store: KVStore, genesis: Mapping[str, Any]) -> None:
    """Writes an export; an empty genesis has no plan.

    Raises:
        InvalidGenesis: it is malformed.
    """
    for field in genesis:
        if field not in {"plan", "upgraded_state", "other_entries"}:
            raise InvalidGenesis(f"{ENTRY}.{field}", genesis[field], "is no field of this genesis")
    entries = [*_entries(genesis), *parse_entries(genesis.get("other_entries", []), f"{ENTRY}.other_entries")]
    for key, value in entries:
        store.set(key, value)


def _plan_to_json(raw: bytes | None) -> Any:
    if raw is None:
        return None
    try:
        plan = upgrade_pb2.Plan.FromString(raw)
        return to_json(plan) if plan.height > 0 and encode(plan) == raw else None
    except (ValueError, RuntimeError):
        return None


def _any_to_json(raw: bytes | None) -> Any:
    if raw is None:
        return None
    try:
        text = to_json(any_pb2.Any.FromString(raw))
    except (Unprintable, RuntimeError):
        return None
    return text if encode(from_json(any_pb2.Any, text, "")) == raw else None


def _entries(genesis: Mapping[str, Any]) -> Iterator[Entry]:
    """The plan's entry, and those of its states."""
    if genesis.get("plan") is None:
        if genesis.get("upgraded_state") is not None:
            raise InvalidGenesis(f"{ENTRY}.upgraded_state", genesis["upgraded_state"], "has no plan")
        return
    plan = from_json(upgrade_pb2.Plan, genesis["plan"], f"{ENTRY}.plan")
    if plan.height <= 0:
        raise InvalidGenesis(f"{ENTRY}.plan.height", plan.height, "is not positive")
    yield paths.UPGRADE_PLAN, encode(plan)
    states = genesis.get("upgraded_state")
    if states is None:
        return
    if not isinstance(states, Mapping) or not states.keys() <= _PATHS.keys():
        raise InvalidGenesis(f"{ENTRY}.upgraded_state", states, f"has other fields than {sorted(_PATHS)}")
    for field, path in _PATHS.items():
        if states.get(field) is not None:
            packed = from_json(any_pb2.Any, states[field], f"{ENTRY}.upgraded_state.{field}")
            yield path(plan.height), encode(packed)
