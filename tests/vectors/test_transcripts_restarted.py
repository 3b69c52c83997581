"""Recorded ibc-go chains, restarted from their exported genesis in the middle: everything after is the same.

Only the roots are not: a tree that is told all entries at once has another shape. Codes, responses, events,
every written key and value, and balances are ibc-go's still, block by block.
"""

import json
from base64 import b64decode
from pathlib import Path

import pytest

from iavl.multistore import MultiStore
from ibc_module.conformance.transcripts.chain import ReplayChain
from ibc_module.conformance.transcripts.replay import Replay, load
from ibc_module.wire._generated.ibc.applications.transfer.v1.genesis_pb2 import (
    GenesisState as TransferGenesis,
)
from ibc_module.wire._generated.ibc.core.types.v1.genesis_pb2 import GenesisState

COMMITTED = Path(__file__).parent / "ibcgo-transcripts"
NAMES = sorted(path.name for path in COMMITTED.glob("*.json.gz"))
OURS = ("ibc", "transfer", "upgrade")


def entries(store, name):
    return list(store.store(name).iterate(b"\0", None))


def restart(chain):
    """Gives the chain new stores, filled from the text of its genesis; returns that genesis."""
    old, height, time_ns = chain.store, chain._height, chain._time_ns
    text = json.dumps(chain.pipeline.export_genesis(chain.context(height, time_ns)))
    chain.store = MultiStore(None, old.names(), initial_version=height, keep_versions=None)
    ctx = chain.context(height, time_ns)
    chain.pipeline.init_genesis(ctx, json.loads(text))
    writes = {name: ctx.writes(name) if name in OURS else entries(old, name) for name in old.names()}
    chain.store.apply(writes)
    chain.store.commit()
    for name in OURS:
        assert entries(chain.store, name) == entries(old, name)
    genesis = json.loads(text)
    assert json.dumps(chain.pipeline.export_genesis(chain.context(height, time_ns))) == text
    return genesis


def follow(name, restarts):
    """Replays a transcript with `restarts` restarts or more; gives its failed cases and every genesis."""
    replay, document = Replay(COMMITTED / name), load(COMMITTED / name)
    chains = {c["chain_id"]: ReplayChain(c, document["authority"]) for c in document["chains"]}
    every = max(1, len(document["steps"]) // (restarts + 1))
    failed, genesis = [], []
    for number, step in enumerate(document["steps"], 1):
        results = list(replay._step(chains[step["chain"]], {**step, "ibc_store_root": None}))
        results += replay._checks(chains, document.get("check_tx") or (), step["n"])
        failed += [r for r in results if not r.passed and not only_root(r.detail)]
        if number % every == 0 or number == len(document["steps"]) or touches_what_passes(step):
            genesis += [restart(chain) for chain in chains.values()]
    return failed, genesis


def touches_what_passes(step):
    """Whether a step writes what is gone soon: a packet that is not answered yet, a planned upgrade."""
    keys = [b64decode(change["key_b64"]) for change in step.get("ibc_store_changes") or ()]
    return any(b"async_packet" in key for key in keys) or "upgrade" in (step.get("other_store_changes") or ())


def only_root(detail):
    return detail.startswith("root ") and ";" not in detail


def test_what_is_left_to_the_root_is_a_root():
    assert only_root("root AB, recorded None")
    assert not only_root("b'x': not written here; root AB, recorded None")


@pytest.mark.parametrize("name", NAMES)
def test_a_restarted_chain_goes_on_as_if_nothing_had_happened(name):
    failed, genesis = follow(name, restarts=3)
    assert failed == []
    for state in genesis:
        assert state["ibc"]["other_entries"] == state["transfer"]["other_entries"] == []
        others = {b64decode(entry["key"])[:1] for entry in state["upgrade"]["other_entries"]}
        assert others <= {b"\x02"}  # versions of the modules of ibc-go's testing chain


def test_the_recordings_fill_every_part_of_a_genesis():
    """So that the test above leaves nothing out."""
    filled = set()
    for name in ("client", "ibc_v2", "mock_ordered", "solomachine_localhost", "transfer_unordered"):
        for state in follow(f"{name}.json.gz", restarts=3)[1]:
            filled |= set(full_fields("ibc", state["ibc"])) | set(full_fields("transfer", state["transfer"]))
            filled |= set(full_fields("upgrade", state["upgrade"]))
    empty = {"ibc.other_entries", "transfer.other_entries", "ibc.client_genesis.create_localhost"}
    assert filled == fields_of_a_genesis() - empty


def full_fields(key, part):
    for name, content in part.items():
        if isinstance(content, dict) and name.endswith("_genesis"):
            yield from full_fields(f"{key}.{name}", content)
        elif content:
            yield f"{key}.{name}"


def fields_of_a_genesis():
    """Names of all fields, by the messages that they are made of."""
    ibc = {
        f"ibc.{part.name}.{field.name}"
        for part in GenesisState.DESCRIPTOR.fields
        for field in part.message_type.fields
    }
    transfer = {f"transfer.{field.name}" for field in TransferGenesis.DESCRIPTOR.fields}
    upgrade = {"upgrade.plan", "upgrade.upgraded_state", "upgrade.other_entries"}
    return ibc | transfer | upgrade | {"ibc.other_entries", "transfer.other_entries"}
