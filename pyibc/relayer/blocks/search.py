"""Backward search in blocks for packet events that the chain's state proves but that were not read.

Each round reads a few blocks, the newest first, so that an old packet does not delay new ones. An event that
is not found stays on the list: one node may omit it or have pruned its block, and another may have it.
"""

from collections.abc import Container
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from heapq import nsmallest
from typing import NamedTuple

from pyibc.core.host.block import CommittedBlock
from pyibc.core.packet.events import SEND_PACKET, WRITE_ACKNOWLEDGEMENT
from pyibc.relayer.blocks.checked import Cursor, cursor_at, read_checked
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.errors import BlockMismatch, EndpointRefused
from pyibc.relayer.links.executor import Executor
from pyibc.relayer.packets.backlog import events_of
from pyibc.relayer.packets.packets import AnyPacketEvent, EventKey, name_on_a, name_on_b, readable_events
from pyibc.relayer.packets.pending_packets import PendingPacket, PendingPackets, Stage, is_committed
from pyibc.relayer.paths.path import EndName

MAX_REFUSALS = 5
"""Rounds in which a refused block is retried before it counts as pruned: the node may only lag."""
INDEX_QUERIES = 10
"""Events queried from the chain's event index per round."""
REPEAT_AFTER = 20
"""Blocks after which a failed search is repeated; doubled each time, at most `MAX_DOUBLINGS` times."""
MAX_DOUBLINGS = 4


class MissingEvent(NamedTuple):
    """Event that must be in a block according to the chain's state."""

    packets: PendingPackets  # where the packet is missing
    receiver: EndName  # destination endpoint of the packet
    received: bool  # for a SendPacket event: whether the packet is received
    commitment: bytes  # packet or acknowledgement commitment; empty: unknown


class _SearchPosition(NamedTuple):
    """Search position: the events are in this block or below."""

    height: int
    above: Cursor  # height of the block above and its parent hash; empty: unknown
    keys: set[EventKey]


class BlockSearch:
    """Search in the blocks of one chain."""

    def __init__(self, endpoint: ChainEndpoint, executor: Executor | None = None) -> None:
        """Create an idle search.

        Args:
            endpoint: the chain.
            executor: background executor that reads blocks, so that `step` does not wait for them.
        """
        self._endpoint = endpoint
        self._executor = executor
        self._background: tuple[int, Future[CommittedBlock] | None] = (0, None)
        """Height and future of the block being read in the background."""
        self._cache_cleared_for: _SearchPosition | None = (
            None  # the search for which the block cache was cleared last
        )
        self._wanted: dict[EventKey, MissingEvent] = {}
        self._positions: list[_SearchPosition] = []  # the highest last
        self._failed: dict[EventKey, tuple[int, int]] = {}  # failed searches, height from which to repeat
        self._indexed = set[EventKey]()  # queried from the event index
        self._refused = 0
        self.read = 0
        """Number of blocks read."""
        self.found = 0
        """Number of events found."""

    @property
    def reading(self) -> list[Future[CommittedBlock]]:
        """Future of the block being read in the background, if any."""
        reading = self._background[1]
        return [] if reading is None or reading.done() else [reading]

    @property
    def wanted(self) -> int:
        """Number of events on the list, including those whose search failed for now."""
        return len(self._wanted)

    def search_for(self, key: EventKey, wanted: MissingEvent, height: int) -> bool:
        """Search for an event in block `height` and below; return whether a search was started.

        A failed search is repeated after the chain has made some blocks.
        """
        if key[2] not in wanted.packets.packets:
            wanted.packets.missing.add(key[2])
        # guard: an-end-that-the-state-denies-is-believed drop
        #   test_what_has_come_to_its_end_since_is_not_looked_for
        wanted.packets.ended.pop(key[2], None)  # the state shows that the packet is not completed
        known = self._wanted.get(key)
        self._wanted[key] = wanted
        # guard: h120-what-is-not-found-is-never-looked-for-again drop:_failed
        #   test_h120_events_that_one_of_two_nodes_always_hides
        if known is not None and height < self._failed.get(key, (0, height + 1))[1]:
            return False
        new_position = next(
            (each for each in self._positions if each.height == height and not each.above.height), None
        )
        # guard: h194-a-front-for-each always
        #   test_h194_however_many_packets_are_looked_for_a_block_is_read_once
        if new_position is None:
            new_position = _SearchPosition(height, Cursor(0), set())
            self._positions.append(new_position)
            self._positions.sort(key=lambda position: position.height)
        new_position.keys.add(key)
        return True

    def retain(self, packets: PendingPackets, wanted: Container[EventKey]) -> None:
        """Drop the searches for `packets` except `wanted`, since the state no longer has those packets."""
        mine = [key for key, each in self._wanted.items() if each.packets is packets]
        for key in mine:
            if key not in wanted:
                self._forget(key)

    def scan(self, last: int, blocks: int) -> None:
        """Read `blocks` blocks up to `last`, then drop all searches. Raises as `step`."""
        self._positions = [_SearchPosition(last, Cursor(0), set(self._wanted))]
        self.step(last, blocks, background=False)
        self._positions.clear()
        for key in list(self._wanted):
            self._forget(key)

    def step(self, last: int, blocks: int, *, background: bool = True) -> bool:
        """Read at most `blocks` blocks up to `last`; return whether there are more to read.

        Args:
            last: the highest block to read.
            blocks: the maximum number of blocks.
            background: do not wait for a block that can be read in the background.

        Raises:
            EndpointUnavailable, MalformedAnswer: no response, or a malformed one.
        """
        for each in self._positions:
            each.keys.difference_update([key for key in each.keys if self._is_done(key)])
        for _ in range(blocks):
            position = self._next(last)
            if position is None:
                return False
            self._forget_blocks(position)
            # guard: h240-an-old-block-is-waited-for drop
            #   test_h240_fresh_packets_go_on_while_an_old_block_is_asked_for
            if background and not self._is_available(position.height):
                return True
            block = self._block(position)
            if block is None:
                return True
            self._scan_block(block, position.keys)
            self._advance(position, block)
        self._query_index(last)
        return self._next(last) is not None

    def _query_index(self, last: int) -> None:
        """Query the endpoint's event index for events that were not in the first block of their search."""
        find = self._endpoint.extras.find
        if find is None:
            return
        keys = (key for position in self._positions if position.above.height for key in position.keys)
        for key in nsmallest(INDEX_QUERIES, (key for key in keys if key not in self._indexed)):
            self._indexed.add(key)
            height = find(key) if key in self._wanted else None
            if height is not None and 0 < height <= last:
                with suppress(EndpointRefused):
                    self._scan_block(read_checked(self._endpoint, height), set(self._wanted))
                    self.read += 1

    def _forget_blocks(self, position: _SearchPosition) -> None:
        """Clear the block cache at the start of a search: the cached block lacks the event."""
        if position.above.height or position is self._cache_cleared_for:
            return
        self._cache_cleared_for = position
        forget = self._endpoint.extras.forget
        if forget is not None:
            forget()

    def _is_available(self, height: int) -> bool:
        """Return whether the block can be read without waiting; otherwise read it in the background."""
        heights = self._endpoint.extras.heights
        if self._executor is None or heights is None:
            return True
        if heights.has_block(height):
            return True
        height_in_background, reading = self._background
        if height_in_background != height or reading is None:
            self._background = height, self._executor.submit(partial(self._endpoint.block, height))
            return False
        if not reading.done():
            return False
        self._background = 0, None
        return True  # it failed: reading it again raises the error

    def _next(self, last: int) -> _SearchPosition | None:
        """Return the highest search position up to `last`; end those without events or blocks left."""
        while self._positions:
            at = max((n for n, each in enumerate(self._positions) if each.height <= last), default=None)
            if at is None:
                return None
            position = self._positions[at]
            if position.keys and position.height > 0:
                return position
            del self._positions[at]
            self._record_failure(position.keys, last)
        return None

    def _is_done(self, key: EventKey) -> bool:
        wanted = self._wanted.get(key)
        if wanted is None:
            return True
        known = wanted.packets.packets.get(key[2])
        if known is None:
            # guard: what-has-ended-is-looked-for {=> done = False}
            #   test_what_has_come_to_its_end_since_is_not_looked_for
            done = key[2] in wanted.packets.ended  # it was read, and the packet is completed
        else:
            done = key[0] == SEND_PACKET or known.stage == Stage.ACKNOWLEDGED
        if done:
            self._forget(key)
        return done

    def _block(self, position: _SearchPosition) -> CommittedBlock | None:
        try:
            block = read_checked(self._endpoint, position.height)
            if position.above.hash and block.hash and block.hash != position.above.hash:
                self._replace(position, position._replace(above=Cursor(0)))
                reason = f"it is {block.hash.hex()}, the parent of the next is {position.above.hash.hex()}"
                raise BlockMismatch(self._endpoint.chain_id, f"block {position.height}", reason)
        except EndpointRefused:
            self._refused += 1
            if self._refused == MAX_REFUSALS:
                self._refused = 0
                self._replace(position, position._replace(height=0))  # pruned, as are all older blocks
            return None
        self._refused = 0
        self.read += 1
        return block

    def _scan_block(self, block: CommittedBlock, keys: set[EventKey]) -> None:
        for event_read in readable_events(events_of(block)):
            key = event_read.kind, name_on_a(event_read.packet), event_read.packet.sequence
            if key in keys and _add_found(self._wanted[key], event_read, block.height):
                self.found += 1
                self._forget(key)
                keys.discard(key)

    def _advance(self, position: _SearchPosition, block: CommittedBlock) -> None:
        moved = position._replace(
            height=position.height - 1, above=cursor_at(block)._replace(hash=block.parent)
        )
        below = [each for each in self._positions if each.height == moved.height and each is not position]
        for each in below:
            moved.keys.update(each.keys)
            self._positions.remove(each)
        self._replace(position, moved)

    def _replace(self, position: _SearchPosition, by: _SearchPosition) -> None:
        self._positions[next(n for n, each in enumerate(self._positions) if each is position)] = by

    def _record_failure(self, keys: set[EventKey], last: int) -> None:
        for key in keys:
            times = self._failed.get(key, (0, 0))[0]
            self._indexed.discard(key)
            self._failed[key] = times + 1, last + REPEAT_AFTER * 2 ** min(times, MAX_DOUBLINGS)

    def _forget(self, key: EventKey) -> None:
        wanted = self._wanted.pop(key, None)
        self._indexed.discard(key)
        self._failed.pop(key, None)
        if wanted is not None:
            wanted.packets.missing.discard(key[2])


def _add_found(wanted: MissingEvent, event_read: AnyPacketEvent, height: int) -> bool:
    """Add a found packet to its pending packets; return whether it matches the commitment in state."""
    packet = event_read.packet
    if event_read.kind == WRITE_ACKNOWLEDGEMENT:
        found = PendingPacket(packet, Stage.ACKNOWLEDGED, height, event_read.acknowledgement)
    else:
        found = PendingPacket(packet, Stage.RECEIVED if wanted.received else Stage.SENT, height)
    if name_on_b(packet) != wanted.receiver or not is_committed(found, wanted.commitment):
        return False
    wanted.packets.put(packet.sequence, found)
    return True
