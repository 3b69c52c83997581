"""What the index says of the chains' exports, held against the chains."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from conformance.simulation.nodes import Node
from conformance.simulation.queued import came_late
from conformance.simulation.world import World
from ibc_core.errors import IbcError
from ibc_core.host.events import Event
from ibc_core.queue import events as queued
from ibc_indexer.export import BlockExporter
from ibc_indexer.job import index
from ibc_indexer.local_engine import here
from ibc_relayer.packets import name_on_a, read_event

_ENDS = {
    "send_packet": "sent",
    "acknowledge_packet": "acknowledged",
    "timeout_packet": "timed_out",
    queued.SEND: "sent",
    queued.HANDLE_RECEIPT: "acknowledged",
    queued.TIMEOUT: "timed_out",
}
WRITES = 40
"""Of the index, before its disk is full."""


def not_indexed(world: World, choice: Random) -> Iterator[str]:
    """Where the index counts other packets than the chains' blocks have, after a disk was full of it once."""
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
    summary: dict[str, Any] = index(here, [node.exports for node in world.nodes], out).summary
    return dict(summary["chains"])


def _compared(world: World, found: dict[str, Any]) -> Iterator[str]:
    for node in world.nodes:
        told = found.get(node.terms.chain_id, {})
        gaps, is_whole = _gaps(node)
        counted = {**_counted(node), "gaps": []} if is_whole else {"gaps": gaps}
        said = {name: told.get(name) for name in counted}
        if said != counted:
            yield f"{node.terms.chain_id}: the index says {said}, the blocks {counted}"


def _gaps(node: Node) -> tuple[list[list[int]], bool]:
    """Holes in the export, and whether it has all blocks: packets in others nobody can count.

    Settings deleted those before they were exported, or before an export that was lost began anew: what lacks
    before its first line is no hole.
    """
    with BlockExporter(node.exports) as export:
        gaps = [list(each) for each in export.heights.gaps().ranges]
        return gaps, not gaps and export.heights.first <= min(node.heard)


def _counted(node: Node) -> dict[str, int]:
    """Packets by what the chain's blocks say of them."""
    seen: dict[str, set[tuple[object, int]]] = {name: set() for name in _ENDS.values()}
    for heard in node.heard.values():
        for outcome in heard.block.txs:
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
