"""What must hold of a network once its faults have ended, in words where it does not."""

from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256

from conformance.simulation.nodes import Heard, Node
from conformance.simulation.queued import broken_queues, queued
from conformance.simulation.routes import Route
from conformance.simulation.world import World
from iavl import engine
from ibc_core import paths
from ibc_core.host.block import CommittedBlock
from ibc_core.paths import prefix_end
from ibc_indexer.export import BlockExporter
from ibc_relayer.packets import AnyPacket, commitment_key, name_on_a, name_on_b, read_event
from ibc_relayer.path import SIDES, AnyEnd, ClientEnd, other
from ibc_relayer.queue.path import QueuePath
from ibc_testing.ledger import ChannelView, broken_laws
from localnet.chain import LocalChain
from localnet.host.app import HostApp

Name = tuple[str, ...]
"""Of an end: port and channel, or client."""


class Witnessed:
    """A chain with all its blocks, those that its node deleted too, as listeners know them."""

    def __init__(self, node: Node) -> None:
        self._chain: LocalChain = node.chain
        self._heard: dict[int, Heard] = node.heard

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
        """Its state."""
        return self._chain.app

    def get(self, key: bytes) -> bytes | None:
        """The value of a key after the last block."""
        return self._chain.get(key)

    def block(self, height: int) -> CommittedBlock:
        """A block; raises KeyError."""
        return self._heard[height].block


def pending(world: World, route: Route) -> list[int]:
    """Packets that each end of a route has sent and no answer is known of, there."""
    if isinstance(route.path, QueuePath):
        return [queued(world.ends(route)[side].chain, route.path[side]) for side in SIDES]
    found = []
    for side in SIDES:
        prefix = _commitments(route.path.end(side))
        ctx = world.ends(route)[side].chain.app.query_context()
        found.append(sum(1 for _ in ctx.reader(paths.STORE_NAME).iterate(prefix, prefix_end(prefix))))
    return found


def _untold(world: World, route: Route) -> list[int]:
    """Pending packets of each end that a deleted block told of: when they were sent, or what was answered.

    Settings may delete blocks; who has not read them by then has nothing but hashes of such a packet.
    """
    path, ends = route.path, world.ends(route)
    if isinstance(path, QueuePath):  # packets of queues stand in the state
        return [0, 0]
    found = []
    for side in SIDES:
        way = path.end(side).name, path.end(other(side)).name
        gone = {*_deleted(ends[side], "send_packet", way), *_deleted(ends[other(side)], "recv_packet", way)}
        found.append(sum(ends[side].chain.get(commitment_key(packet)) is not None for packet in gone))
    return found


def _deleted(node: Node, kind: str, way: tuple[Name, Name]) -> Iterator[AnyPacket]:
    """Packets from one end to the other in events of one kind in the blocks that are deleted."""
    for height in range(1, node.chain.earliest):
        for outcome in node.heard[height].block.txs:
            for event in outcome.events:
                seen = read_event(event) if event[0] == kind else None
                if seen is not None and (name_on_a(seen.packet), name_on_b(seen.packet)) == way:
                    yield seen.packet


def _commitments(end: AnyEnd) -> bytes:
    if isinstance(end, ClientEnd):
        return paths.packet_commitment_v2_prefix(end.client_id)
    return paths.packet_commitment_prefix(end.port_id, end.channel_id)


def broken(world: World) -> Iterator[str]:
    """Everything that does not hold."""
    for node in world.nodes:
        yield from _unmade(node)
        yield from _not_exported(node)
        yield from _not_the_replicas(node)
    yield from broken_laws(list(_views(world)))
    untold = [_untold(world, route) for route in world.routes]
    for route, lost_at in zip(world.routes, untold, strict=True):
        if isinstance(route.path, QueuePath):
            yield from broken_queues(world.ends(route), route.path)
        for node, left, lost in zip(world.ends(route), pending(world, route), lost_at, strict=True):
            if left != lost:
                yield f"{node.terms.chain_id}: {left - lost} packets have no end"
    gone = sum(map(sum, untold))
    for number, relayer in enumerate(world.relayers):
        yield from (f"relayer {number + 1} takes {each}" for each in relayer.strayed)
        if relayer.pending > gone:  # of those it knows that they were sent, from blocks that were there then
            yield f"relayer {number + 1} takes {relayer.pending} packets for pending"
        if relayer.wanted < gone:  # one whose end another relayer brought about may still be counted
            yield f"relayer {number + 1} looks for {relayer.wanted} packets, blocks are gone of {gone}"


def _views(world: World) -> Iterator[ChannelView]:
    chains = [Witnessed(node) for node in world.nodes]
    for (a, b), path in world.routes:
        if not isinstance(path, QueuePath):
            yield ChannelView(chains[a], path.a, chains[b], path.b)


def _unmade(node: Node) -> Iterator[str]:
    chain_id = node.terms.chain_id
    for height in node.listener.unmade:
        yield f"{chain_id}: listeners heard of another block {height} than before"
    for height in range(1, node.chain.height + 1):
        if height not in node.heard:
            yield f"{chain_id}: no listener ever heard of block {height}"
            return
        stored = node.chain.record(height).block_id.hash if height >= node.chain.earliest else None
        if stored not in {None, node.heard[height].block.hash}:
            yield f"{chain_id}: block {height} is another one than listeners heard of"
    for height, digest in sorted(node.announced.items()):
        if height > node.chain.height or node.heard[height].block.hash != digest:
            yield f"{chain_id}: block {height} was announced, and is another or none now"


def _not_exported(node: Node) -> Iterator[str]:
    """The export has every block but deleted ones, each as the chain has it."""
    chain = node.chain
    with BlockExporter(node.exports) as export:
        heights = export.heights
        lost = [each for first, last in heights.gaps().ranges for each in range(first, last + 1)]
        lost += range(1, heights.first)
        if any(each >= chain.earliest for each in lost) or heights.last != chain.height:
            yield f"{node.terms.chain_id}: the export has {heights}, the chain {chain.height} blocks"
            return
        for height in heights:
            line = export.block_at(height)
            if line is None or line.app_hash != node.heard[height].block.app_hash:
                yield f"{node.terms.chain_id}: block {height} is another in the export"


def _not_the_replicas(node: Node) -> Iterator[str]:
    """A node that was never killed gives the same app hashes for the same blocks, with Python's tree."""
    chosen = engine.use(engine.PYTHON)
    try:
        height = _differing(node)
    finally:
        engine.use(chosen)
    if height is not None:
        yield f"{node.terms.chain_id}: a replica has another app hash after block {height}"


def _differing(node: Node) -> int | None:
    """The first height at which a replica differs."""
    last, replica = node.chain.height, node.replica()
    with closing(replica):
        for height in range(replica.height, last + 1):
            block = node.heard[height].block
            if height > replica.height:
                replica.make_block([each.tx for each in block.txs], block.time_ns)
            if replica.block(height).app_hash != block.app_hash:
                return height
    return None


def digest(world: World) -> str:
    """What all that happened comes to: of every block its header, and so its transactions and results."""
    found = sha256()
    for node in world.nodes:
        for height in range(1, node.chain.height + 1):
            block = node.heard[height].block
            found.update(block.hash + block.app_hash)
    return found.hexdigest()
