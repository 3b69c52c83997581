"""Reads every block of both chains into the backlog, once, and saves the progress.

Each block must follow the one before. Where it does not, or is not there, the cursor stays; if that lasts,
the chain was reset or the node has pruned the block: reading goes on further up, and what is skipped is found
by state (`reconcile`).
"""

from collections.abc import Callable, Container
from concurrent.futures import Future
from contextlib import suppress
from functools import partial

from ibc_core.host.block import CommittedBlock
from ibc_relayer.ahead import Ahead
from ibc_relayer.backlog import Backlog
from ibc_relayer.checked_blocks import Cursor, cursor_at, is_at, read_checked, require_parent
from ibc_relayer.endpoint import ChainEndpoint, TellsHeight, TellsSigned, Tip, WatchesHeight, height_on
from ibc_relayer.errors import BlockMismatch, EndpointRefused, EndpointUnavailable, RelayerError
from ibc_relayer.journal import Journal
from ibc_relayer.metrics import Metrics
from ibc_relayer.path import SIDES, Side
from ibc_relayer.plan import Head

SAVE_EVERY = 500
"""Blocks between two saves while a relayer catches up."""

PASSES, FEW = 20, 4
"""Reading is repeated at most `PASSES` times, until a pass finds no more than `FEW` new blocks."""

BACK = 3
"""Blocks below the tip from which a chain is read that nothing is known of: nodes lag by as many."""

NEAR = 2
"""Blocks that may lack while one of them is read beside us; where more do, all are read first."""

PATIENCE = 3
"""Calls of `read` in a row that a block may be refused, or not follow the one before, until it is skipped."""

BEHIND = 50
"""Blocks by which a node may be behind what was read, before it is taken for unavailable."""


class BlockReader:
    """Reads the blocks of two chains into a backlog."""

    def __init__(
        self,
        backlog: Backlog,
        endpoints: tuple[ChainEndpoint, ChainEndpoint],
        journal: Journal | None,
        metrics: Metrics,
        also: Callable[[Side, CommittedBlock], None] | None = None,
        ahead: Ahead | None = None,
        signed: Container[Side] = (),
    ) -> None:
        """`open` sets the first blocks to read.

        `also` is given every block beside the backlog; `ahead` runs beside the caller what asks one chain
        while the other is read. With it, no head waits for its own block (`_early`). Of the sides in `signed`
        a head is there with its header, before its block is executed.
        """
        self._backlog = backlog
        self._endpoints = endpoints
        self._journal = journal
        self._metrics = metrics
        self._also = also
        self._ahead = ahead
        self._signing = [
            each if side in signed and isinstance(each, TellsSigned) else None
            for side, each in zip(SIDES, endpoints, strict=True)
        ]
        self._cursors = [Cursor(0), Cursor(0)]
        self._troubles = [0, 0]  # calls of `read` in a row that ended at a block of this side
        self._unconfirmed = [False, False]  # the cursor is a journal's
        self._heads: list[Head | None] = [None, None]  # of the last blocks that were read
        self._asked: list[tuple[int, Future[CommittedBlock] | None]] = [(0, None), (0, None)]
        """Heights of the blocks that were asked for beside us."""
        self._seen = [0, 0]  # the chains' heights, by the last call
        self._unsaved = 0
        self._known = [0, 0]  # the chains' heights, where they are watched
        self._watches: list[Future[int] | None] = [None, None]  # for their next ones
        self.reading = list[Future[CommittedBlock]]()
        """Blocks of the heads that were returned last which are still being read."""
        self.started_over = False
        """Whether it goes back a way because states cannot be asked for, for whoever resets it."""

    @property
    def cursors(self) -> tuple[Cursor, Cursor]:
        """The last blocks that were read."""
        return self._cursors[0], self._cursors[1]

    @property
    def watches(self) -> list[Future[int]]:
        """What is done once a chain's height changes, where it is watched."""
        return [each for each in self._watches if each is not None]

    def is_at_tip(self, side: Side) -> bool:
        """Whether what was read of `side` goes up to the last block that it was known to have."""
        return self._cursors[side].height >= self._seen[side]

    def open(self, start: tuple[int, int] | None) -> bool:
        """Starts after the journal's last blocks, else at `start`, else a few blocks below the tips.

        Returns:
            Whether it starts at the tips, so that what is in the blocks below is not known.

        Raises:
            EndpointUnavailable, MalformedAnswer: a chain does not answer, or what cannot be decoded.
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
        """Goes so many blocks back on both chains, at most to their first: their states cannot be asked for.

        What is below is not read; it counts as skipped.

        Raises:
            EndpointUnavailable, MalformedAnswer: a chain does not answer.
        """
        # guard: h194-from-the-first-block {self._endpoints[side].tip().height - blocks => 0}
        #   test_h194_a_chain_that_serves_no_state_queries_is_read_back_so_far_and_no_further
        firsts = [max(0, self._endpoints[side].tip().height - blocks) for side in SIDES]
        self._cursors = [Cursor(height) for height in firsts]
        self.started_over = True
        self._metrics.unserved += 1
        self._metrics.unread += sum(firsts)

    def read(self) -> tuple[Head, Head]:
        """Reads the blocks committed since the last call; returns the heads that the backlog corresponds to.

        The chains make blocks meanwhile: reading is repeated until a pass is short, so that the heads are
        recent: nodes keep a limited number of states to prove from.

        Raises:
            BlockMismatch: a block is of another chain or height, or does not follow the one before.
            EndpointUnavailable, EndpointRefused, MalformedAnswer: no block, or none that can be decoded.
                What was read before stays read, the cursor stays where it was.
        """
        heads, count = self._pass()
        for _ in range(PASSES):
            if count <= FEW:
                break
            heads, count = self._pass()
        self.save()
        return heads

    def save(self) -> None:
        """Saves the progress, if there was any."""
        if self._journal is not None and (self._unsaved or self._backlog.is_changed):
            self._metrics.unsaved += not self._journal.save(self._backlog, self.cursors)
        self._unsaved = 0

    def _pass(self) -> tuple[tuple[Head, Head], int]:
        """Reads both chains to their tips; returns the heads and the number of blocks read."""
        before = self._metrics.blocks
        self.reading.clear()
        if self._ahead is not None and self._watches[1] is None:
            self._ahead(partial(self._look, 1, self._cursors[1].height))
        try:
            first = self._read(0)
        except RelayerError:
            with suppress(RelayerError):  # what is not read while the first is away may be pruned then
                self._read(1)
            self.save()
            raise
        return (first, self._read(1)), self._metrics.blocks - before

    def _look(self, side: Side, height: int) -> None:
        """Has the endpoint ask for the block after `height`, if there is one: `_read` will find it there."""
        endpoint = self._endpoints[side]
        last = endpoint.last_height() if isinstance(endpoint, TellsHeight) else endpoint.tip().height
        if last > height:
            endpoint.block(height + 1)

    def _height(self, side: Side, endpoint: TellsHeight, ahead: Ahead) -> int:
        """The chain's height: where it is watched, as it was told last, else as it tells it now."""
        if not (isinstance(endpoint, WatchesHeight) and endpoint.is_watched):
            return endpoint.last_height()
        watch = self._watches[side]
        if watch is not None and watch.done():
            self._known[side] = 0 if watch.exception() is not None else watch.result()
            watch = self._watches[side] = None
        if watch is None:
            known = self._known[side] = self._known[side] or endpoint.last_height()
            self._watches[side] = ahead(partial(endpoint.height_after, known))
        return self._known[side]

    def _early(self, side: Side) -> Head | None:
        """The head that was read, or the next one while its block is asked for beside us.

        What a head proves is in the blocks below it, which are read. Until its block is there its time is
        that of the block below: a timeout may be found a block late, none too early.
        """
        endpoint, before, cursor = self._endpoints[side], self._heads[side], self._cursors[side].height
        if self._ahead is None or before is None or not isinstance(endpoint, TellsHeight):
            return None
        height = self._seen[side] = self._height(side, endpoint, self._ahead)
        if before.height.revision_height != cursor or not 0 <= height - cursor <= NEAR:
            return None
        if height == cursor:
            # guard: a-header-is-no-head-before-its-block-is-executed {=> return before}
            #   test_a_header_proves_what_was_read_before_its_block_is_executed
            return self._signed(side, before)
        if endpoint.has_block(cursor + 1):
            return None
        asked, reading = self._asked[side]
        if asked != cursor + 1 or reading is None:
            reading = self._ahead(partial(endpoint.block, cursor + 1))
            self._asked[side] = cursor + 1, reading
        if reading.done():  # and it is not there: who asks again is told why
            return None
        self.reading.append(reading)
        return Head(height_on(endpoint.chain_id, cursor + 1), before.time_ns)

    def _signed(self, side: Side, before: Head) -> Head:
        """The head that was read; the next one where its header is there already.

        All that it proves is read, whatever the chain is still about to do in its block.
        """
        following, signing = before.height.revision_height + 1, self._signing[side]
        # guard: a-header-beyond-the-next-is-a-head {!= => <} test_no_other_header_makes_a_head
        if signing is None or signing.signed_height != following:
            return before
        return Head(height_on(self._endpoints[side].chain_id, following), before.time_ns)

    def _read(self, side: Side) -> Head:
        self._seen[side] = 0  # a chain may have begun anew
        early = self._early(side)
        if early is not None:
            return early
        endpoint = self._endpoints[side]
        tip = self._tip(side)
        self._seen[side] = max(self._seen[side], tip.height)
        self._confirm(side, tip)
        while self._cursors[side].height < tip.height:
            self._take(side, tip)
            if self._unsaved >= SAVE_EVERY:
                self.save()
        head = self._heads[side] = Head(height_on(endpoint.chain_id, tip.height), tip.time_ns)
        return head

    def _tip(self, side: Side) -> Tip:
        """The tip; or the next block, where it was read beside us: a later one can wait."""
        endpoint, following = self._endpoints[side], self._cursors[side].height + 1
        if self._ahead is None or not isinstance(endpoint, TellsHeight) or self._asked[side][0] != following:
            return endpoint.tip()
        if not endpoint.has_block(following):
            return endpoint.tip()
        return Tip(following, endpoint.block(following).time_ns)

    def _take(self, side: Side, tip: Tip) -> None:
        """Reads the next block, or skips what cannot be had."""
        endpoint, cursor = self._endpoints[side], self._cursors[side]
        try:
            block = read_checked(endpoint, cursor.height + 1)
            require_parent(endpoint, block, cursor)
        except EndpointRefused:
            # guard: h122-a-refused-block-is-asked-for-for-ever always
            #   test_h122_pruned_blocks_are_skipped_and_their_packets_found
            if self._is_patient(side):
                raise
            self._skip(side, tip)
            return
        except BlockMismatch:
            if self._begins(side):
                self._cursors[side] = Cursor(cursor.height)  # state tells what the blocks below it do not
                self._metrics.restarts += 1
                return
            if self._is_patient(side) or self._is_there(side):
                raise
            self._restart(side)
            return
        self._backlog.observe(side, block)
        if self._also is not None:
            self._also(side, block)
        self._cursors[side] = cursor_at(block)
        self._troubles[side] = 0
        self._metrics.blocks += 1
        self._unsaved += 1

    def _is_patient(self, side: Side) -> bool:
        """Whether an error should end the call, as it has not often done yet."""
        self._troubles[side] = (self._troubles[side] + 1) % PATIENCE
        return self._troubles[side] > 0

    def _begins(self, side: Side) -> bool:
        """Whether the next block has no parent: the first after a genesis made from the chain's state."""
        return not read_checked(self._endpoints[side], self._cursors[side].height + 1).parent

    def _is_there(self, side: Side) -> bool:
        """Whether the chain still has the last block that was read; one that is pruned is not."""
        try:
            return is_at(read_checked(self._endpoints[side], self._cursors[side].height), self._cursors[side])
        except EndpointRefused:
            return False

    def _skip(self, side: Side, tip: Tip) -> None:
        """Goes to the first block that the node keeps."""
        endpoint, refused, kept = self._endpoints[side], self._cursors[side].height + 1, tip.height
        read_checked(endpoint, kept)
        while kept - refused > 1:
            middle = (refused + kept) // 2
            try:
                read_checked(endpoint, middle)
            except EndpointRefused:
                refused = middle
            else:
                kept = middle
        self._metrics.skipped += kept - 1 - self._cursors[side].height
        self._cursors[side] = Cursor(kept - 1)

    def _confirm(self, side: Side, tip: Tip) -> None:
        """Compares a journal's last block with the chain's, once a node has it."""
        endpoint, cursor = self._endpoints[side], self._cursors[side]
        if cursor.height > tip.height + BEHIND:
            reason = f"its last block is {tip.height}, and block {cursor.height} was read before"
            raise EndpointUnavailable(endpoint.chain_id, reason)
        if not self._unconfirmed[side] or tip.height < cursor.height:
            return
        try:
            is_same = not cursor.height or is_at(read_checked(endpoint, cursor.height), cursor)
        except EndpointRefused:  # pruned since, or by one of several nodes: the next block tells
            is_same = True
        self._unconfirmed[side] = False
        if not is_same:
            self._restart(side)

    def _restart(self, side: Side) -> None:
        """The chain's history is another than the one that was read."""
        self._start_at_tip(side)
        self._metrics.restarts += 1

    def _start_at_tip(self, side: Side) -> None:
        self._cursors[side] = Cursor(max(0, self._endpoints[side].tip().height - BACK))
