"""State sync of a CometApp: taking snapshots, and restoring one from a peer.

Data of peers is not trusted. Each chunk must match its hash in the accepted snapshot, and each node in it the
hash in its parent, up to the app hash that CometBFT's light client verified (`iavl.export`).
"""

import logging
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from threading import Thread

from abci_server.messages import requests as ask
from abci_server.messages.requests import ApplyResult, OfferResult, ResponseApplySnapshotChunk, Snapshot
from iavl import BadExport, IavlError, WrongExport
from iavl.restore import Importer
from pyibc.chain.app import HostApp
from pyibc.chain.comet.snapshots import (
    FORMAT,
    Snapshots,
    SnapshotSource,
    chunk_hash,
    fault_of,
    fault_of_size,
)

log = logging.getLogger("pyibc.chain")

Clock = Callable[[], float]
_MOST_BLOCKS = 1 << 20
"""Maximum number of blocks between two snapshots."""

_REMEDY = "restore CometBFT's data/, or remove the folder app/ and start again (docs/node.md, State sync)"


class SnapshotTaker:
    """Takes snapshots at a fixed interval of blocks, one at a time, in a background thread.

    A snapshot takes time in proportion to the size of the state. If snapshots would exceed their share of the
    time, fewer are taken: at multiples of twice the interval, or four times, and so on, so that validators
    mostly take them at the same heights.

    Args:
        host: The application to take snapshots of.
        snapshots: Storage of the snapshots.
        every: Blocks between snapshots; 0 for no snapshots.
        chunk_bytes: Chunk size; must be equal on all validators, so that snapshots are identical.
        percent: Maximum share of the time spent on snapshots; 0 for no limit.
        clocks: Elapsed seconds, and seconds of work of the calling thread.
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
        """Last height that was a candidate for a snapshot, and its time."""
        self._took = 0.0  # seconds of work of the last snapshot
        self._last = every  # interval computed last
        self._thread: Thread | None = None

    def committed(self, height: int) -> None:
        """Start a snapshot of `height` if one is due and none is in progress."""
        if not self._every or height % self._every:
            return
        if height % self._interval(height) or (self._thread and self._thread.is_alive()):
            return
        store = self._host.store
        taken = SnapshotSource(height, store.info(height).app_hash, store.names())
        chunks = store.export(height, self._chunk_bytes)
        self._thread = Thread(target=self._take, args=(taken, chunks), name="snapshot")
        self._thread.start()

    def _interval(self, height: int) -> int:
        """Return the blocks between snapshots, from the work of the last one and the recent block time.

        Only the recent block time counts: a node that catches up executes many blocks per second, and few
        later.
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
            log.info("snapshots take %.1f s; taking one every %d blocks from now on", self._took, found)
        self._last = found
        return found

    def _take(self, taken: SnapshotSource, chunks: Iterator[bytes]) -> None:
        worked = self._worked()
        try:
            self.snapshots.write(taken, chunks)
            log.info("snapshot of height %d taken", taken.height)
        except (OSError, IavlError):
            log.exception("snapshot of height %d failed", taken.height)
        self._took = self._worked() - worked

    def wait(self) -> None:
        """Block until no snapshot is in progress."""
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
        self._size = 0  # bytes of the first chunk

    def offer(self, request: ask.RequestOfferSnapshot) -> OfferResult:
        """Decide whether to restore a peer's snapshot; accepting one abandons the previous one."""
        self._importer = None
        snapshot = request.snapshot
        height = self._host.info().height
        if height and not self._host.is_restored:  # CometBFT has lost blocks that were executed here
            log.error("state sync refused: blocks up to %d were executed here; %s", height, _REMEDY)
            return OfferResult.ABORT
        if snapshot.format != FORMAT:
            return OfferResult.REJECT_FORMAT
        fault = fault_of(snapshot)
        if fault:
            log.warning("refused a snapshot of height %d: %s", snapshot.height, fault)
            return OfferResult.REJECT
        self._snapshot, self._next = snapshot, 0
        self._importer = self._host.importer(snapshot.height, request.app_hash)
        return OfferResult.ACCEPT

    def apply(self, request: ask.RequestApplySnapshotChunk) -> ResponseApplySnapshotChunk:
        """Apply the next chunk; after the last one, the state is on disk.

        A chunk with a wrong hash is fetched again from another peer. A chunk with the right hash whose nodes
        do not match the app hash is malicious: the snapshot is rejected, and so is its sender.
        """
        snapshot, importer, sender = self._snapshot, self._importer, request.sender
        if snapshot is None or importer is None or request.index != self._next:
            return ResponseApplySnapshotChunk(ApplyResult.ABORT)
        if sha256(request.chunk).digest() != chunk_hash(snapshot, request.index):
            log.warning("chunk %d from %s has a wrong hash, requesting it again", request.index, sender)
            return ResponseApplySnapshotChunk(ApplyResult.RETRY, [request.index], [sender])
        try:
            self._check_size(snapshot, len(request.chunk))
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

    def _check_size(self, snapshot: Snapshot, size: int) -> None:
        """Raise BadExport if no valid snapshot has a chunk of this size."""
        self._size = size if self._next == 0 else self._size
        fault = fault_of_size(snapshot, self._next, size, self._size)
        if fault:
            raise BadExport(fault)

    def _finish(self, snapshot: Snapshot, importer: Importer) -> None:
        self._importer = None
        self._host.restore(importer)
        log.info("restored the state of height %d", snapshot.height)
