"""Comparison of the index with the chains' blocks."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from conformance.simulation.nodes import Node
from conformance.simulation.queue_invariants import came_late
from conformance.simulation.world import World
from pyibc.core.errors import IbcError
from pyibc.core.host.block import Event
from pyibc.indexer.blocks.export import BlockExporter
from pyibc.indexer.job import index
from pyibc.indexer.local.run import LocalEngine
from pyibc.queues import packet as queued
from pyibc.relayer.packets.packets import name_on_a, read_event

_ENDS = {
    "send_packet": "sent",
    "acknowledge_packet": "acknowledged",
    "timeout_packet": "timed_out",
    queued.SEND: "sent",
    queued.HANDLE_RECEIPT: "acknowledged",
    queued.TIMEOUT: "timed_out",
}
WRITES = 40
"""File writes of the indexer before its disk becomes full."""


def index_faults_of(world: World, choice: Random) -> Iterator[str]:
    """Yield differences in packet counts between index and blocks, after a run with a full disk."""
    with tempfile.TemporaryDirectory(prefix="simulation-") as name:
        out = Path(name)
        world.machine.fill(out, choice.randrange(WRITES))
        try:
            _indexed(world, out)
        except (IbcError, OSError) as error:
            if not world.machine.is_full:
                yield f"no index: {error}"
                return
        world.machine.free()
        yield from _compared(world, _indexed(world, out))


def _indexed(world: World, out: Path) -> dict[str, Any]:
    outcome = index(LocalEngine(), [node.exports for node in world.nodes], out)
    gaps = {chain: [list(each) for each in known.gaps.ranges] for chain, known in outcome.coverage.items()}
    return {
        chain: counts | {"gaps": gaps.get(chain, [])} for chain, counts in outcome.summary["chains"].items()
    }


def _compared(world: World, found: dict[str, Any]) -> Iterator[str]:
    for node in world.nodes:
        told = found.get(node.identity.chain_id, {})
        gaps, is_whole = _gaps(node)
        counted = {**_counted(node), "gaps": []} if is_whole else {"gaps": gaps}
        said = {name: told.get(name) for name in counted}
        if said != counted:
            yield f"{node.identity.chain_id}: the index has {said}, the blocks have {counted}"


def _gaps(node: Node) -> tuple[list[list[int]], bool]:
    """Return the gaps in the export, and whether it has all blocks.

    Otherwise packet counts are not comparable.

    Blocks may be deleted before they are exported, or before a lost export begins again; blocks before its
    first line are no gap.
    """
    with BlockExporter(node.exports) as export:
        gaps = [list(each) for each in export.heights.gaps().ranges]
        return gaps, not gaps and export.heights.first <= min(node.observed)


def _counted(node: Node) -> dict[str, int]:
    """Return packet counts according to the chain's blocks."""
    seen: dict[str, set[tuple[object, int]]] = {name: set() for name in _ENDS.values()}
    for observed in node.observed.values():
        for outcome in observed.block.txs:
            for event in outcome.events:
                if event[0] in _ENDS and not outcome.code:
                    seen["timed_out" if came_late(event) else _ENDS[event[0]]] |= _packet(event)
    left = seen["sent"] - seen["acknowledged"] - seen["timed_out"]
    return {**{name: len(packets) for name, packets in seen.items()}, "in_flight": len(left), "unknown": 0}


def _packet(event: Event) -> set[tuple[object, int]]:
    if event[0].startswith(queued.PREFIX):
        said = dict(event[1])
        return {((said["source"], said["destination"]), int(said["sequence"]))}
    read = read_event(event)
    return {(name_on_a(read.packet), read.packet.sequence)} if read is not None else set()
