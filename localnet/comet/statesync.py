"""State sync of a CometApp: taking snapshots, and restoring one from a peer.

Nothing a peer sends is trusted. Each chunk must match its hash in the accepted snapshot, and each node in it
the hash that its parent names, up to the app hash that CometBFT's light client verified (`iavl.export`).
"""

import logging
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from threading import Thread

from abci_server import requests as ask
from abci_server.responses import ResponseApplySnapshotChunk
from abci_server.values import ApplyResult, OfferResult, Snapshot
from iavl import BadExport, IavlError, WrongExport
from iavl.restore import Importer
from localnet.comet.snapshots import FORMAT, Snapshots, Taken, chunk_hash, is_whole
from localnet.host.app import HostApp

log = logging.getLogger("localnet")

Clock = Callable[[], float]
_MOST_BLOCKS = 1 << 20
"""Between two snapshots, at most."""

_REMEDY = "bring CometBFT's data/ back, or remove the folder app/ and start again (docs/node.md, State sync)"


class SnapshotTaker:
    """Takes snapshots at a fixed interval of blocks, one at a time, in a background thread.

    A snapshot costs as much as the state is large, and a block does not. Where snapshots would take more
    than their share of the time, fewer are taken: at multiples of twice the interval, or four times, ...,
    so that validators take them at the same heights for the most part.

    Args:
        host: The application to take snapshots of.
        snapshots: Where they are stored.
        every: Blocks between snapshots; 0: none are taken.
        chunk_bytes: Chunk size; must be equal on all validators, so that snapshots are identical.
        percent: Of the time that snapshots may take, at most; 0: no limit.
        clocks: Seconds that have passed, and seconds that the calling thread has worked.
    """

    def __init__(
        self,
        host: HostApp,
        snapshots: Snapshots,
        every: int,
        chunk_bytes: int,
        percent: int = 0,
        clocks: tuple[Clock, Clock] = (time.monotonic, time.thread_time),
    ) -> None:
        self._host = host
        self.snapshots = snapshots
        self._every = every
        self._chunk_bytes = chunk_bytes
        self._percent = percent
        self._clock, self._worked = clocks
        self._before: tuple[int, float] | None = None
        """The last height at which one might have been due, and when that was."""
        self._took = 0.0  # seconds of work that the last one was
        self._last = every  # interval that was found
        self._thread: Thread | None = None

    def committed(self, height: int) -> None:
        """Starts a snapshot of `height` if one is due and none is in progress."""
        if not self._every or height % self._every:
            return
        if height % self._interval(height) or (self._thread and self._thread.is_alive()):
            return
        store = self._host.store
        taken = Taken(height, store.info(height).app_hash, store.names())
        chunks = store.export(height, self._chunk_bytes)
        self._thread = Thread(target=self._take, args=(taken, chunks), name="snapshot")
        self._thread.start()

    def _interval(self, height: int) -> int:
        """Blocks between snapshots, by what the last one took and how long blocks have taken since.

        Not by how long they once took: who catches up makes many a second, and few afterwards.
        """
        # guard: h242-what-it-once-took-for-a-block-counts {=> before = self._before = self._before or
        #   (height, self._clock())} test_h242_who_has_caught_up_takes_them_as_often_as_others
        before, self._before = self._before, (height, self._clock())
        # guard: h242-the-interval-never-comes-back {self._every => self._last}
        #   test_h242_where_it_costs_less_again_the_interval_is_the_one_that_was_set
        found = self._every
        if self._percent > 0 and before is not None and height > before[0]:
            block_s = (self._before[1] - before[1]) / (height - before[0])
            # guard: h242-none-is-taken-any-more {_MOST_BLOCKS => 1 << 60}
            #   test_h242_however_dear_it_is_one_is_taken_some_day
            while self._took * 100 > found * block_s * self._percent and found < _MOST_BLOCKS:
                # guard: h242-snapshots-are-taken-whatever-they-cost {=> break}
                #   test_h242_what_costs_more_is_taken_at_multiples_of_a_longer_interval
                #   test_h242_it_does_not_take_more_than_its_share_as_the_state_grows
                found *= 2
        if found != self._last:
            log.info("snapshots take %.1f s: one each %d blocks from now on", self._took, found)
        self._last = found
        return found

    def _take(self, taken: Taken, chunks: Iterator[bytes]) -> None:
        worked = self._worked()
        try:
            self.snapshots.write(taken, chunks)
            log.info("snapshot of height %d taken", taken.height)
        except (OSError, IavlError):
            log.exception("no snapshot of height %d", taken.height)
        self._took = self._worked() - worked

    def wait(self) -> None:
        """Blocks until no snapshot is in progress."""
        if self._thread is not None:
            self._thread.join()


class SnapshotRestorer:
    """Restores an application from the snapshot accepted last.

    The application has no state, or that of an earlier sync which CometBFT did not finish because it was
    killed. In that case the sync starts over and the new state replaces the old one.
    """

    def __init__(self, host: HostApp) -> None:
        self._host = host
        self._snapshot: Snapshot | None = None
        self._importer: Importer | None = None
        self._next = 0

    def offer(self, request: ask.RequestOfferSnapshot) -> OfferResult:
        """Whether to restore from a peer's snapshot; accepting one abandons the previous."""
        self._importer = None
        snapshot = request.snapshot
        height = self._host.info().height
        if height and not self._host.is_restored:  # it has executed blocks that CometBFT has lost
            log.error("no state sync: blocks up to %d were executed here already; %s", height, _REMEDY)
            return OfferResult.ABORT
        if snapshot.format != FORMAT:
            return OfferResult.REJECT_FORMAT
        if not is_whole(snapshot):
            return OfferResult.REJECT
        self._snapshot, self._next = snapshot, 0
        self._importer = self._host.importer(snapshot.height, request.app_hash)
        return OfferResult.ACCEPT

    def apply(self, request: ask.RequestApplySnapshotChunk) -> ResponseApplySnapshotChunk:
        """Applies the next chunk; after the last one, the state is on disk.

        A chunk that is not the snapshot's is fetched again from somebody else. A chunk that is, and has nodes
        for which the app hash does not stand, is a lie that its sender is not asked for again.
        """
        snapshot, importer, sender = self._snapshot, self._importer, request.sender
        if snapshot is None or importer is None or request.index != self._next:
            return ResponseApplySnapshotChunk(ApplyResult.ABORT)
        if sha256(request.chunk).digest() != chunk_hash(snapshot, request.index):
            log.warning("chunk %d from %s has a wrong hash, requesting it again", request.index, sender)
            return ResponseApplySnapshotChunk(ApplyResult.RETRY, [request.index], [sender])
        try:
            importer.feed(request.chunk)
            self._next += 1
            if self._next == snapshot.chunks:
                self._finish(snapshot, importer)
        except (BadExport, WrongExport) as error:
            log.warning(
                "snapshot of height %d, chunk %d from %s: %s", snapshot.height, self._next, sender, error
            )
            self._importer = None
            # guard: h105-a-liar-is-asked-again drop:sender
            #   test_h105_a_lying_chunk_is_refused_when_it_comes_and_its_sender_left
            return ResponseApplySnapshotChunk(ApplyResult.REJECT_SNAPSHOT, [], [sender])
        return ResponseApplySnapshotChunk(ApplyResult.ACCEPT)

    def _finish(self, snapshot: Snapshot, importer: Importer) -> None:
        self._importer = None
        self._host.restore(importer)
        log.info("restored the state of height %d", snapshot.height)
