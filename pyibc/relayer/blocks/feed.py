"""Feed of one chain's blocks for all links that use the chain.

The chain's follower reads each block once and adds it. A link asks the feed how far it may move its cursor
without reading: up to the next block that names one of its ends. An idle link sleeps until such a block.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Set
from concurrent.futures import Future
from enum import Enum
from threading import Lock
from typing import NamedTuple

from pyibc.core.host.block import CommittedBlock
from pyibc.core.packet.events import PACKET_EVENTS, RECV_PACKET, WRITE_ACKNOWLEDGEMENT
from pyibc.relayer.blocks.checked import Cursor, cursor_at
from pyibc.relayer.chain.endpoint import Heights
from pyibc.relayer.chain.values import Tip
from pyibc.relayer.packets.backlog import CLOSING, events_of
from pyibc.relayer.paths.path import Side

WINDOW = 512
"""Number of blocks that the feed remembers."""
MAX_NAMES, MAX_NAME = 200, 256
"""Most names of a block, and characters of a name. Events are not proven, so a node may invent any number;
a block with more concerns every link."""

_ON_RECEIVER = frozenset({RECV_PACKET, WRITE_ACKNOWLEDGEMENT})
_UPDATES = frozenset({"update_client", "client_misbehaviour"})


class Mark(Enum):
    """Name of blocks that concern more than one end."""

    UNREADABLE = "unreadable"  # a packet event without the names of its ends: it may be of any
    UPDATES = "updates"  # clients were updated, or got misbehaviour


Names = Set[Hashable]
"""Ends (`EndName`) and marks."""


class Passed(NamedTuple):
    """Block that was read."""

    cursor: Cursor
    time_ns: int
    names: Names = frozenset()


class Rest(NamedTuple):
    """Conditions that end the rest of an idle link, on one chain."""

    cursor: Cursor  # last block that the link has read
    names: Names
    height: int  # wakes the link at the latest
    time_ns: int  # time of a block that wakes the link at the latest


class _Sleeper(NamedTuple):
    rest: Rest
    wake: Callable[[], None]

    def is_due(self, block: Passed) -> bool:
        """Return whether `block` wakes the link."""
        rest = self.rest
        is_late = block.cursor.height >= rest.height or block.time_ns >= rest.time_ns
        return is_late or not block.names.isdisjoint(rest.names)


class BlockFeed:
    """Blocks of one chain in order, by the names in them. For any thread; nothing here queries a node."""

    def __init__(self, window: int = WINDOW) -> None:
        """Start with no blocks; `window` is the number of blocks to remember."""
        self._window = window
        self._lock = Lock()
        self._height = 0  # reported last; 0: not followed
        self._blocks = OrderedDict[int, Passed]()  # consecutive
        self._waiting = list[Future[int]]()
        self._sleepers = dict[Hashable, _Sleeper]()

    @property
    def height(self) -> int:
        """Last height that the chain reported; 0: the chain is not followed now."""
        return self._height

    @property
    def last(self) -> Passed | None:
        """Last block that was read; None: none."""
        with self._lock:
            return next(reversed(self._blocks.values()), None)

    @property
    def is_awaited(self) -> bool:
        """Return whether a link waits for the next height."""
        with self._lock:
            self._waiting = [each for each in self._waiting if not each.cancelled()]
            return bool(self._waiting)

    # -- for the follower

    def reach(self, height: int) -> None:
        """Record the chain's height, or that its next header is known, before the block is read."""
        with self._lock:
            self._height = height
            waiting, self._waiting = self._waiting, []
        for each in waiting:
            if each.set_running_or_notify_cancel():
                each.set_result(height)

    def add(self, block: CommittedBlock) -> None:
        """Add the block after the last one, or start again with `block`; wake links that it concerns."""
        passed = Passed(cursor_at(block), block.time_ns, names_in(block))
        with self._lock:
            if block.height - 1 not in self._blocks:
                self._blocks.clear()
            self._blocks[block.height] = passed
            while len(self._blocks) > self._window:
                self._blocks.popitem(last=False)
            due = [token for token, each in self._sleepers.items() if each.is_due(passed)]
            woken = [self._sleepers.pop(token) for token in due]
        for each in woken:
            each.wake()

    def clear(self) -> None:
        """Forget all blocks: they are not of the chain's history."""
        with self._lock:
            self._blocks.clear()

    def fail(self, error: BaseException) -> None:
        """Record that the chain cannot be followed: links that wait or sleep find out for themselves."""
        with self._lock:
            self._height = 0
            waiting, self._waiting = self._waiting, []
            woken = list(self._sleepers.values())
            self._sleepers.clear()
        for future in waiting:
            if future.set_running_or_notify_cancel():
                future.set_exception(error)
        for each in woken:
            each.wake()

    # -- for links

    def change(self, known: int) -> Future[int]:
        """Return a future of the next height that the follower reports; at once if it is not `known`."""
        future = Future[int]()
        with self._lock:
            height = self._height
            if height == known:
                self._waiting.append(future)
        if height != known:
            future.set_result(height)
        return future

    def unrelated(self, cursor: Cursor, names: Names) -> Passed | None:
        """Return the last block before the next one that has one of `names`; None: nothing is known, or new.

        `cursor`: the last block that was read; if it is another block than the feed's, nothing is known.
        """
        with self._lock:
            known = self._known(cursor)
            if known is None:
                return None
            last = self._before(known, names)
        return last if last is not known else None

    def sleep(self, token: Hashable, rest: Rest, wake: Callable[[], None]) -> bool:
        """Call `wake` once when a block or an error requires it; `token` replaces its last call.

        Returns:
            False: something requires it already, or the chain is not followed.
        """
        with self._lock:
            known = self._known(rest.cursor)
            if known is None or not self._height:
                return False
            sleeper = _Sleeper(rest, wake)
            # guard: a-block-before-the-sleep-is-missed drop
            #   test_a_block_that_came_before_the_sleep_keeps_the_link_awake
            if any(sleeper.is_due(each) for each in self._after(known)):
                return False
            self._sleepers[token] = sleeper
        return True

    def _known(self, cursor: Cursor) -> Passed | None:
        known = self._blocks.get(cursor.height)
        return known if known is not None and _is_same(known.cursor, cursor) else None

    def _after(self, known: Passed) -> Iterator[Passed]:
        height = known.cursor.height + 1
        while (block := self._blocks.get(height)) is not None:
            yield block
            height += 1

    def _before(self, known: Passed, names: Names) -> Passed:
        last = known
        for block in self._after(known):
            # guard: blocks-with-packets-are-passed {not block.names.isdisjoint(names) => False}
            #   test_a_cursor_stops_before_a_block_that_names_an_end
            if not block.names.isdisjoint(names):
                break
            last = block
        return last


def _is_same(known: Cursor, cursor: Cursor) -> bool:
    if known.hash and cursor.hash:
        return known.hash == cursor.hash
    return not cursor.app_hash or known.app_hash == cursor.app_hash


def names_in(block: CommittedBlock) -> Names:
    """Return the names of a block: ends of its packets and of closed channels, and marks."""
    has_updates = any(kind in _UPDATES for each in block.txs for kind, _ in each.events)
    marks: set[Hashable] = {Mark.UPDATES} if has_updates else set()
    ends = set[Hashable]()
    for end in _ends_in(block):
        ends.add(end)
        # guard: a-block-of-invented-names-fills-the-memory {len(ends) > MAX_NAMES => False}
        #   test_a_block_with_too_many_names_concerns_every_link
        if len(ends) > MAX_NAMES:
            return frozenset(marks | {Mark.UNREADABLE})
    return frozenset(marks | ends)


def _ends_in(block: CommittedBlock) -> Iterator[Hashable]:
    for kind, pairs in events_of(block):
        if kind in PACKET_EVENTS:
            yield _end_in(kind, dict(pairs))
        elif kind in CLOSING:
            attributes = dict(pairs)
            yield _name(attributes.get("port_id", ""), attributes.get("channel_id", ""))


def _name(*parts: str) -> Hashable:
    """Return an end's name; one that is too long is none."""
    return parts if sum(map(len, parts)) <= MAX_NAME else Mark.UNREADABLE


def _end_in(kind: str, attributes: dict[str, str]) -> Hashable:
    """Return the packet's end on the chain of the event."""
    near = "dst" if kind in _ON_RECEIVER else "src"
    port, channel = attributes.get(f"packet_{near}_port"), attributes.get(f"packet_{near}_channel")
    if port is not None and channel is not None:
        return _name(port, channel)
    client = attributes.get("packet_dest_client" if kind in _ON_RECEIVER else "packet_source_client")
    # guard: packets-of-unknown-ends-wake-nobody drop
    #   test_a_packet_event_without_names_concerns_every_link
    return Mark.UNREADABLE if client is None else _name(client)


# -- heights of the two chains of a link: by their followers, or else by queries


class FollowedHeights:
    """Heights and blocks that a link need not query."""

    def __init__(self, feeds: tuple[BlockFeed, BlockFeed] | None) -> None:
        """Wait for nothing; `feeds` are of both chains, None: nobody follows them."""
        self._feeds = feeds
        self._known = [0, 0]  # last heights
        self._changes: list[Future[int] | None] = [None, None]  # futures of the next ones

    @property
    def changes(self) -> list[Future[int]]:
        """Futures that complete when the height of a followed chain changes."""
        return [each for each in self._changes if each is not None]

    def stop_waiting(self) -> None:
        """Wait for no height until the next query."""
        for change in self.changes:
            change.cancel()
        self._changes, self._known = [None, None], [0, 0]

    def followed(self, side: Side) -> int:
        """Return the height as the chain's follower knows it; 0: it is not followed now."""
        return self._feeds[side].height if self._feeds is not None else 0

    def of(self, side: Side, heights: Heights) -> int:
        """Return the chain's height: the last one that was waited for, or else by a query."""
        if self._feeds is None:
            return heights.last_height()
        change = self._changes[side]
        if change is not None and change.done():
            self._known[side] = 0 if change.exception() is not None else change.result()
            change = self._changes[side] = None
        if change is None:
            known = self._known[side] = self._known[side] or self.followed(side)
            # guard: a-chain-that-is-not-followed-is-not-asked drop
            #   test_what_goes_wrong_while_it_is_watched_is_met_by_the_round
            if not known:
                return heights.last_height()
            self._changes[side] = self._feeds[side].change(known)
        return self._known[side]

    def tip_above(self, side: Side, height: int) -> Tip | None:
        """Return the last block that the follower has read, if it is above `height`."""
        last = self._feeds[side].last if self._feeds is not None and self.followed(side) else None
        return (
            Tip(last.cursor.height, last.time_ns)
            if last is not None and last.cursor.height > height
            else None
        )

    def unrelated(self, side: Side, cursor: Cursor, names: Names) -> Passed | None:
        """Return the last block that need not be read (`BlockFeed.unrelated`)."""
        return None if self._feeds is None else self._feeds[side].unrelated(cursor, names)
