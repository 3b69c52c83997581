"""Spending of the day in a SQLite file, so that budgets are not counted anew after a restart.

Several processes may share the file, as the daemon and `pyibc relay clear` do: the rows of a transaction are
read, judged and written in one transaction of SQLite, before its broadcast, so that a kill loses none. A file
that is damaged or is not ours is moved aside and named in the log; then nothing counts as spent. While the
file cannot be used, for example because the disk is full, spending is counted in memory.
"""

import logging
import sqlite3
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from pyibc.relayer.money.sqlite_marks import marks_of

log = logging.getLogger("pyibc.relayer")

_VERSION = 1
"""Version of the table."""
_APPLICATION = 0x69626373
"""SQLite application id of a file of spending."""
_SCHEMA = f"""
BEGIN;
CREATE TABLE spent (
  chain TEXT, denom TEXT, day INTEGER, kind TEXT, name TEXT, amount TEXT NOT NULL,
  PRIMARY KEY (chain, denom, kind, name)
);
PRAGMA user_version={_VERSION};
PRAGMA application_id={_APPLICATION};
COMMIT;
"""  # a chain's amounts may exceed int64: stored as text
SUFFIX = ".spending"
"""Added to the journal's name for the file of the day's spending."""
MAX_ROWS = 100_000
"""Maximum number of rows of one chain: `budgets.MAX_PARTS` of each kind are saved."""
MAX_DIGITS = 80
DAMAGED = ".damaged"
"""Added to the name of a file that is moved aside."""


class Part(NamedTuple):
    """Receiver of a share of the fees."""

    kind: str  # chain, path or sender
    name: str


class SharedRows:
    """Rows of some parts, within `SpendingFile.shared`."""

    def __init__(self) -> None:
        """Start with no rows and no changes."""
        self.spent: dict[Part, int] = {}
        """Amounts in the file; parts without one are absent."""
        self.changed: dict[Part, int] = {}
        """Amounts to write."""
        self.gone: list[Part] = []
        """Parts to delete."""
        self.is_saved = False


class SpendingFile:
    """File of the spending on all chains of a daemon. For any thread."""

    def __init__(self, file: Path) -> None:
        """Open nothing before the first use."""
        self._file = file
        self._lock = Lock()
        self._db: sqlite3.Connection | None = None
        self._is_failing = False

    def of_chain(self, chain_id: str, denom: str) -> "ChainSpending":
        """Return the spending on one chain, in one denomination."""
        return ChainSpending(self, chain_id, denom)

    def load(self, chain_id: str, denom: str, day: int) -> dict[Part, int]:
        """Return what was spent on a day, the least recent first, and delete other days."""
        found = dict[Part, int]()
        with self._lock:
            self._try(lambda db: found.update(self._load(db, (chain_id, denom, day))))
        return found

    @contextmanager
    def shared(self, chain_id: str, denom: str, day: int, parts: Collection[Part]) -> Iterator["SharedRows"]:
        """Yield what was spent on a day; no other process changes it before the end of the context.

        At the end `SharedRows.changed` and `gone` are written. `is_saved` tells whether that succeeded.
        """
        key, rows = (chain_id, denom), SharedRows()
        with self._lock:
            db = self._try(lambda db: self._begin(db, key, day, parts, rows))
            try:
                yield rows
            except BaseException:
                self._close()  # and so roll back
                raise
            if db is not None:
                rows.is_saved = self._try(lambda db: self._end(db, key, day, rows)) is not None

    def _begin(
        self,
        db: sqlite3.Connection,
        key: tuple[str, str],
        day: int,
        parts: Collection[Part],
        rows: "SharedRows",
    ) -> None:
        # guard: two-processes-judge-the-same-amount drop
        #   test_nobody_else_changes_the_file_while_a_budget_is_judged
        db.execute("BEGIN IMMEDIATE")
        found = "SELECT amount FROM spent WHERE chain=? AND denom=? AND day=? AND kind=? AND name=?"
        for part in parts:
            row = db.execute(found, (*key, day, *part)).fetchone()
            if row is not None:
                rows.spent[part] = _amount(row[0])

    def _end(self, db: sqlite3.Connection, key: tuple[str, str], day: int, rows: "SharedRows") -> None:
        if not db.in_transaction:
            db.execute("BEGIN IMMEDIATE")
        new = [(*key, day, *part, str(amount)) for part, amount in rows.changed.items()]
        db.executemany("REPLACE INTO spent VALUES (?, ?, ?, ?, ?, ?)", new)
        where = "chain=? AND denom=? AND kind=? AND name=?"
        db.executemany(f"DELETE FROM spent WHERE {where}", [(*key, *part) for part in rows.gone])  # noqa: S608 - ours
        db.execute("COMMIT")
        self._is_failing = False

    def _try(self, work: Callable[[sqlite3.Connection], None]) -> sqlite3.Connection | None:
        """Use the file; return it, or None if it cannot be used now or is damaged."""
        try:
            db = self._opened()
            work(db)
        except (OSError, sqlite3.OperationalError) as error:
            self._failed(error)
        except (sqlite3.DatabaseError, ValueError, TypeError) as error:
            # guard: a-damaged-file-stops-budgets drop
            #   test_a_damaged_file_is_moved_aside_and_counts_as_nothing_spent
            self._move_aside(error)
        else:
            return db
        return None

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._close()

    def _opened(self) -> sqlite3.Connection:
        """Return the open file.

        Raises:
            sqlite3.DatabaseError: it is not a file of spending, or cannot be used now.
        """
        if self._db is None:
            self._db = sqlite3.connect(self._file, isolation_level=None, check_same_thread=False)
            found = marks_of(self._db)
            # guard: spending-is-written-into-any-database drop
            #   test_a_database_of_something_else_is_moved_aside_unchanged
            if found.tables and (found.application, found.version) != (_APPLICATION, _VERSION):
                raise sqlite3.DatabaseError("it is a database of something else")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.execute("PRAGMA journal_mode=WAL")
            if not found.tables:
                self._db.executescript(_SCHEMA)
        return self._db

    def _load(self, db: sqlite3.Connection, key: tuple[str, str, int]) -> dict[Part, int]:
        db.execute("DELETE FROM spent WHERE chain=? AND denom=? AND day<>?", key)
        where = "chain=? AND denom=? AND day=? ORDER BY rowid LIMIT ?"
        rows = db.execute(f"SELECT kind, name, amount FROM spent WHERE {where}", (*key, MAX_ROWS))  # noqa: S608 - ours
        return {Part(kind, name): _amount(amount) for kind, name, amount in rows}

    def _failed(self, error: Exception) -> None:
        self._close()
        if not self._is_failing:
            log.error("spending not saved", extra={"file": str(self._file), "reason": str(error)})
        self._is_failing = True

    def _move_aside(self, error: Exception) -> None:
        self._close()
        kept = self._file.with_name(self._file.name + DAMAGED)
        try:
            self._file.replace(kept)
            for suffix in ("-wal", "-shm"):
                self._file.with_name(self._file.name + suffix).unlink(missing_ok=True)
        except OSError as refused:
            self._failed(refused)
            return
        facts = {"file": str(self._file), "kept": str(kept), "reason": str(error)}
        log.error("spending of the day is lost: the file is damaged", extra=facts)

    def _close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None


class ChainSpending(NamedTuple):
    """Spending on one chain in a file."""

    file: SpendingFile
    chain_id: str
    denom: str

    def load(self, day: int) -> dict[Part, int]:
        """Return what was spent on a day (unix time by 86,400 s), the least recent first."""
        return self.file.load(self.chain_id, self.denom, day)

    def shared(self, day: int, parts: Collection[Part]) -> AbstractContextManager["SharedRows"]:
        """Return the context of `SpendingFile.shared`."""
        return self.file.shared(self.chain_id, self.denom, day, parts)


def _amount(text: object) -> int:
    # guard: any-text-is-an-amount drop test_a_damaged_file_is_moved_aside_and_counts_as_nothing_spent
    if not (isinstance(text, str) and text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS):
        raise ValueError(f"not an amount: {str(text)[:64]!r}")
    return int(text)
