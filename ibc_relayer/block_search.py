"""Blocks read again, backwards, for events that a chain's state shows to be there and no block has told of.

A few blocks a round, and the newest first, so that an old stuck packet does not hold up fresh ones. What is
not found remains wanted: after a node that hid an event, or pruned its block, another may tell.
"""

from collections.abc import Container
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from heapq import nsmallest
from typing import NamedTuple

from ibc_core.host.block import CommittedBlock
from ibc_core.packet.event_reader import SEND_PACKET, WRITE_ACKNOWLEDGEMENT
from ibc_relayer.ahead import Ahead
from ibc_relayer.backlog import events_of
from ibc_relayer.checked_blocks import Cursor, cursor_at, read_checked
from ibc_relayer.endpoint import ChainEndpoint, KeepsBlocks, TellsHeight
from ibc_relayer.errors import BlockMismatch, EndpointRefused
from ibc_relayer.event_index import FindsEvents
from ibc_relayer.packets import UNREADABLE, AnyPacketEvent, EventKey, name_on_a, name_on_b, read_event
from ibc_relayer.path import EndName
from ibc_relayer.pending_packets import PendingPacket, PendingPackets, Stage, is_committed

TRIES = 5
"""Rounds in which a block is asked for that is refused: by a node that pruned it, or by one that lags."""
ASKED = 10
"""Events that a chain's index is asked for in a round."""
AGAIN = 20
"""Blocks after which a search that found nothing is repeated; twice as many each time, `DOUBLED` times."""
DOUBLED = 4


class Wanted(NamedTuple):
    """An event that a chain's state shows to be in a block."""

    packets: PendingPackets  # where it is missing
    receiver: EndName  # the end that the packet goes to
    received: bool  # a sent packet: whether the receiver has it
    commitment: bytes  # of the packet or the acknowledgement; empty: unknown


class _Front(NamedTuple):
    """Events that are in this block or below it."""

    height: int
    above: Cursor  # height and parent hash of the block above; no hash: unknown
    keys: set[EventKey]


class BlockSearch:
    """What is wanted of one chain's blocks."""

    def __init__(self, endpoint: ChainEndpoint, ahead: Ahead | None = None) -> None:
        """Nothing is wanted yet.

        `ahead` runs beside the caller what asks for a block: then nobody waits for one (`step`).
        """
        self._endpoint = endpoint
        self._ahead = ahead
        self._asking: tuple[int, Future[CommittedBlock] | None] = (0, None)
        """The block that was asked for beside us."""
        self._anew: _Front | None = None  # at whose start what was kept was dropped
        self._wanted: dict[EventKey, Wanted] = {}
        self._fronts: list[_Front] = []  # the highest last
        self._lost: dict[
            EventKey, tuple[int, int]
        ] = {}  # searches that found nothing, next height to begin at
        self._asked = set[EventKey]()  # of the index
        self._refused = 0
        self.read = 0
        """Blocks read."""
        self.found = 0
        """Events found."""

    @property
    def reading(self) -> list[Future[CommittedBlock]]:
        """The block that is asked for beside us, if there is one."""
        reading = self._asking[1]
        return [] if reading is None or reading.done() else [reading]

    @property
    def wanted(self) -> int:
        """Events looked for, or given up for now."""
        return len(self._wanted)

    def want(self, key: EventKey, wanted: Wanted, height: int) -> bool:
        """Looks for an event in block `height` and below; returns whether that is new.

        One that was not found is looked for again when the chain has grown a while.
        """
        if key[2] not in wanted.packets.packets:
            wanted.packets.missing.add(key[2])
        # guard: an-end-that-the-state-denies-is-believed drop
        #   test_what_has_come_to_its_end_since_is_not_looked_for
        wanted.packets.ended.pop(key[2], None)  # the state does not know of that
        known = self._wanted.get(key)
        self._wanted[key] = wanted
        # guard: h120-what-is-not-found-is-never-looked-for-again drop:_lost
        #   test_h120_events_that_one_of_two_nodes_always_hides
        if known is not None and height < self._lost.get(key, (0, height + 1))[1]:
            return False
        fresh = next((each for each in self._fronts if each.height == height and not each.above.height), None)
        # guard: h194-a-front-for-each always
        #   test_h194_however_many_packets_are_looked_for_a_block_is_read_once
        if fresh is None:
            fresh = _Front(height, Cursor(0), set())
            self._fronts.append(fresh)
            self._fronts.sort(key=lambda front: front.height)
        fresh.keys.add(key)
        return True

    def keep(self, packets: PendingPackets, wanted: Container[EventKey]) -> None:
        """Forgets what is wanted for `packets` besides these: the state does not show it any more."""
        mine = [key for key, each in self._wanted.items() if each.packets is packets]
        for key in mine:
            if key not in wanted:
                self._forget(key)

    def glance(self, last: int, blocks: int) -> None:
        """Reads so many blocks up to `last`, and forgets what is wanted. Raises as `step`."""
        self._fronts = [_Front(last, Cursor(0), set(self._wanted))]
        self.step(last, blocks, beside=False)
        self._fronts.clear()
        for key in list(self._wanted):
            self._forget(key)

    def step(self, last: int, blocks: int, *, beside: bool = True) -> bool:
        """Reads at most so many blocks, none above `last`; returns whether there are more to read.

        `beside`: only those that are there, where they can be asked for beside the caller.

        Raises:
            EndpointUnavailable, MalformedAnswer: no answer, or a wrong one.
        """
        for each in self._fronts:
            each.keys.difference_update([key for key in each.keys if self._is_done(key)])
        for _ in range(blocks):
            front = self._next(last)
            if front is None:
                return False
            self._forget_blocks(front)
            # guard: h240-an-old-block-is-waited-for drop
            #   test_h240_fresh_packets_go_on_while_an_old_block_is_asked_for
            if beside and not self._is_there(front.height):
                return True
            block = self._block(front)
            if block is None:
                return True
            self._look(block, front.keys)
            self._advance(front, block)
        self._ask_index(last)
        return self._next(last) is not None

    def _ask_index(self, last: int) -> None:
        """What is not near is asked for, where the chain's endpoint can tell, before all blocks are read."""
        if not isinstance(self._endpoint, FindsEvents):
            return
        keys = (key for front in self._fronts if front.above.height for key in front.keys)
        for key in nsmallest(ASKED, (key for key in keys if key not in self._asked)):
            self._asked.add(key)
            height = self._endpoint.find(key) if key in self._wanted else None
            if height is not None and 0 < height <= last:
                with suppress(EndpointRefused):
                    self._look(read_checked(self._endpoint, height), set(self._wanted))
                    self.read += 1

    def _forget_blocks(self, front: _Front) -> None:
        """At the start of a search: what is wanted was not in the block as it is kept."""
        if front.above.height or front is self._anew:
            return
        self._anew = front
        if isinstance(self._endpoint, KeepsBlocks):
            self._endpoint.forget()

    def _is_there(self, height: int) -> bool:
        """Whether the block can be read now; if not, it is asked for beside us."""
        if self._ahead is None or not isinstance(self._endpoint, TellsHeight):
            return True
        if self._endpoint.has_block(height):
            return True
        asked, reading = self._asking
        if asked != height or reading is None:
            self._asking = height, self._ahead(partial(self._endpoint.block, height))
            return False
        if not reading.done():
            return False
        self._asking = 0, None
        return True  # it failed: who asks again is told why

    def _next(self, last: int) -> _Front | None:
        """The highest front that may be read; `step` has dropped from it what was seen elsewhere."""
        while self._fronts:
            at = max((n for n, each in enumerate(self._fronts) if each.height <= last), default=None)
            if at is None:
                return None
            front = self._fronts[at]
            if front.keys and front.height > 0:
                return front
            del self._fronts[at]
            self._give_up(front.keys, last)
        return None

    def _is_done(self, key: EventKey) -> bool:
        wanted = self._wanted.get(key)
        if wanted is None:
            return True
        known = wanted.packets.packets.get(key[2])
        if known is None:
            # guard: what-has-ended-is-looked-for {=> done = False}
            #   test_what_has_come_to_its_end_since_is_not_looked_for
            done = key[2] in wanted.packets.ended  # it was seen, and has come to its end since
        else:
            done = key[0] == SEND_PACKET or known.stage == Stage.ACKNOWLEDGED
        if done:
            self._forget(key)
        return done

    def _block(self, front: _Front) -> CommittedBlock | None:
        try:
            block = read_checked(self._endpoint, front.height)
            if front.above.hash and block.hash and block.hash != front.above.hash:
                self._replace(front, front._replace(above=Cursor(0)))
                reason = f"it is {block.hash.hex()}, the parent of the next is {front.above.hash.hex()}"
                raise BlockMismatch(self._endpoint.chain_id, f"block {front.height}", reason)
        except EndpointRefused:
            self._refused += 1
            if self._refused == TRIES:
                self._refused = 0
                self._replace(front, front._replace(height=0))  # pruned, and so are older ones
            return None
        self._refused = 0
        self.read += 1
        return block

    def _look(self, block: CommittedBlock, keys: set[EventKey]) -> None:
        for event in events_of(block):
            try:
                seen = read_event(event)
            except UNREADABLE:
                continue
            if seen is None:
                continue
            key = seen.kind, name_on_a(seen.packet), seen.packet.sequence
            if key in keys and _take(self._wanted[key], seen, block.height):
                self.found += 1
                self._forget(key)
                keys.discard(key)

    def _advance(self, front: _Front, block: CommittedBlock) -> None:
        moved = front._replace(height=front.height - 1, above=cursor_at(block)._replace(hash=block.parent))
        below = [each for each in self._fronts if each.height == moved.height and each is not front]
        for each in below:
            moved.keys.update(each.keys)
            self._fronts.remove(each)
        self._replace(front, moved)

    def _replace(self, front: _Front, by: _Front) -> None:
        self._fronts[next(n for n, each in enumerate(self._fronts) if each is front)] = by

    def _give_up(self, keys: set[EventKey], last: int) -> None:
        for key in keys:
            times = self._lost.get(key, (0, 0))[0]
            self._asked.discard(key)
            self._lost[key] = times + 1, last + AGAIN * 2 ** min(times, DOUBLED)

    def _forget(self, key: EventKey) -> None:
        wanted = self._wanted.pop(key, None)
        self._asked.discard(key)
        self._lost.pop(key, None)
        if wanted is not None:
            wanted.packets.missing.discard(key[2])


def _take(wanted: Wanted, seen: AnyPacketEvent, height: int) -> bool:
    """Puts a packet where it was missing; returns whether it is the one that the state commits to."""
    packet = seen.packet
    if seen.kind == WRITE_ACKNOWLEDGEMENT:
        found = PendingPacket(packet, Stage.ACKNOWLEDGED, height, seen.acknowledgement)
    else:
        found = PendingPacket(packet, Stage.RECEIVED if wanted.received else Stage.SENT, height)
    if name_on_b(packet) != wanted.receiver or not is_committed(found, wanted.commitment):
        return False
    wanted.packets.put(packet.sequence, found)
    return True
