"""Identification of SQLite files: another program's database must not be written to."""

import sqlite3
from typing import NamedTuple


class SqliteMarks(NamedTuple):
    """Identification of a file; an empty file has no tables, and zeros."""

    tables: frozenset[str]
    application: int  # SQLite's application_id
    version: int  # SQLite's user_version, that of the tables


def marks_of(db: sqlite3.Connection) -> SqliteMarks:
    """Return the identification of an open file.

    Raises:
        sqlite3.Error: it is not a database, or cannot be read.
    """
    tables = frozenset(row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type='table'"))
    application, version = (
        db.execute(f"PRAGMA {each}").fetchone()[0] for each in ("application_id", "user_version")
    )
    return SqliteMarks(tables, application, version)
