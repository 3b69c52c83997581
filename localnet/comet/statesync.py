"""State sync of a CometApp: taking snapshots, and starting from one that a peer has.

Nothing a peer sends is believed. Each chunk must have the hash that the accepted snapshot names; and the
state that all of them make is stored only where it has the app hash that CometBFT's light client found.
"""

import logging
from collections.abc import Iterator
from hashlib import sha256
from threading import Thread

from abci_server import requests as ask
from abci_server.responses import ResponseApplySnapshotChunk
from abci_server.values import ApplyResult, OfferResult, Snapshot
from iavl import BadExport, IavlError, WrongExport
from iavl.restore import Importer
from localnet.comet.snapshots import FORMAT, Snapshots, chunk_hash, is_whole
from localnet.host.app import HostApp

log = logging.getLogger("localnet")

_REMEDY = "bring CometBFT's data/ back, or remove the folder app/ and start again (docs/node.md, State sync)"


class SnapshotTaker:
    """Takes a snapshot now and then, in a thread of its own, one at a time.

    Args:
        host: Whose state.
        snapshots: Where they go.
        every: Blocks between two; 0: none is taken.
        chunk_bytes: Length of a chunk; the same on all validators, so that their snapshots are one.
    """

    def __init__(self, host: HostApp, snapshots: Snapshots, every: int, chunk_bytes: int) -> None:
        self._host = host
        self.snapshots = snapshots
        self._every = every
        self._chunk_bytes = chunk_bytes
        self._thread: Thread | None = None

    def committed(self, height: int) -> None:
        """Begins a snapshot of `height` where one is due and none is being taken."""
        if not self._every or height % self._every or (self._thread and self._thread.is_alive()):
            return
        chunks = self._host.store.export(height, self._chunk_bytes)
        self._thread = Thread(target=self._take, args=(height, chunks), name="snapshot")
        self._thread.start()

    def _take(self, height: int, chunks: Iterator[bytes]) -> None:
        try:
            self.snapshots.write(height, chunks)
            log.info("snapshot of height %d taken", height)
        except (OSError, IavlError):
            log.exception("no snapshot of height %d", height)

    def wait(self) -> None:
        """Returns when none is being taken."""
        if self._thread is not None:
            self._thread.join()


class SnapshotRestorer:
    """Restores an application from the snapshot that was accepted last.

    It has no state, or one that an earlier sync left: a kill came before CometBFT had stored its part, so it
    begins anew, and the new state takes the old one's place.
    """

    def __init__(self, host: HostApp) -> None:
        self._host = host
        self._snapshot: Snapshot | None = None
        self._app_hash = b""
        self._importer: Importer | None = None
        self._next = 0

    def offer(self, request: ask.RequestOfferSnapshot) -> OfferResult:
        """Whether to restore from a peer's snapshot; an earlier one is given up."""
        self._importer = None
        snapshot = request.snapshot
        height = self._host.info().height
        if height and not self._host.is_restored:  # blocks that CometBFT has lost were executed on it
            log.error("no state sync: blocks up to %d were executed here already; %s", height, _REMEDY)
            return OfferResult.ABORT
        if snapshot.format != FORMAT:
            return OfferResult.REJECT_FORMAT
        if not is_whole(snapshot):
            return OfferResult.REJECT
        self._snapshot, self._app_hash, self._next = snapshot, request.app_hash, 0
        self._importer = self._host.store.importer(snapshot.height)
        return OfferResult.ACCEPT

    def apply(self, request: ask.RequestApplySnapshotChunk) -> ResponseApplySnapshotChunk:
        """Takes the next chunk; after the last one the state is there, on disk."""
        snapshot, importer = self._snapshot, self._importer
        if snapshot is None or importer is None or request.index != self._next:
            return ResponseApplySnapshotChunk(ApplyResult.ABORT)
        if sha256(request.chunk).digest() != chunk_hash(snapshot, request.index):
            log.warning(
                "chunk %d from %s is another one, it is asked for again", request.index, request.sender
            )
            return ResponseApplySnapshotChunk(ApplyResult.RETRY, [request.index], [request.sender])
        try:
            importer.feed(request.chunk)
            self._next += 1
            if self._next == snapshot.chunks:
                self._finish(snapshot, importer)
        except (BadExport, WrongExport) as error:
            log.warning("snapshot of height %d: %s", snapshot.height, error)
            self._importer = None
            return ResponseApplySnapshotChunk(ApplyResult.REJECT_SNAPSHOT)
        return ResponseApplySnapshotChunk(ApplyResult.ACCEPT)

    def _finish(self, snapshot: Snapshot, importer: Importer) -> None:
        self._importer = None
        self._host.restore(snapshot.height, importer.finish(), self._app_hash)
        log.info("restored the state of height %d", snapshot.height)
