"""Check of every state that a power cut may leave against the blocks signed and announced before it."""

import shutil
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from random import Random
from typing import NamedTuple

from conformance.power_cut.disk import NOT_KEPT, Choice, Disk
from conformance.power_cut.recorder import WRITE, Event
from conformance.power_cut.workload import opened, transaction

_RECENT = 4


class PublishedBlocks(NamedTuple):
    """Blocks that were signed and announced before the power cut."""

    signed: tuple[tuple[int, str], ...]
    announced: tuple[tuple[int, str], ...]


class Broken(Exception):
    """A state does not open, or lost an announced block."""


class Count(NamedTuple):
    """Totals of a replay."""

    moments: int
    states: int


class ReplaySettings(NamedTuple):
    """Parameters of a replay."""

    keep: int  # the workload's retention
    most: int  # maximum number of states per moment; the first two are nothing and everything
    mixtures: int = 2  # mixed states per moment, in addition to those of single files
    seed: int = 1


def replay(events: Iterable[Event], root: Path, scratch: Path, limits: ReplaySettings) -> Count:
    """Check the states before every sync.

    Args:
        events: The recording.
        root: Folder of the recorded program.
        scratch: Folder for the states, preferably in memory.
        limits: Parameters of the replay.

    Raises:
        Broken: a state is wrong; the error names the moment and the difference.
    """
    chance, moments, states = Random(limits.seed), 0, 0  # noqa: S311 - to be repeated
    for number, disk, told in _moments(events, root):
        moments += 1
        for choice in _chosen(disk, chance, limits):
            home = scratch / "home"
            shutil.rmtree(home, ignore_errors=True)
            disk.write(choice, lambda path: _below(path, root, scratch))
            try:
                _check(home, told, limits.keep, goes_on=states % 7 == 0)
            except Exception as error:
                raise Broken(f"event {number}, {told}, {_shown(choice)}: {error!r}") from error
            states += 1
    return Count(moments, states)


def _chosen(disk: Disk, chance: Random, limits: ReplaySettings) -> list[dict[Path, Choice]]:
    """Return distinct states, up to the requested number."""
    found: dict[tuple[tuple[str, Choice], ...], dict[Path, Choice]] = {}
    for choice in disk.choices(chance, limits.mixtures):
        found.setdefault(tuple(sorted((str(path), part) for path, part in choice.items())), choice)
    ends, rest = list(found.values())[:2], list(found.values())[2:]
    return ends + chance.sample(rest, min(len(rest), max(0, limits.most - len(ends))))


def _moments(events: Iterable[Event], root: Path) -> Iterator[tuple[int, Disk, PublishedBlocks]]:
    disk, log = Disk(), root / "told"
    signed: deque[tuple[int, str]] = deque(maxlen=_RECENT)
    announced: deque[tuple[int, str]] = deque(maxlen=_RECENT)
    number = 0
    for number, event in enumerate(events):
        if event.path == log:
            if event.kind == WRITE:
                kind, height, digest = event.data.decode().split()
                (signed if kind == "signed" else announced).append((int(height), digest))
            continue
        if event.path.name in NOT_KEPT:
            continue
        if disk.is_barrier(event):
            yield number, disk.before(event), PublishedBlocks(tuple(signed), tuple(announced))
        disk.after(event)
    yield number, disk, PublishedBlocks(tuple(signed), tuple(announced))


def _below(path: Path, root: Path, scratch: Path) -> Path | None:
    return scratch / path.relative_to(root) if path.is_relative_to(root) and path != root else None


def _check(home: Path, told: PublishedBlocks, keep: int, *, goes_on: bool) -> None:
    chain = opened(home, keep)
    try:
        for height, app_hash in told.announced:
            if chain.record(height).result.app_hash.hex() != app_hash:
                raise Broken(f"block {height} was announced, and is a different one now")
        for height, block_hash in told.signed:
            if chain.record(height).block_id.hash.hex() != block_hash:
                raise Broken(f"block {height} was signed, and is a different one now")
        if goes_on:
            outcome = chain.make_block([transaction(chain)]).txs[0]
            if outcome.code:
                raise Broken(f"block {chain.height} fails: {outcome.log}")
    finally:
        chain.close()


def _shown(choice: dict[Path, tuple[Event, ...]]) -> str:
    return "; ".join(
        f"{path.name}: {[(each.kind, each.offset, len(each.data)) for each in islice(part, 9)]}"
        for path, part in choice.items()
    )
