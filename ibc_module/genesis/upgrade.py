"""Genesis of the store `upgrade`: the pending plan and the states it commits to.

x/upgrade of the Cosmos SDK exports nothing; a chain restarted from such an export has lost its plan.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from light_client.tendermint.states import decode_client_state
from pyibc.codec.anys import decode_any
from pyibc.codec.encoding import encode
from pyibc.codec.protojson import Unprintable, from_json, to_json
from pyibc.core import paths
from pyibc.core.errors import IbcError
from pyibc.core.genesis import Entry, export_entries, parse_entries
from pyibc.core.host.context import KVStore, ReadStore
from pyibc.core.setup_error import InvalidGenesis
from pyibc.proto.cosmos.upgrade.v1beta1 import upgrade_pb2
from pyibc.proto.google.protobuf import any_pb2

ENTRY = "upgrade"
"""Key of the store in a host's genesis."""

_PATHS = {
    "client_state": paths.upgraded_client_path,
    "consensus_state": paths.upgraded_consensus_state_path,
}


def export(store: ReadStore) -> dict[str, Any]:
    """Export the plan (null: none), the upgraded states of its height, and all other entries."""
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


def restore(store: KVStore, genesis: Mapping[str, Any], chain_id: str) -> None:
    """Write the entries of an exported genesis to the store; an empty genesis writes nothing.

    The plan and its upgraded states are left out if they lead to the chain `chain_id`: the exported chain had
    reached its last block before the upgrade, and the upgraded client state names `chain_id`. Starting this
    chain completes that plan.

    Raises:
        InvalidGenesis: the genesis is malformed; nothing is written.
    """
    for field in genesis:
        if field not in {"plan", "upgraded_state", "other_entries"}:
            raise InvalidGenesis(f"{ENTRY}.{field}", genesis[field], "is not a field of this genesis")
    planned = list(_entries(genesis))
    # guard: h278-the-next-revision-stops-at-the-plan-before-it drop
    #   test_h278_the_next_revision_does_not_stop_at_the_plan_that_made_it
    if _is_carried_out(planned, chain_id):
        planned = []
    entries = [*planned, *parse_entries(genesis.get("other_entries", []), f"{ENTRY}.other_entries")]
    for key, value in entries:
        store.set(key, value)


def _is_carried_out(planned: list[Entry], chain_id: str) -> bool:
    if len(planned) < 1 + len(_PATHS):
        return False
    try:
        return decode_client_state(decode_any(planned[1][1]).value).chain_id == chain_id
    except IbcError:  # not a state that a client can be upgraded to
        return False


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
    """Yield the entries of the plan and its states."""
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
