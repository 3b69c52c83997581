"""What must hold of a network once its faults have ended, in words where it does not."""

from collections.abc import Iterator
from hashlib import sha256

from conformance.simulation.nodes import Node
from conformance.simulation.world import World
from ibc_core import paths
from ibc_core.paths import prefix_end
from ibc_indexer.export import BlockExporter
from ibc_relayer.path import SIDES, AnyEnd, ClientEnd, Side
from ibc_testing.ledger import broken_laws, channel_view


def pending(world: World, side: Side) -> int:
    """Packets that a chain has sent and no answer is known of, there."""
    prefix = _commitments(world.path.end(side))
    ctx = world.nodes[side].chain.app.query_context()
    return sum(1 for _ in ctx.reader(paths.STORE_NAME).iterate(prefix, prefix_end(prefix)))


def _commitments(end: AnyEnd) -> bytes:
    if isinstance(end, ClientEnd):
        return paths.packet_commitment_v2_prefix(end.client_id)
    return paths.packet_commitment_prefix(end.port_id, end.channel_id)


def broken(world: World) -> Iterator[str]:
    """Everything that does not hold."""
    a, b = (node.chain for node in world.nodes)
    yield from broken_laws([channel_view(world.path, a, b)])
    for side in SIDES:
        left = pending(world, side)
        if left:
            yield f"{world.nodes[side].terms.chain_id}: {left} packets have no end"
    for number, relayer in enumerate(world.relayers):
        if relayer.pending:
            yield f"relayer {number + 1} takes {relayer.pending} packets for pending"
    for node in world.nodes:
        yield from _unmade(node)
        yield from _not_exported(node)
        yield from _not_the_replicas(node)


def _unmade(node: Node) -> Iterator[str]:
    for height, digest in sorted(node.announced.items()):
        if height > node.chain.height or node.chain.record(height).block_id.hash != digest:
            yield f"{node.terms.chain_id}: block {height} was announced, and is another or none now"


def _not_exported(node: Node) -> Iterator[str]:
    """The export has every block from its first line on, each as the chain has it."""
    chain = node.chain
    with BlockExporter(node.exports) as export:
        heights = export.heights
        gaps = heights.gaps()
        if gaps.ranges or heights.last != chain.height:
            yield f"{node.terms.chain_id}: the export has {heights}, the chain {chain.height} blocks"
            return
        for height in heights:
            line = export.block_at(height)
            if line is None or line.app_hash != chain.block(height).app_hash:
                yield f"{node.terms.chain_id}: block {height} is another in the export"


def _not_the_replicas(node: Node) -> Iterator[str]:
    """A node that was never killed gives the same app hashes for the same blocks."""
    chain, replica = node.chain, node.replica()
    try:
        for height in range(replica.height, chain.height + 1):
            block = chain.block(height)
            if height > replica.height:
                replica.make_block([each.tx for each in block.txs], block.time_ns)
            if replica.block(height).app_hash != block.app_hash:
                yield f"{node.terms.chain_id}: a replica has another app hash after block {height}"
                return
    finally:
        replica.close()


def digest(world: World) -> str:
    """What all that happened comes to: of every block its header, and so its transactions and results."""
    found = sha256()
    for chain in [node.chain for node in world.nodes]:
        for height in range(chain.first_height, chain.height + 1):
            record = chain.record(height)
            found.update(record.block_id.hash + record.result.app_hash)
    return found.hexdigest()
