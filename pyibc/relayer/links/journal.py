"""Journal: the backlogs of links and the heights up to which both chains were read, in SQLite.

One transaction saves the changes of some blocks and the heights up to which both chains were read. So the
journal is always the backlog after some block of each chain, and reading continues from there after a crash.
One file may serve many links. The journal may be deleted: the chains' states have the same data
(`reconcile`).
"""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path as FilePath
from typing import Any

from pyibc.core.errors import IbcError
from pyibc.relayer.blocks.checked import Cursor
from pyibc.relayer.errors import JournalMismatch, JournalUnavailable, RelayerError
from pyibc.relayer.money.sqlite_marks import marks_of
from pyibc.relayer.packets.backlog import Backlog, DeferredMessage
from pyibc.relayer.packets.packets import from_columns, to_columns
from pyibc.relayer.packets.pending_packets import PendingPacket, PendingPackets, Stage
from pyibc.relayer.paths.path import SIDES, AnyPath, Side

_VERSION = 3
"""Version of the tables. Tables of another version are dropped."""
_APPLICATION = 0x69626372
"""SQLite application id of a journal: databases of other applications must not be written to."""
_OF_LINK = ("cursor", "closed", "packet", "held")
_TABLES = ("paths", "link", *_OF_LINK)

_SCHEMA = f"""
CREATE TABLE link (number INTEGER PRIMARY KEY, paths TEXT NOT NULL UNIQUE);
CREATE TABLE cursor (
  link INTEGER, side INTEGER, height INTEGER NOT NULL, app_hash BLOB NOT NULL, hash BLOB NOT NULL,
  PRIMARY KEY (link, side)
);
CREATE TABLE closed (
  link INTEGER, channel INTEGER, side INTEGER, height INTEGER NOT NULL, PRIMARY KEY (link, channel, side)
);
CREATE TABLE packet (
  link INTEGER, channel INTEGER, sender INTEGER, sequence TEXT,
  stage INTEGER NOT NULL, height INTEGER NOT NULL,
  data BLOB NOT NULL, timeout_height TEXT NOT NULL, timeout_ns TEXT NOT NULL, acknowledgement BLOB NOT NULL,
  PRIMARY KEY (link, channel, sender, sequence)
);
CREATE TABLE held (
  link INTEGER, src_chain TEXT, src_end TEXT, message TEXT, sequence TEXT, reason TEXT NOT NULL,
  PRIMARY KEY (link, src_chain, src_end, message, sequence)
);
PRAGMA user_version={_VERSION};
PRAGMA application_id={_APPLICATION};
"""  # sequences and times are uint64, SQLite integers are signed: stored as text


class Journal:
    """Saved backlog of one link, in a file that several links may share."""

    def __init__(self, file: FilePath, paths: Sequence[AnyPath]) -> None:
        """Open or create the journal in `file`; tables of another version are replaced.

        Raises:
            JournalMismatch: the file is not a journal.
            JournalUnavailable: SQLite cannot use it now, for example because the disk is full.
        """
        try:
            # Rounds of a link follow one another, each in any thread.
            self._db = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
        except sqlite3.Error as error:
            raise JournalUnavailable(str(file), str(error)) from error
        try:
            # guard: h233-a-journal-writes-before-it-looks drop
            #   test_h233_a_file_that_is_no_journal_is_not_written_to
            self._require_ours()
            self._db.execute("PRAGMA synchronous=NORMAL")  # lost transactions are read again from blocks
            self._db.execute("PRAGMA journal_mode=WAL")
            self._prepare()
            self._link = self._number(json.dumps(list(paths)))
        except sqlite3.Error as error:
            self._db.close()
            raise _refused(file, error) from error

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def load(self, backlog: Backlog) -> tuple[Cursor, Cursor] | None:
        """Restore `backlog` and return the last block read of each chain; None if nothing was saved yet.

        Data that cannot be read are deleted, and restored from the chains' states.
        """
        try:
            return self._load(backlog)
        except (ValueError, LookupError, TypeError, IbcError, sqlite3.DatabaseError):
            with suppress(sqlite3.Error):
                for table in _OF_LINK:
                    self._db.execute(f"DELETE FROM {table} WHERE link=?", (self._link,))  # noqa: S608 - ours
            return None

    def _load(self, backlog: Backlog) -> tuple[Cursor, Cursor] | None:
        rows = self._db.execute("SELECT side, height, app_hash, hash FROM cursor WHERE link=?", (self._link,))
        saved = {row[0]: Cursor(*row[1:]) for row in rows}
        if not saved:
            return None
        cursors = saved[0], saved[1]
        if min(each.height for each in cursors) < 0:
            raise ValueError(f"no heights: {cursors}")
        closed = self._db.execute("SELECT channel, side, height FROM closed WHERE link=?", (self._link,))
        for channel, side, height in closed:
            backlog.channels[channel].closed_at[side] = height
        for row in self._db.execute("SELECT * FROM packet WHERE link=?", (self._link,)):
            _restore(backlog, row[1:])
        for each in backlog.channels:
            for sent in each.pending:
                sent.changed.clear()
        return cursors

    def save(self, backlog: Backlog, cursors: tuple[Cursor, Cursor]) -> bool:
        """Save the changes since the last save, and the cursors, in one transaction.

        Returns:
            Whether that succeeded; changes that could not be written are left to the next save.
        """
        try:
            with self._db:
                self._db.execute("BEGIN IMMEDIATE")
                self._save(backlog, cursors)
        except sqlite3.Error:  # a full disk or a lock is no reason to stop relaying
            return False
        for channel in backlog.channels:
            for sent in channel.pending:
                sent.changed.clear()
        return True

    def save_deferred(self, deferred: Sequence[DeferredMessage]) -> bool:
        """Save the deferred messages for `deferred_in`; return whether that succeeded."""
        rows = [(self._link, *each._replace(sequence=str(each.sequence))) for each in deferred]  # type: ignore[arg-type]
        try:
            with self._db:
                self._db.execute("BEGIN IMMEDIATE")
                self._db.execute("DELETE FROM held WHERE link=?", (self._link,))
                self._db.executemany("REPLACE INTO held VALUES (?, ?, ?, ?, ?, ?)", rows)
        except sqlite3.Error:
            return False
        return True

    def _save(self, backlog: Backlog, cursors: tuple[Cursor, Cursor]) -> None:
        for index, channel in enumerate(backlog.channels):
            for side in SIDES:
                self._save_packets(index, side, channel.sent_from(side))
                if (height := channel.closed_at[side]) is not None:
                    closed = self._link, index, side, height
                    self._db.execute("REPLACE INTO closed VALUES (?, ?, ?, ?)", closed)
        rows = [(self._link, side, *cursors[side]) for side in SIDES]
        self._db.executemany("REPLACE INTO cursor VALUES (?, ?, ?, ?, ?)", rows)

    def _require_ours(self) -> None:
        """Raise sqlite3.DatabaseError if the file is not a journal; the first journals had no mark."""
        found, of, _ = marks_of(self._db)
        if of != _APPLICATION and (of or not found <= set(_TABLES)):
            raise sqlite3.DatabaseError("it is a database of something else")

    def _prepare(self) -> None:
        self._db.execute("BEGIN IMMEDIATE")
        found, of, version = marks_of(self._db)
        if (of, version) != (_APPLICATION, _VERSION):
            for table in sorted(found):
                self._db.execute(f"DROP TABLE {table}")
            for statement in _SCHEMA.strip().split(";")[:-1]:
                self._db.execute(statement)
        self._db.execute("COMMIT")

    def _number(self, paths: str) -> int:
        self._db.execute("INSERT OR IGNORE INTO link (paths) VALUES (?)", (paths,))
        number: int = self._db.execute("SELECT number FROM link WHERE paths=?", (paths,)).fetchone()[0]
        return number

    def _save_packets(self, channel: int, sender: Side, sent: PendingPackets) -> None:
        of = self._link, channel, sender
        gone = [(*of, str(s)) for s in sent.changed if s not in sent.packets]
        kept = [(*of, *_row(s, sent.packets[s])) for s in sent.changed if s in sent.packets]
        self._db.executemany(
            "DELETE FROM packet WHERE link=? AND channel=? AND sender=? AND sequence=?", gone
        )
        self._db.executemany("REPLACE INTO packet VALUES (?,?,?,?,?,?,?,?,?,?)", kept)


def _row(sequence: int, pending: PendingPacket) -> tuple[object, ...]:
    packet, stage, height, acknowledgement = pending
    return str(sequence), int(stage), height, *to_columns(packet), acknowledgement


def _restore(backlog: Backlog, row: Sequence[Any]) -> None:
    channel, sender, sequence, stage, height, data, timeout_height, timeout_ns, acknowledgement = row
    packet = from_columns(
        backlog.channels[channel].path, sender, int(sequence), (data, timeout_height, timeout_ns)
    )
    pending = PendingPacket(packet, Stage(stage), height, acknowledgement)
    backlog.channels[channel].sent_from(sender).put(int(sequence), pending)


def deferred_in(file: FilePath) -> list[DeferredMessage]:
    """Return the deferred messages that a journal's links saved last; none if there is no such journal."""
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as db:
            rows = db.execute("SELECT src_chain, src_end, message, sequence, reason FROM held").fetchall()
        return [DeferredMessage(chain, end, message, int(at), why) for chain, end, message, at, why in rows]
    except (sqlite3.Error, ValueError, TypeError):
        return []


def paths_of(file: FilePath) -> list[list[Any]]:
    """Return all paths of a journal's links; none if there is no such file yet.

    Raises:
        JournalMismatch: the file is not a journal.
        JournalUnavailable: SQLite cannot read it now.
    """
    if not file.exists():
        return []
    try:
        with closing(sqlite3.connect(file)) as db:
            if marks_of(db).application != _APPLICATION:
                return []
            links = [json.loads(row[0]) for row in db.execute("SELECT paths FROM link ORDER BY number")]
    except (sqlite3.Error, ValueError) as error:
        raise _refused(file, error) from error
    return [path for paths in links for path in paths]


def _refused(file: FilePath, error: Exception) -> RelayerError:
    """Return the error for SQLite's exception: about the file, or the machine (full disk, permissions)."""
    # guard: h195-what-the-machine-refuses-is-called-a-foreign-file drop:isinstance
    #   test_h195_a_disk_that_is_full_is_no_foreign_journal
    kind = JournalUnavailable if isinstance(error, sqlite3.OperationalError) else JournalMismatch
    return kind(str(file), str(error))
