"""Reader of all blocks of both chains into the backlog, with a journal of the progress.

Each block must have the previous one as its parent. If it does not, or is missing, the cursor stays. If that
persists, the chain was reset or the block is pruned: reading continues at a higher block, and packets in the
skipped blocks are found by their state (`links.reconcile`).
"""

from collections.abc import Callable, Container
from concurrent.futures import Future
from contextlib import suppress
from functools import partial

from pyibc.core.host.block import CommittedBlock
from pyibc.relayer.blocks.checked import Cursor, cursor_at, matches_cursor, read_checked, require_parent
from pyibc.relayer.blocks.feed import BlockFeed, FollowedHeights, Mark, Names
from pyibc.relayer.chain.endpoint import ChainEndpoint, last_height
from pyibc.relayer.chain.values import Tip, height_on
from pyibc.relayer.errors import BlockMismatch, EndpointRefused, EndpointUnavailable, RelayerError
from pyibc.relayer.links.executor import Executor
from pyibc.relayer.links.journal import Journal
from pyibc.relayer.metrics import Metrics
from pyibc.relayer.packets.backlog import Backlog
from pyibc.relayer.packets.plan import Head
from pyibc.relayer.paths.path import SIDES, Side

IDLE_BLOCKS = 20
"""Blocks of both chains without packets after which the cursors are saved."""
SAVE_EVERY = 500
"""Blocks between two saves of the journal while catching up."""

MAX_PASSES, SHORT_PASS = 20, 4
"""Maximum number of passes per `read`, and the number of new blocks at which a pass is the last."""

START_DEPTH = 3
"""Blocks below the tip at which reading starts without a journal; allows for lagging nodes."""

NEAR = 2
"""Maximum distance to the tip at which the next block is read in the background; else all are read first."""

PATIENCE = 3
"""Consecutive calls of `read` that fail at a block, refused or without its parent, before it is skipped."""

MAX_LAG = 50
"""Blocks by which a node may be behind the cursor before it counts as unavailable."""


class BlockReader:
    """Reader of the blocks of two chains into a backlog."""

    def __init__(
        self,
        backlog: Backlog,
        endpoints: tuple[ChainEndpoint, ChainEndpoint],
        journal: Journal | None,
        metrics: Metrics,
        also: Callable[[Side, CommittedBlock], None] | None = None,
        executor: Executor | None = None,
        signed: Container[Side] = (),
        feeds: tuple[BlockFeed, BlockFeed] | None = None,
    ) -> None:
        """Create a reader; `open` sets its start.

        Blocks go to `backlog` and `also`; `journal`, if any, stores backlog and cursors. With the background
        executor `executor`, a head need not wait for its own block (`_early_head`). On the sides in `signed`,
        a head is available with its header, before its block is executed. With `feeds`, blocks that do not
        concern the backlog's paths are not read.
        """
        self._backlog, self._endpoints, self._journal = backlog, endpoints, journal
        self._metrics, self._also, self._executor = metrics, also, executor
        self._signing = [
            each.extras.changes if side in signed else None
            for side, each in zip(SIDES, endpoints, strict=True)
        ]
        self._cursors = [Cursor(0), Cursor(0)]
        self._failures = [0, 0]  # consecutive calls of `read` that failed at a block of this side
        self._unconfirmed = [False, False]  # the cursor comes from the journal
        self._heads: list[Head | None] = [None, None]  # heads of the last blocks read
        self._background: list[tuple[int, Future[CommittedBlock] | None]] = [(0, None), (0, None)]
        """Height and future of the block being read in the background, per side."""
        self._unsaved, self._last_heights = 0, [0, 0]  # the chains' heights at the last call
        self.heights = FollowedHeights(feeds)
        """Heights by the followers of both chains."""
        self._names = tuple(backlog.names(side) | {Mark.UNREADABLE} for side in SIDES)
        self.reading = list[Future[CommittedBlock]]()
        """Futures of the blocks of the heads returned last that are not read yet."""
        self.started_over = False
        """True after `start_over`; reset by the caller."""
        self.reads_updates = False
        """True to read blocks with updates of clients, too."""

    @property
    def cursors(self) -> tuple[Cursor, Cursor]:
        """Cursors of both chains."""
        return self._cursors[0], self._cursors[1]

    def is_at_tip(self, side: Side) -> bool:
        """Return whether `side` was read up to its last known height."""
        return self._cursors[side].height >= self._last_heights[side]

    def names(self, side: Side) -> Names:
        """Return the names of the blocks of one chain that must be read."""
        return self._names[side] | {Mark.UPDATES} if self.reads_updates else self._names[side]

    def open(self, start: tuple[int, int] | None) -> bool:
        """Start after the cursors of the journal, else at `start`, else a few blocks below the tips.

        Returns:
            Whether it starts at the tips, so that packets in older blocks are unknown.

        Raises:
            EndpointUnavailable, MalformedAnswer: no response, or a malformed one.
        """
        saved = self._journal.load(self._backlog) if self._journal is not None else None
        if saved is not None:
            self._cursors, self._unconfirmed = list(saved), [True, True]
        elif start is not None:
            self._cursors = [Cursor(height - 1) for height in start]
        else:
            for side in SIDES:
                self._start_at_tip(side)
            return True
        return False

    def start_over(self, blocks: int) -> None:
        """Set the cursors `blocks` below the tips, for chains whose packet state cannot be queried.

        Blocks below are not read, and counted as such in the metrics.

        Raises:
            EndpointUnavailable, MalformedAnswer: no response, or a malformed one.
        """
        # guard: h194-from-the-first-block {self._endpoints[side].tip().height - blocks => 0}
        #   test_h194_a_chain_that_serves_no_state_queries_is_read_back_so_far_and_no_further
        firsts = [max(0, self._endpoints[side].tip().height - blocks) for side in SIDES]
        self._cursors = [Cursor(height) for height in firsts]
        self.started_over = True
        self._metrics.unserved += 1
        self._metrics.unread += sum(firsts)

    def read(self) -> tuple[Head, Head]:
        """Read the blocks committed since the last call; return the heads to which the backlog corresponds.

        Passes are repeated until one finds few new blocks, so that the heads are recent: nodes prune old
        states, and proofs need the state at a head.

        Raises:
            BlockMismatch: a block is of another chain or height, or has another parent.
            EndpointUnavailable, EndpointRefused, MalformedAnswer: a block cannot be read. The cursor stays
                before it.
        """
        heads, count = self._pass()
        for _ in range(MAX_PASSES):
            if count <= SHORT_PASS:
                break
            heads, count = self._pass()
        self.save_changes()
        return heads

    def save_changes(self) -> None:
        """Save backlog and cursors if the backlog changed, or `IDLE_BLOCKS` blocks were read since.

        Blocks without packets are read again after a crash, which costs less than to save each of them.
        """
        # guard: an-idle-link-writes-every-block {self._unsaved >= IDLE_BLOCKS => True}
        #   test_an_idle_link_saves_its_cursors_once_in_a_while_and_at_its_end
        if self._backlog.is_changed or self._metrics.is_unsaved or self._unsaved >= IDLE_BLOCKS:
            self.save()

    def save(self) -> None:
        """Save backlog and cursors to the journal, if they changed."""
        if self._journal is not None and (self._unsaved or self._backlog.is_changed):
            self._metrics.is_unsaved = not self._journal.save(self._backlog, self.cursors)
            self._metrics.unsaved += self._metrics.is_unsaved
        self._unsaved = 0

    def _pass(self) -> tuple[tuple[Head, Head], int]:
        """Read both chains to their tips; return the heads and the number of blocks read."""
        before = self._metrics.blocks
        self.reading.clear()
        if self._executor is not None and not self.heights.followed(1):
            self._executor.submit(partial(self._load_next, 1, self._cursors[1].height))
        try:
            first = self._read(0)
        except RelayerError:
            with suppress(RelayerError):  # it could be pruned by the time the first chain answers
                self._read(1)
            self.save()
            raise
        return (first, self._read(1)), self._metrics.blocks - before

    def _load_next(self, side: Side, height: int) -> None:
        """Load the block after `height` into the endpoint's cache, if it exists."""
        endpoint = self._endpoints[side]
        if last_height(endpoint) > height:
            endpoint.block(height + 1)

    def _early_head(self, side: Side) -> Head | None:
        """Return the head that was read, or the next one while its block is read in the background.

        A head proves the state after the block below it, which is read already. Until its own block is read,
        the head has the time of the block below: a timeout is noticed one block late, never too early.
        """
        endpoint, before, cursor = self._endpoints[side], self._heads[side], self._cursors[side].height
        heights = endpoint.extras.heights
        if self._executor is None or before is None or heights is None:
            return None
        height = self._last_heights[side] = self.heights.of(side, heights)
        if before.height.revision_height != cursor or not 0 <= height - cursor <= NEAR:
            return None
        if height == cursor:
            # guard: a-header-is-no-head-before-its-block-is-executed {=> return before}
            #   test_a_header_proves_what_was_read_before_its_block_is_executed
            return self._signed_head(side, before)
        if heights.has_block(cursor + 1):
            return None
        height_in_background, reading = self._background[side]
        if height_in_background != cursor + 1 or reading is None:
            reading = self._executor.submit(partial(endpoint.block, cursor + 1))
            self._background[side] = cursor + 1, reading
        if reading.done():  # it failed: reading it again raises the error
            return None
        self.reading.append(reading)
        return Head(height_on(endpoint.chain_id, cursor + 1), before.time_ns)

    def _signed_head(self, side: Side, before: Head) -> Head:
        """Return the head that was read, or the next one if its header is prefetched.

        The state that the next header proves is read already; its block need not be executed.
        """
        following, signing = before.height.revision_height + 1, self._signing[side]
        # guard: a-header-beyond-the-next-is-a-head {!= => <} test_no_other_header_makes_a_head
        if signing is None or signing.signed_height != following:
            return before
        return Head(height_on(self._endpoints[side].chain_id, following), before.time_ns)

    def _read(self, side: Side) -> Head:
        self._last_heights[side] = 0  # the chain may have been reset
        self._pass_unrelated(side)
        early = self._early_head(side)
        if early is not None:
            return early
        endpoint = self._endpoints[side]
        tip = self._tip(side)
        self._last_heights[side] = max(self._last_heights[side], tip.height)
        self._confirm(side, tip)
        while self._cursors[side].height < tip.height:
            self._read_next(side, tip)
            if self._unsaved >= SAVE_EVERY:
                self.save()
        head = self._heads[side] = Head(height_on(endpoint.chain_id, tip.height), tip.time_ns)
        return head

    def _pass_unrelated(self, side: Side) -> None:
        """Move the cursor over blocks without events of these paths, which the chain's follower has read."""
        before = self._cursors[side]
        passed = self.heights.unrelated(side, before, self.names(side))
        if passed is None or self._unconfirmed[side]:
            return
        self._cursors[side], self._failures[side] = passed.cursor, 0
        self._heads[side] = Head(
            height_on(self._endpoints[side].chain_id, passed.cursor.height), passed.time_ns
        )
        self._metrics.blocks += passed.cursor.height - before.height
        self._unsaved += passed.cursor.height - before.height

    def _tip(self, side: Side) -> Tip:
        """Return the tip, or the next block if it was read in the background; the rest follows next time."""
        endpoint, following = self._endpoints[side], self._cursors[side].height + 1
        followed = self.heights.tip_above(side, self._cursors[side].height)
        if followed is not None:
            return followed
        heights = endpoint.extras.heights
        if self._executor is None or heights is None or self._background[side][0] != following:
            return endpoint.tip()
        if not heights.has_block(following):
            return endpoint.tip()
        return Tip(following, endpoint.block(following).time_ns)

    def _read_next(self, side: Side, tip: Tip) -> None:
        """Read the next block, or skip pruned blocks."""
        endpoint, cursor = self._endpoints[side], self._cursors[side]
        try:
            block = read_checked(endpoint, cursor.height + 1)
            require_parent(endpoint, block, cursor)
        except EndpointRefused:
            # guard: h122-a-refused-block-is-asked-for-for-ever always
            #   test_h122_pruned_blocks_are_skipped_and_their_packets_found
            if self._should_raise(side):
                raise
            self._skip(side, tip)
            return
        except BlockMismatch:
            # The first block after a genesis that was exported from state has no parent.
            if not read_checked(endpoint, cursor.height + 1).parent:
                self._cursors[side] = Cursor(
                    cursor.height
                )  # packets of the blocks below are found by their state
                self._metrics.restarts += 1
                return
            if self._should_raise(side) or self._has_cursor_block(side):
                raise
            self._restart(side)
            return
        self._backlog.observe(side, block)
        if self._also is not None:
            self._also(side, block)
        self._cursors[side] = cursor_at(block)
        self._failures[side] = 0
        self._metrics.blocks += 1
        self._unsaved += 1

    def _should_raise(self, side: Side) -> bool:
        """Return whether to raise the error; False after `PATIENCE` consecutive failures."""
        self._failures[side] = (self._failures[side] + 1) % PATIENCE
        return self._failures[side] > 0

    def _has_cursor_block(self, side: Side) -> bool:
        """Return whether the block at the cursor is still on the chain; False if it is pruned."""
        try:
            return matches_cursor(
                read_checked(self._endpoints[side], self._cursors[side].height), self._cursors[side]
            )
        except EndpointRefused:
            return False

    def _skip(self, side: Side, tip: Tip) -> None:
        """Move the cursor below the earliest block of the node, found by bisection."""
        endpoint, refused, earliest = self._endpoints[side], self._cursors[side].height + 1, tip.height
        read_checked(endpoint, earliest)
        while earliest - refused > 1:
            middle = (refused + earliest) // 2
            try:
                read_checked(endpoint, middle)
            except EndpointRefused:
                refused = middle
            else:
                earliest = middle
        self._metrics.skipped += earliest - 1 - self._cursors[side].height
        self._cursors[side] = Cursor(earliest - 1)

    def _confirm(self, side: Side, tip: Tip) -> None:
        """Compare the journal's cursor with the chain's block, once the node has it."""
        endpoint, cursor = self._endpoints[side], self._cursors[side]
        if cursor.height > tip.height + MAX_LAG:
            reason = f"its last block is {tip.height}, but block {cursor.height} was read before"
            raise EndpointUnavailable(endpoint.chain_id, reason)
        if not self._unconfirmed[side] or tip.height < cursor.height:
            return
        try:
            is_same = not cursor.height or matches_cursor(read_checked(endpoint, cursor.height), cursor)
        except (
            EndpointRefused
        ):  # pruned, perhaps by one of several nodes: the parent hash of the next block decides
            is_same = True
        self._unconfirmed[side] = False
        if not is_same:
            self._restart(side)

    def _restart(self, side: Side) -> None:
        """Start again at the tip, since the chain was reset."""
        self._start_at_tip(side)
        self._metrics.restarts += 1

    def _start_at_tip(self, side: Side) -> None:
        self._cursors[side] = Cursor(max(0, self._endpoints[side].tip().height - START_DEPTH))
