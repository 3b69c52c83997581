"""Reads every block of both chains into the backlog, once, and saves the progress."""

from collections.abc import Sequence

from ibc_core.errors import IbcError
from ibc_relayer.backlog import Backlog
from ibc_relayer.endpoint import ChainEndpoint, height_on
from ibc_relayer.errors import EndpointUnavailable
from ibc_relayer.journal import Cursor, Journal
from ibc_relayer.metrics import Metrics
from ibc_relayer.path import AnyPath, Side
from ibc_relayer.plan import Head
from ibc_relayer.recovery import start_heights

SAVE_EVERY = 500
"""Blocks between two saves while a relayer catches up."""

PASSES, FEW = 20, 4
"""Reading is repeated at most `PASSES` times, until a pass finds no more than `FEW` new blocks."""


class BlockReader:
    """Reads the blocks of two chains into a backlog."""

    def __init__(
        self,
        backlog: Backlog,
        endpoints: tuple[ChainEndpoint, ChainEndpoint],
        journal: Journal | None,
        metrics: Metrics,
    ) -> None:
        """`open` sets the first blocks to read."""
        self._backlog = backlog
        self._endpoints = endpoints
        self._journal = journal
        self._metrics = metrics
        self._cursors = [Cursor(0, b""), Cursor(0, b"")]
        self._unsaved = 0

    def open(self, paths: Sequence[AnyPath], start: tuple[int, int] | None) -> None:
        """Starts after the journal's last blocks, else at `start`, else at what `recovery` finds.

        Raises:
            JournalMismatch: a chain was reset since the journal was written.
            EndpointUnavailable: a chain does not answer, or nodes behind one address are not equally far.
            MalformedAnswer: an answer cannot be decoded.
        """
        saved = self._journal.load(self._backlog) if self._journal is not None else None
        if self._journal is not None and saved is not None:
            hashes = self._app_hash(0, saved[0].height), self._app_hash(1, saved[1].height)
            self._journal.require_same(saved, hashes)
            self._cursors = list(saved)
            return
        first = start or start_heights(paths, self._endpoints)
        self._cursors = [Cursor(height - 1, b"") for height in first]

    def read(self) -> tuple[Head, Head]:
        """Reads the blocks committed since the last call; returns the heads that the backlog corresponds to.

        The chains make blocks meanwhile: reading is repeated until a pass is short, so that the heads are
        recent: nodes keep a limited number of states to prove from.

        Raises:
            EndpointUnavailable: a chain does not answer; what was read stays read.
        """
        heads, count = self._pass()
        for _ in range(PASSES):
            if count <= FEW:
                break
            heads, count = self._pass()
        self._save()
        return heads

    def _pass(self) -> tuple[tuple[Head, Head], int]:
        """Reads both chains to their tips; returns the heads and the number of blocks read."""
        before = self._metrics.blocks
        heads = self._read(0), self._read(1)
        return heads, self._metrics.blocks - before

    def _read(self, side: Side) -> Head:
        endpoint = self._endpoints[side]
        tip = endpoint.tip()
        for height in range(self._cursors[side].height + 1, tip.height + 1):
            block = endpoint.block(height)
            self._backlog.observe(side, block)
            self._cursors[side] = Cursor(height, block.app_hash)
            self._metrics.blocks += 1
            self._unsaved += 1
            if self._unsaved >= SAVE_EVERY:
                self._save()
        return Head(height_on(endpoint.chain_id, tip.height), tip.time_ns)

    def _save(self) -> None:
        if self._journal is not None and self._unsaved:
            self._journal.save(self._backlog, (self._cursors[0], self._cursors[1]))
        self._unsaved = 0

    def _app_hash(self, side: Side, height: int) -> bytes | None:
        if not 0 < height <= self._endpoints[side].tip().height:
            return None
        try:
            return self._endpoints[side].block(height).app_hash
        except EndpointUnavailable:
            raise
        except IbcError:  # pruned since
            return None
