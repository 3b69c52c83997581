"""Invariants of a network after its faults have ended; violations are reported as text."""

from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256

from conformance.simulation.nodes import Node, ObservedBlock
from conformance.simulation.queue_invariants import queue_violations, queued
from conformance.simulation.routes import Route
from conformance.simulation.world import World
from iavl import engine
from localnet.chain import LocalChain
from pyibc.chain.app import HostApp
from pyibc.core import paths
from pyibc.core.host.block import CommittedBlock
from pyibc.core.host.context import prefix_end
from pyibc.indexer.blocks.export import BlockExporter
from pyibc.relayer.packets.packets import AnyPacket, commitment_key, name_on_a, name_on_b, read_event
from pyibc.relayer.paths.path import SIDES, AnyEnd, ClientEnd, other
from pyibc.relayer.queue.path import QueuePath
from pyibc.testing.ledger import ChannelView, broken_laws

Name = tuple[str, ...]
"""Name of an end: port and channel, or client."""


class ObservedChain:
    """A chain with all its blocks as observed by the listener, deleted ones included."""

    def __init__(self, node: Node) -> None:
        self._chain: LocalChain = node.chain
        self._heard: dict[int, ObservedBlock] = node.observed

    @property
    def chain_id(self) -> str:
        """The chain's id."""
        return self._chain.chain_id

    @property
    def height(self) -> int:
        """Height of the last block."""
        return self._chain.height

    @property
    def app(self) -> HostApp:
        """State of the chain."""
        return self._chain.app

    def get(self, key: bytes) -> bytes | None:
        """Return the value of a key after the last block."""
        return self._chain.get(key)

    def block(self, height: int) -> CommittedBlock:
        """Return a block; raises KeyError."""
        return self._heard[height].block


def pending(world: World, route: Route) -> list[int]:
    """Return the number of packets each end of a route has sent whose commitments remain."""
    if isinstance(route.path, QueuePath):
        return [queued(world.ends(route)[side].chain, route.path[side]) for side in SIDES]
    found = []
    for side in SIDES:
        prefix = _commitments(route.path.end(side))
        ctx = world.ends(route)[side].chain.app.query_context()
        found.append(sum(1 for _ in ctx.reader(paths.STORE_NAME).iterate(prefix, prefix_end(prefix))))
    return found


def _unobservable(world: World, route: Route) -> list[int]:
    """Return the number of pending packets per end whose events are in a deleted block.

    A relayer that did not read these blocks knows only the packets' commitments.
    """
    path, ends = route.path, world.ends(route)
    if isinstance(path, QueuePath):  # queues keep their packets in state
        return [0, 0]
    found = []
    for side in SIDES:
        way = path.end(side).name, path.end(other(side)).name
        gone = {*_deleted(ends[side], "send_packet", way), *_deleted(ends[other(side)], "recv_packet", way)}
        found.append(sum(ends[side].chain.get(commitment_key(packet)) is not None for packet in gone))
    return found


def _deleted(node: Node, kind: str, way: tuple[Name, Name]) -> Iterator[AnyPacket]:
    """Yield the packets from one end to the other in events of one kind in deleted blocks."""
    for height in range(1, node.chain.earliest):
        for outcome in node.observed[height].block.txs:
            for event in outcome.events:
                seen = read_event(event) if event[0] == kind else None
                if seen is not None and (name_on_a(seen.packet), name_on_b(seen.packet)) == way:
                    yield seen.packet


def _commitments(end: AnyEnd) -> bytes:
    if isinstance(end, ClientEnd):
        return paths.packet_commitment_v2_prefix(end.client_id)
    return paths.packet_commitment_prefix(end.port_id, end.channel_id)


def violations(world: World) -> Iterator[str]:
    """Yield all violations."""
    for node in world.nodes:
        yield from _replaced(node)
        yield from _not_exported(node)
        yield from _not_the_replicas(node)
    yield from broken_laws(list(_views(world)))
    unobservable = [_unobservable(world, route) for route in world.routes]
    for route, lost_at in zip(world.routes, unobservable, strict=True):
        if isinstance(route.path, QueuePath):
            yield from queue_violations(world.ends(route), route.path)
        for node, left, lost in zip(world.ends(route), pending(world, route), lost_at, strict=True):
            if left != lost:
                yield f"{node.identity.chain_id}: {left - lost} packets are still pending"
    gone = sum(map(sum, unobservable))
    for number, relayer in enumerate(world.relayers):
        yield from (f"relayer {number + 1} takes {each}" for each in relayer.wrong_paths)
        if relayer.pending > gone:  # of the packets it read about in blocks that are deleted since
            yield f"relayer {number + 1} takes {relayer.pending} packets for pending"
        if relayer.wanted < gone:  # packets completed by another relayer may still be counted
            yield f"relayer {number + 1} looks for {relayer.wanted} packets, blocks are gone of {gone}"


def _views(world: World) -> Iterator[ChannelView]:
    chains = [ObservedChain(node) for node in world.nodes]
    for (a, b), path in world.routes:
        if not isinstance(path, QueuePath):
            yield ChannelView(chains[a], path.a, chains[b], path.b)


def _replaced(node: Node) -> Iterator[str]:
    chain_id = node.identity.chain_id
    for height in node.listener.replaced:
        yield f"{chain_id}: block {height} was reported again with other content"
    for height in range(1, node.chain.height + 1):
        if height not in node.observed:
            yield f"{chain_id}: block {height} was never reported"
            return
        stored = node.chain.record(height).block_id.hash if height >= node.chain.earliest else None
        if stored not in {None, node.observed[height].block.hash}:
            yield f"{chain_id}: block {height} differs from the reported one"
    for height, digest in sorted(node.announced.items()):
        if height > node.chain.height or node.observed[height].block.hash != digest:
            yield f"{chain_id}: block {height} was announced, and is different or missing now"


def _not_exported(node: Node) -> Iterator[str]:
    """Check that the export has every block that is not deleted, as the chain has it."""
    chain = node.chain
    with BlockExporter(node.exports) as export:
        heights = export.heights
        lost = [each for first, last in heights.gaps().ranges for each in range(first, last + 1)]
        lost += range(1, heights.first)
        if any(each >= chain.earliest for each in lost) or heights.last != chain.height:
            yield f"{node.identity.chain_id}: the export has {heights}, the chain {chain.height} blocks"
            return
        for height in heights:
            line = export.block_at(height)
            if line is None or line.app_hash != node.observed[height].block.app_hash:
                yield f"{node.identity.chain_id}: block {height} differs in the export"


def _not_the_replicas(node: Node) -> Iterator[str]:
    """Check that a replica, with the Python tree, gets the same app hashes from the same blocks."""
    chosen = engine.use(engine.PYTHON)
    try:
        height = _differing(node)
    finally:
        engine.use(chosen)
    if height is not None:
        yield f"{node.identity.chain_id}: a replica has another app hash after block {height}"


def _differing(node: Node) -> int | None:
    """Return the first height at which a replica differs."""
    last, replica = node.chain.height, node.replica()
    with closing(replica):
        for height in range(replica.height, last + 1):
            block = node.observed[height].block
            if height > replica.height:
                replica.make_block([each.tx for each in block.txs], block.time_ns)
            if replica.block(height).app_hash != block.app_hash:
                return height
    return None


def digest(world: World) -> str:
    """Return a hash over the headers of all blocks, and thus over their transactions and results."""
    found = sha256()
    for node in world.nodes:
        for height in range(1, node.chain.height + 1):
            block = node.observed[height].block
            found.update(block.hash + block.app_hash)
    return found.hexdigest()
