"""One seed: the network is made, the steps are done, the faults end, and all must come right."""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

from conformance.simulation.happenings import Happenings
from conformance.simulation.indexed import not_indexed
from conformance.simulation.invariants import broken, digest, pending
from conformance.simulation.steps import Step, steps_of
from conformance.simulation.world import Clocks, World
from ibc_indexer.plugin import FILLED_AT_ONCE
from ibc_relayer.path import SIDES, AnyPath
from ibc_testing.clock import SECOND

STEPS = 60
"""Of a seed."""
INDEXED = 9
"""One of so many seeds is indexed, channels and IBC v2 in turn: that takes as long as the seed itself."""
LATER_NS = 2 * 3600 * SECOND
"""By which every packet's timeout has passed, and no client has expired."""
ROUNDS = 60
"""In which relayers without faults must have ended everything."""


_MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 - files of its own, in folders of random names
"""Where homes are: what a disk keeps over a power cut is not tried here, so none has to keep up."""


class Outcome(NamedTuple):
    """What came of a seed."""

    faults: tuple[str, ...]  # none: everything holds
    digest: str  # of both chains; "" where it did not come to its end


class _Prepared(NamedTuple):
    folder: Path
    now_ns: int
    path: AnyPath


def run(seed: int, only: Sequence[int] | None = None) -> Outcome:
    """Simulates a seed.

    Args:
        seed: makes the steps; an odd one's packets are of IBC v2.
        only: numbers of the steps that happen, from 0 on; None: all.
    """
    steps = steps_of(seed, STEPS)
    chosen = steps if only is None else [steps[each] for each in only]
    with _world(v2=bool(seed % 2)) as world:
        return _simulated(world, chosen, indexed=not seed % INDEXED)


def _simulated(world: World, steps: Sequence[Step], *, indexed: bool) -> Outcome:
    happenings = Happenings(world)
    for number, step in enumerate(steps):
        try:
            happenings.do(step)
        except Exception as error:  # noqa: BLE001 - no step may end in one: this is what is looked for
            return Outcome((f"step {number}, {step.kind}: {type(error).__name__}: {error}",), "")
    try:
        _heal(world)
        faults = [*broken(world), *(not_indexed(world) if indexed else ())]
        return Outcome(tuple(faults), digest(world))
    except Exception as error:  # noqa: BLE001 - as above
        return Outcome((f"after all: {type(error).__name__}: {error}",), "")


def _heal(world: World) -> None:
    """All faults end, time passes, and the relayers get the rounds that they need."""
    world.clocks.wrong_ns = [0, 0]
    world.clocks.now_ns += LATER_NS
    for node in world.nodes:
        node.switch.disarm()
        node.start()
    for relayer in world.relayers:
        relayer.weather.calm()
    for _ in range(ROUNDS):
        for node in world.nodes:
            node.chain.make_block()
        busy = [relayer.round(world.path) for relayer in world.relayers]
        if not any(busy) and not any(pending(world, side) for side in SIDES):
            break
    for node in world.nodes:
        for _ in range(2 + node.chain.height // FILLED_AT_ONCE):  # what exports lack is written with blocks
            node.chain.make_block()


@contextmanager
def _world(*, v2: bool) -> Iterator[World]:
    """A network with an open path: a copy of one that was made once."""
    made = _prepared(v2=v2)
    with tempfile.TemporaryDirectory(prefix="simulation-", dir=_MEMORY) as name:
        folder = Path(name) / "world"
        shutil.copytree(made.folder, folder)
        world = World(folder, Clocks(made.now_ns), made.path)
        try:
            yield world
        finally:
            world.close()


@cache
def _prepared(*, v2: bool) -> _Prepared:
    keeper = tempfile.TemporaryDirectory(prefix="simulation-", dir=_MEMORY)
    _KEPT.append(keeper)  # removed when the process ends
    clocks = Clocks()
    world = World(Path(keeper.name), clocks, None, v2=v2)
    world.close()
    return _Prepared(Path(keeper.name), clocks.now_ns, world.path)


_KEPT: list[tempfile.TemporaryDirectory[str]] = []
