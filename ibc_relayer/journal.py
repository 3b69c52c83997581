"""The journal: the backlog and how far both chains were read, kept in SQLite to survive a crash.

One transaction saves what some blocks changed and the heights up to which both chains were read. So at any
instant the journal is the backlog after some block of each chain, and reading continues from there.
"""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path as FilePath
from typing import Any, NamedTuple

from ibc_relayer.backlog import Backlog
from ibc_relayer.errors import JournalMismatch
from ibc_relayer.packets import from_columns, to_columns
from ibc_relayer.path import SIDES, AnyPath, Side
from ibc_relayer.pending_packets import PendingPacket, PendingPackets, Stage

_SCHEMA = """
BEGIN;
CREATE TABLE IF NOT EXISTS paths (ends TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS cursor (
  side INTEGER PRIMARY KEY, height INTEGER NOT NULL, app_hash BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS closed (
  channel INTEGER, side INTEGER, height INTEGER NOT NULL, PRIMARY KEY (channel, side)
);
CREATE TABLE IF NOT EXISTS packet (
  channel INTEGER, sender INTEGER, sequence TEXT, stage INTEGER NOT NULL, height INTEGER NOT NULL,
  data BLOB NOT NULL, timeout_height TEXT NOT NULL, timeout_ns TEXT NOT NULL, acknowledgement BLOB NOT NULL,
  PRIMARY KEY (channel, sender, sequence)
);
COMMIT;
"""  # sequences and times are uint64, SQLite integers are signed: stored as text


class Cursor(NamedTuple):
    """The last block that was read of a chain."""

    height: int
    app_hash: bytes  # as the block stated it: reveals a chain that was reset; empty: unknown


class Journal:
    """The saved backlog of one set of paths."""

    def __init__(self, file: FilePath, paths: Sequence[AnyPath]) -> None:
        """Opens or creates the journal in `file`.

        Raises:
            JournalMismatch: the file belongs to other paths.
        """
        self._file = file
        self._db = sqlite3.connect(file, isolation_level=None)
        self._db.execute("PRAGMA synchronous=NORMAL")  # what a power failure loses is read again from blocks
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.executescript(_SCHEMA)
        self._claim(json.dumps(list(paths)))

    def close(self) -> None:
        """Closes the file."""
        self._db.close()

    def load(self, backlog: Backlog) -> tuple[Cursor, Cursor] | None:
        """Restores `backlog` and returns the last block read of each chain; None if nothing was saved yet."""
        saved = {row[0]: Cursor(*row[1:]) for row in self._db.execute("SELECT * FROM cursor")}
        if not saved:
            return None
        for channel, side, height in self._db.execute("SELECT * FROM closed"):
            backlog.channels[channel].closed_at[side] = height
        for row in self._db.execute("SELECT * FROM packet"):
            _restore(backlog, row)
        return saved[0], saved[1]

    def save(self, backlog: Backlog, cursors: tuple[Cursor, Cursor]) -> None:
        """Saves what changed since the last save, and the cursors, in one transaction."""
        with self._db:
            self._db.execute("BEGIN IMMEDIATE")
            for index, channel in enumerate(backlog.channels):
                for side in SIDES:
                    self._save_packets(index, side, channel.sent_from(side))
                    self._save_closed(index, side, channel.closed_at[side])
            self._db.executemany(
                "REPLACE INTO cursor VALUES (?, ?, ?)", [(side, *cursors[side]) for side in SIDES]
            )
        for channel in backlog.channels:
            for sent in channel.pending:
                sent.changed.clear()

    def require_same(
        self, cursors: tuple[Cursor, Cursor], app_hashes: tuple[bytes | None, bytes | None]
    ) -> None:
        """Compares the saved cursors with the chains' app hashes at those heights; None: no such block.

        Raises:
            JournalMismatch: a chain was reset since the journal was written.
        """
        for side in SIDES:
            expected = cursors[side]
            if expected.app_hash and app_hashes[side] != expected.app_hash:
                reason = f"block {expected.height} of chain {'ab'[side]} is another"
                raise JournalMismatch(str(self._file), reason)

    def _claim(self, ends: str) -> None:
        row = self._db.execute("SELECT ends FROM paths").fetchone()
        if row is None:
            self._db.execute("INSERT INTO paths VALUES (?)", (ends,))
        elif row[0] != ends:
            self._db.close()
            raise JournalMismatch(str(self._file), "belongs to other paths")

    def _save_packets(self, channel: int, sender: Side, sent: PendingPackets) -> None:
        gone = [(channel, sender, str(s)) for s in sent.changed if s not in sent.packets]
        kept = [_row(channel, sender, s, sent.packets[s]) for s in sent.changed if s in sent.packets]
        self._db.executemany("DELETE FROM packet WHERE channel=? AND sender=? AND sequence=?", gone)
        self._db.executemany("REPLACE INTO packet VALUES (?,?,?,?,?,?,?,?,?)", kept)

    def _save_closed(self, channel: int, side: Side, height: int | None) -> None:
        if height is not None:
            self._db.execute("REPLACE INTO closed VALUES (?, ?, ?)", (channel, side, height))


def _row(channel: int, sender: Side, sequence: int, pending: PendingPacket) -> tuple[object, ...]:
    packet, stage, height, acknowledgement = pending
    return channel, sender, str(sequence), int(stage), height, *to_columns(packet), acknowledgement


def _restore(backlog: Backlog, row: Sequence[Any]) -> None:
    channel, sender, sequence, stage, height, data, timeout_height, timeout_ns, acknowledgement = row
    packet = from_columns(
        backlog.channels[channel].path, sender, int(sequence), (data, timeout_height, timeout_ns)
    )
    pending = PendingPacket(packet, Stage(stage), height, acknowledgement)
    backlog.channels[channel].sent_from(sender).packets[int(sequence)] = pending


def paths_of(file: FilePath) -> list[list[Any]]:
    """All paths that a journal was written for, as it states them; none if there is no such file yet.

    Raises:
        sqlite3.Error: it is no journal.
    """
    if not file.exists():
        return []
    with closing(sqlite3.connect(file)) as db:
        if db.execute("SELECT name FROM sqlite_master WHERE name = 'paths'").fetchone() is None:
            return []
        row = db.execute("SELECT ends FROM paths").fetchone()
    return [] if row is None else list(json.loads(row[0]))
