"""Simulation of one seed: create the network, execute the steps, end the faults, check the invariants."""

import gc
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from random import Random
from typing import NamedTuple

from conformance.simulation.fees import fee_differences
from conformance.simulation.invariants import digest, pending, violations
from conformance.simulation.step_runner import StepRunner
from conformance.simulation.steps import Step, steps_of
from conformance.simulation.world import Past, World
from pyibc.indexer.blocks.plugin import FILLED_AT_ONCE
from pyibc.testing.pair import SECOND

STEPS = 60
"""Number of steps per seed."""
INDEXED = 9
"""Every ninth seed is indexed, alternating between channels and IBC v2; this doubles its time."""
BY_RPC = 5
"""In one of five seeds a relayer uses the RPC client, in another one an exporter does."""
LATER_NS = 2 * 3600 * SECOND
"""Time after which all packets have timed out and no client has expired, nanoseconds."""
ROUNDS = 60
"""Maximum number of rounds for relayers without faults to complete all packets."""


class Outcome(NamedTuple):
    """Result of a seed."""

    faults: tuple[str, ...]  # empty: all invariants hold
    digest: str  # over all chains; "" if the seed did not complete


class _Prepared(NamedTuple):
    folder: Path
    past: Past


def prepare(seed: int) -> None:
    """Load and create everything that seeds share, before any faults.

    Modules loaded during disk faults, or objects made while a fix is disabled, would remain in the process.
    """
    import_module("conformance.simulation.index_check")  # slow: Arrow, DuckDB, plotting
    _prepared(v2=bool(seed % 2))


def run(seed: int, only: Sequence[int] | None = None) -> Outcome:
    """Simulate a seed, after `prepare`.

    Args:
        seed: Determines the steps. An odd seed exchanges the places of channel and IBC v2; in one of
            five a relayer
            reaches its chains by RPC, in another one blocks are exported by RPC.
        only: Numbers of the steps to execute, from 0 on; None: all.
    """
    steps = steps_of(seed, STEPS)
    chosen = steps if only is None else [steps[each] for each in only]
    with _world(v2=bool(seed % 2), by_rpc=seed % BY_RPC == 4, fetches=seed % BY_RPC == 3) as world:
        return _simulated(world, chosen, Random(seed) if not seed % INDEXED else None)  # noqa: S311


def _simulated(world: World, steps: Sequence[Step], index_choice: Random | None) -> Outcome:
    from conformance.simulation.index_check import index_faults_of

    runner = StepRunner(world)
    for number, step in enumerate(steps):
        try:
            runner.do(step)
        except Exception as error:  # noqa: BLE001 - no step may end in one: this is what is looked for
            return Outcome((f"step {number}, {step.kind}: {_error_text(world, error)}",), "")
    try:
        _heal(world)
        index_faults = index_faults_of(world, index_choice) if index_choice else ()
        fetched = world.export_runs.differences() if world.export_runs else ()
        faults = [*violations(world), *index_faults, *fee_differences(world), *fetched]
        return Outcome(tuple(faults), digest(world))
    except Exception as error:  # noqa: BLE001 - as above
        return Outcome((f"after all: {_error_text(world, error)}",), "")


def _error_text(world: World, error: Exception) -> str:
    """Return an error's text without folder names, which differ between runs."""
    return f"{type(error).__name__}: {error}".replace(f"{world.machine.root}/", "")


def _heal(world: World) -> None:
    """End all faults, advance time, and run the relayers until all packets are completed."""
    world.clocks.wrong_ns = [0] * len(world.nodes)
    world.clocks.now_ns += LATER_NS
    world.machine.free()
    for node in world.nodes:
        node.switch.disarm()
        node.start()
    for relayer in world.relayers:
        relayer.call_faults.clear()
    for _ in range(ROUNDS):
        for node in world.nodes:
            node.chain.make_block()
        busy = [each.round(number) for each in world.relayers for number in range(len(world.routes))]
        if not any(busy) and not any(left for route in world.routes for left in pending(world, route)):
            break
    for node in world.nodes:
        for _ in range(2 + node.chain.height // FILLED_AT_ONCE):  # to write missing parts of exports
            node.chain.make_block()


@contextmanager
def _world(*, v2: bool, **who: bool) -> Iterator[World]:
    """Return a network with open routes, a copy of one that was created once."""
    made = _prepared(v2=v2)
    with tempfile.TemporaryDirectory(prefix="simulation-") as name:
        folder = Path(name) / "world"
        shutil.copytree(made.folder, folder)
        world = World(folder, Path(name) / "writes", made.past, **who)
        try:
            yield world
        finally:
            world.close()


@cache
def _prepared(*, v2: bool) -> _Prepared:
    keeper = tempfile.TemporaryDirectory(prefix="simulation-")
    _KEPT.append(keeper)  # removed when the process ends
    folder = Path(keeper.name) / "world"
    folder.mkdir()
    world = World(folder, Path(keeper.name) / "writes", None, v2=v2)
    world.close()
    (Path(keeper.name) / "writes").unlink()
    gc.freeze()  # modules outlive all seeds: exclude them from garbage collection
    return _Prepared(folder, world.past)


_KEPT: list[tempfile.TemporaryDirectory[str]] = []
