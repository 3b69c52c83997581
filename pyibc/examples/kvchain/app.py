"""Key-value chain: a transaction is `key=value`; `abci_query` with the key as data returns the value."""

import sqlite3
from hashlib import sha256
from pathlib import Path
from threading import Lock

from pyibc.abci import (
    AbciError,
    BaseApplication,
    Event,
    EventAttribute,
    ExecTxResult,
    RequestCheckTx,
    RequestFinalizeBlock,
    RequestInfo,
    RequestQuery,
    ResponseCheckTx,
    ResponseFinalizeBlock,
    ResponseInfo,
    ResponseQuery,
)

State = dict[bytes, bytes]


def app_hash(state: State) -> bytes:
    """Return SHA-256 over all entries in key order. A larger chain uses a tree (`iavl`)."""
    digest = sha256()
    for entry in sorted(state.items()):
        digest.update(b"".join(len(part).to_bytes(4, "big") + part for part in entry))
    return digest.digest()


def parse(tx: bytes) -> tuple[bytes, bytes]:
    """Return key and value of a transaction; raise AbciError."""
    key, equals, value = tx.partition(b"=")
    if not key or not equals or len(tx) > 1024:
        raise AbciError(1, "a transaction is key=value, of 1,024 bytes at most", "kv")
    return key, value


class KvApp(BaseApplication):
    """State in memory and in `home`/kv.db, written in one transaction per block."""

    def __init__(self, home: Path) -> None:
        home.mkdir(parents=True, exist_ok=True)
        self.disk = sqlite3.connect(home / "kv.db", check_same_thread=False, isolation_level=None)
        self.disk.execute("PRAGMA synchronous = FULL")  # CometBFT does not replay a block after Commit
        self.disk.execute("CREATE TABLE IF NOT EXISTS kv (key BLOB PRIMARY KEY, value BLOB)")
        self.disk.execute("CREATE TABLE IF NOT EXISTS last (one INTEGER PRIMARY KEY, height INTEGER)")
        self.state: State = dict(self.disk.execute("SELECT key, value FROM kv"))
        self.height: int = next(self.disk.execute("SELECT height FROM last"), (0,))[0]
        self.written: State = {}  # writes of the finalized, uncommitted block
        self.committing = Lock()  # queries run concurrently with blocks

    def info(self, request: RequestInfo) -> ResponseInfo:  # noqa: ARG002
        """Return the last height and app hash, from which CometBFT continues."""
        return ResponseInfo(self.height, app_hash(self.state) if self.height else b"", data="kvchain")

    def check_tx(self, request: RequestCheckTx) -> ResponseCheckTx:
        """Refuse transactions that are not key=value."""
        parse(request.tx)
        return ResponseCheckTx()

    def finalize_block(self, request: RequestFinalizeBlock) -> ResponseFinalizeBlock:
        """Execute a block in memory."""
        self.written, self.finalized = {}, request.height  # drops the writes of an earlier call
        results = [self.deliver(tx) for tx in request.txs]
        return ResponseFinalizeBlock(results, app_hash(self.state | self.written))

    def deliver(self, tx: bytes) -> ExecTxResult:
        """Execute one transaction; a proposer may include one that CheckTx refuses."""
        try:
            key, value = parse(tx)
        except AbciError as error:
            return ExecTxResult(error.code, log=error.log, codespace=error.codespace)
        self.written[key] = value
        return ExecTxResult(events=[Event("set", [EventAttribute("key", key.hex())])])

    def commit(self) -> int:
        """Write the block to disk atomically."""
        self.disk.execute("BEGIN IMMEDIATE")
        self.disk.executemany("INSERT OR REPLACE INTO kv VALUES (?, ?)", self.written.items())
        self.disk.execute("INSERT OR REPLACE INTO last VALUES (1, ?)", (self.finalized,))
        self.disk.execute("COMMIT")
        with self.committing:
            self.state, self.height, self.written = self.state | self.written, self.finalized, {}
        return 0

    def query(self, request: RequestQuery) -> ResponseQuery:
        """Return the value of a key, empty if there is none."""
        with self.committing:
            state, height = self.state, self.height
        if request.height not in {0, height}:
            raise AbciError(2, f"only the state of height {height} is kept", "kv")
        return ResponseQuery(key=request.data, value=state.get(request.data, b""), height=height)
