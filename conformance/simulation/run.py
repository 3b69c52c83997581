"""One seed: the network is made, the steps are done, the faults end, and all must come right."""

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

from conformance.simulation.fees import unaccounted
from conformance.simulation.happenings import Happenings
from conformance.simulation.invariants import broken, digest, pending
from conformance.simulation.steps import Step, steps_of
from conformance.simulation.world import Past, World
from ibc_indexer.plugin import FILLED_AT_ONCE
from ibc_testing.clock import SECOND

STEPS = 60
"""Of a seed."""
INDEXED = 9
"""One of so many seeds is indexed, channels and IBC v2 in turn: that takes as long as the seed itself."""
BY_RPC = 5
"""In one of so many seeds a relayer has the client of a node's RPC, in another one who exports."""
LATER_NS = 2 * 3600 * SECOND
"""By which every packet's timeout has passed, and no client has expired."""
ROUNDS = 60
"""In which relayers without faults must have ended everything."""


class Outcome(NamedTuple):
    """What came of a seed."""

    faults: tuple[str, ...]  # none: everything holds
    digest: str  # of both chains; "" where it did not come to its end


class _Prepared(NamedTuple):
    folder: Path
    past: Past


def prepare(seed: int) -> None:
    """Makes what a seed begins with, before anything is planted.

    What is loaded under faults of the disk, or made while a mend is taken back, would stay so.
    """
    import_module("conformance.simulation.indexed")  # Arrow, DuckDB and what draws reports: slow to load
    _prepared(v2=bool(seed % 2))


def run(seed: int, only: Sequence[int] | None = None) -> Outcome:
    """Simulates a seed, after `prepare`.

    Args:
        seed: makes the steps; in an odd one channel and IBC v2 have changed their places, in one of five
            a relayer reaches its chains by their RPC, in another one somebody exports blocks by it.
        only: numbers of the steps that happen, from 0 on; None: all.
    """
    steps = steps_of(seed, STEPS)
    chosen = steps if only is None else [steps[each] for each in only]
    with _world(v2=bool(seed % 2), by_rpc=seed % BY_RPC == 4, fetches=seed % BY_RPC == 3) as world:
        return _simulated(world, chosen, Random(seed) if not seed % INDEXED else None)  # noqa: S311


def _simulated(world: World, steps: Sequence[Step], index_choice: Random | None) -> Outcome:
    from conformance.simulation.indexed import not_indexed

    happenings = Happenings(world)
    for number, step in enumerate(steps):
        try:
            happenings.do(step)
        except Exception as error:  # noqa: BLE001 - no step may end in one: this is what is looked for
            return Outcome((f"step {number}, {step.kind}: {_told(world, error)}",), "")
    try:
        _heal(world)
        index_faults = not_indexed(world, index_choice) if index_choice else ()
        fetched = world.fetcher.lacking() if world.fetcher else ()
        faults = [*broken(world), *index_faults, *unaccounted(world), *fetched]
        return Outcome(tuple(faults), digest(world))
    except Exception as error:  # noqa: BLE001 - as above
        return Outcome((f"after all: {_told(world, error)}",), "")


def _told(world: World, error: Exception) -> str:
    """The same in each run, whose folders have other names."""
    return f"{type(error).__name__}: {error}".replace(f"{world.machine.root}/", "")


def _heal(world: World) -> None:
    """All faults end, time passes, and the relayers get the rounds that they need."""
    world.clocks.wrong_ns = [0] * len(world.nodes)
    world.clocks.now_ns += LATER_NS
    world.machine.free()
    for node in world.nodes:
        node.switch.disarm()
        node.start()
    for relayer in world.relayers:
        relayer.weather.calm()
    for _ in range(ROUNDS):
        for node in world.nodes:
            node.chain.make_block()
        busy = [each.round(number) for each in world.relayers for number in range(len(world.routes))]
        if not any(busy) and not any(left for route in world.routes for left in pending(world, route)):
            break
    for node in world.nodes:
        for _ in range(2 + node.chain.height // FILLED_AT_ONCE):  # what exports lack is written with blocks
            node.chain.make_block()


@contextmanager
def _world(*, v2: bool, **who: bool) -> Iterator[World]:
    """A network with open routes: a copy of one that was made once."""
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
    gc.freeze()  # modules outlive all seeds: the collector need not look through them in each
    return _Prepared(folder, world.past)


_KEPT: list[tempfile.TemporaryDirectory[str]] = []
