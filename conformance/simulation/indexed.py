"""What the index says of the chains' exports, held against the chains."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from conformance.simulation.nodes import Node
from conformance.simulation.world import World
from ibc_core.errors import IbcError
from ibc_indexer.job import index
from ibc_indexer.local_engine import here
from ibc_relayer.packets import name_on_a, read_event

_ENDS = {"send_packet": "sent", "acknowledge_packet": "acknowledged", "timeout_packet": "timed_out"}
_OPEN = ("in_flight", "unknown")


def not_indexed(world: World) -> Iterator[str]:
    """Where the index counts other packets than the chains' blocks have."""
    with tempfile.TemporaryDirectory(prefix="simulation-") as out:
        try:
            found = index(here, [node.exports for node in world.nodes], Path(out)).summary["chains"]
        except IbcError as error:
            yield f"no index: {error}"
            return
    for node in world.nodes:
        told = found.get(node.terms.chain_id, {})
        counted = {**_counted(node), **dict.fromkeys(_OPEN, 0), "gaps": []}
        said = {name: told.get(name) for name in counted}
        if said != counted:
            yield f"{node.terms.chain_id}: the index says {said}, the blocks {counted}"


def _counted(node: Node) -> dict[str, int]:
    """Packets by what the chain's blocks say of them."""
    seen: dict[str, set[tuple[object, int]]] = {name: set() for name in _ENDS.values()}
    for height in range(1, node.chain.height + 1):
        for outcome in node.chain.block(height).txs:
            for event in outcome.events:
                read = read_event(event) if event[0] in _ENDS else None
                if read is not None:
                    seen[_ENDS[event[0]]].add((name_on_a(read.packet), read.packet.sequence))
    return {name: len(packets) for name, packets in seen.items()}
