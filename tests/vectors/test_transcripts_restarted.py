"""Recorded ibc-go chains, restarted from their exported genesis in the middle: everything after is the same.

Only the roots are not: a tree that is told all entries at once has another shape. Codes, responses, events,
every written key and value, and balances are ibc-go's still, block by block.
"""

import json
from base64 import b64decode
from pathlib import Path

import pytest

from conformance.case import Mismatch
from conformance.transcripts.blocks import run_check, run_step
from conformance.transcripts.chain import ReplayChain
from conformance.transcripts.reader import STORES, load, read
from conformance.transcripts.stores import Trees
from pyibc.apps.rate_limit import state as rate_limits
from pyibc.proto.ibc.applications.rate_limiting.v1 import rate_limiting_pb2 as rate_limits_pb2
from pyibc.proto.ibc.applications.transfer.v1.genesis_pb2 import GenesisState as TransferGenesis
from pyibc.proto.ibc.core.types.v1.genesis_pb2 import GenesisState
from tests.sampling import sample

COMMITTED = Path(__file__).parent / "ibcgo-transcripts"
NAMES = sorted(path.name for path in COMMITTED.glob("*.json.gz"))
OURS = STORES
HOUR = b"hour-epoch"
MIDDLEWARE = b"isMiddlewareEnabled/"


def entries(store, name):
    return list(store.views()[name].iterate(b"\0", None))


def kept(old, name, written):
    """What a genesis writes, but for two things that ibc-go's own (InitGenesis) adds to a store.

    It begins the hour of rate limits that count none yet, and says of each active channel of interchain
    accounts that middleware is disabled where the store says nothing.
    """
    hour = old.get(name, HOUR) if name == rate_limits.STORE_NAME else None
    if hour is not None and not rate_limits_pb2.HourEpoch.FromString(hour).epoch_number:
        written[HOUR] = hour
    said = {key for key in written if key.startswith(MIDDLEWARE) and written[key] == b"\2"}
    added = {key for key in said if old.get(name, key) is None}
    return sorted((key, value) for key, value in written.items() if key not in added)


def restart(chain):
    """Gives the chain new stores, filled from the text of its genesis; returns that genesis."""
    old, height, time_ns = chain.store, chain._height, chain._time_ns
    text = json.dumps(chain.pipeline.export_genesis(chain.context(height, time_ns)))
    chain.store = Trees(old.names())
    ctx = chain.context(height, time_ns)
    chain.pipeline.init_genesis(ctx, json.loads(text))
    for name in old.names():
        changes = kept(old, name, dict(ctx.writes(name))) if name in OURS else entries(old, name)
        chain.store.save(name, changes, height)
    for name in set(OURS) & set(old.names()):
        assert entries(chain.store, name) == entries(old, name)
    genesis = json.loads(text)
    assert json.dumps(chain.pipeline.export_genesis(chain.context(height, time_ns))) == text
    return genesis


def follow(name, restarts):
    """Replays a transcript with `restarts` restarts or more; gives its failed cases and every genesis."""
    transcript = read(load(COMMITTED / name))
    chains = {
        start.chain_id: ReplayChain(start, transcript.authority, app=transcript.app)
        for start in transcript.chains
    }
    every = max(1, len(transcript.steps) // (restarts + 1))
    failed, genesis = [], []
    for number, step in enumerate(transcript.steps, 1):
        results = list(run_step(chains[step.chain], step._replace(root=None, commit=None)))
        asked = [check for check in transcript.checks if check.after_step == step.number]
        results += [run_check(chains[check.chain], "asked", check) for check in asked]
        failed += [name for name, check in results if callable(check) and differs(check)]
        if number % every == 0 or number == len(transcript.steps) or touches_what_passes(step):
            genesis += [restart(chain) for chain in chains.values()]
    return failed, genesis


def differs(check):
    try:
        check()
    except Mismatch:
        return True
    return False


def touches_what_passes(step):
    """Whether a step writes what is gone soon: a packet that is not answered yet, a planned upgrade."""
    keys = [write.key for write in step.changes.get("ibc", ())]
    return any(b"async_packet" in key for key in keys) or bool(step.changes.get("upgrade"))


@pytest.mark.parametrize("name", sample(NAMES, 3, "restarted"))
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
        for state in follow(f"{name}.json.gz", restarts=1)[1]:
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
