"""State sync of the key-value chain: a snapshot is the whole state as JSON, cut into chunks."""

import json
from hashlib import sha256
from pathlib import Path

from pyibc.abci import (
    ApplyResult,
    OfferResult,
    RequestApplySnapshotChunk,
    RequestLoadSnapshotChunk,
    RequestOfferSnapshot,
    ResponseApplySnapshotChunk,
    Snapshot,
)
from pyibc.examples.kvchain.app import KvApp, app_hash

FORMAT = 1
CHUNK = 4096
"""Chunk size in bytes; small, so that the example has several. CometBFT allows 16 MB."""
KEEP = 3


class SnapshottingKvApp(KvApp):
    """`KvApp` that offers snapshots to other nodes and can start from one.

    Args:
        home: Folder of the state.
        every: Blocks between two snapshots.
    """

    def __init__(self, home: Path, every: int = 10) -> None:
        super().__init__(home)
        self.every = every
        self.taken: dict[int, list[bytes]] = {}  # chunks by height, taken by this process
        self.offered: RequestOfferSnapshot | None = None
        self.received: list[bytes] = []

    def commit(self) -> int:
        """Commit, and take a snapshot every `every` blocks."""
        retain_height = super().commit()
        if self.height % self.every == 0:
            taken = {**self.taken, self.height: self._chunks()}
            self.taken = {height: taken[height] for height in sorted(taken)[-KEEP:]}
        return retain_height

    def _chunks(self) -> list[bytes]:
        entries = [[key.hex(), value.hex()] for key, value in sorted(self.state.items())]
        raw = json.dumps(entries).encode()
        return [raw[at : at + CHUNK] for at in range(0, len(raw), CHUNK)]

    def list_snapshots(self) -> list[Snapshot]:
        """Return the newest snapshots."""
        return [
            Snapshot(height, FORMAT, len(chunks), sha256(b"".join(chunks)).digest())
            for height, chunks in self.taken.items()
        ]

    def load_snapshot_chunk(self, request: RequestLoadSnapshotChunk) -> bytes:
        """Return a chunk for a peer."""
        chunks = self.taken.get(request.height, []) if request.format == FORMAT else []
        return chunks[request.chunk] if request.chunk < len(chunks) else b""

    def offer_snapshot(self, request: RequestOfferSnapshot) -> OfferResult:
        """Accept the first snapshot in this format."""
        if request.snapshot.format != FORMAT:
            return OfferResult.REJECT_FORMAT
        self.offered, self.received = request, []
        return OfferResult.ACCEPT

    def apply_snapshot_chunk(self, request: RequestApplySnapshotChunk) -> ResponseApplySnapshotChunk:
        """Collect chunks; after the last one, restore the state."""
        if self.offered is None or request.index != len(self.received):
            return ResponseApplySnapshotChunk(ApplyResult.ABORT)
        self.received.append(request.chunk)
        if len(self.received) < self.offered.snapshot.chunks:
            return ResponseApplySnapshotChunk(ApplyResult.ACCEPT)
        return ResponseApplySnapshotChunk(self._restore(self.offered, b"".join(self.received)))

    def _restore(self, offered: RequestOfferSnapshot, raw: bytes) -> ApplyResult:
        """Restore the state if its hash is the app hash that the light client verified."""
        try:
            state = {bytes.fromhex(key): bytes.fromhex(value) for key, value in json.loads(raw)}
        except (ValueError, TypeError, RecursionError):
            return ApplyResult.REJECT_SNAPSHOT
        if app_hash(state) != offered.app_hash:
            return ApplyResult.REJECT_SNAPSHOT
        self.written, self.finalized = state, offered.snapshot.height
        super().commit()
        return ApplyResult.ACCEPT
