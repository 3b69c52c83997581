"""Spending of the day in a SQLite file, so that budgets are not counted anew after a restart.

The rows of a transaction are written together before its broadcast: a kill loses none. A file that is damaged
or is not ours is moved aside and named in the log; then nothing counts as spent. While the file cannot be
used, for example because the disk is full, spending is counted in memory.
"""

import logging
import sqlite3
from collections.abc import Collection, Mapping
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
MAX_ROWS = 100_000
"""Maximum number of rows of one chain: `budgets.MAX_PARTS` of each kind are saved."""
MAX_DIGITS = 80
DAMAGED = ".damaged"
"""Added to the name of a file that is moved aside."""


class Part(NamedTuple):
    """Receiver of a share of the fees."""

    kind: str  # chain, path or sender
    name: str


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
        with self._lock:
            try:
                return self._load(self._opened(), (chain_id, denom, day))
            except (OSError, sqlite3.OperationalError) as error:
                self._failed(error)
            except (sqlite3.DatabaseError, ValueError, TypeError) as error:
                # guard: a-damaged-file-stops-budgets drop
                #   test_a_damaged_file_is_moved_aside_and_counts_as_nothing_spent
                self._move_aside(error)
        return {}

    def save(
        self, chain_id: str, denom: str, day: int, spent: Mapping[Part, int], gone: Collection[Part]
    ) -> None:
        """Save the amounts of some parts, and delete others, in one transaction."""
        of = chain_id, denom
        with self._lock:
            try:
                db = self._opened()
                with db:
                    db.execute("BEGIN IMMEDIATE")
                    rows = [(*of, day, *part, str(amount)) for part, amount in spent.items()]
                    db.executemany("REPLACE INTO spent VALUES (?, ?, ?, ?, ?, ?)", rows)
                    where = "chain=? AND denom=? AND kind=? AND name=?"
                    db.executemany(f"DELETE FROM spent WHERE {where}", [(*of, *part) for part in gone])  # noqa: S608 - ours
                self._is_failing = False
            except (OSError, sqlite3.OperationalError) as error:
                self._failed(error)
            except sqlite3.DatabaseError as error:
                self._move_aside(error)

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

    def save(self, day: int, spent: Mapping[Part, int], gone: Collection[Part]) -> None:
        """Save the amounts of some parts, and delete others."""
        self.file.save(self.chain_id, self.denom, day, spent, gone)


def _amount(text: object) -> int:
    # guard: any-text-is-an-amount drop test_a_damaged_file_is_moved_aside_and_counts_as_nothing_spent
    if not (isinstance(text, str) and text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS):
        raise ValueError(f"not an amount: {str(text)[:64]!r}")
    return int(text)
