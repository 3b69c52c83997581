"""Whose a SQLite file is: another program's database must not be written to."""

import sqlite3
from typing import NamedTuple


class Marks(NamedTuple):
    """What a file says of itself; an empty one says nothing: no tables, and zeros."""

    tables: frozenset[str]
    application: int  # SQLite's application_id
    version: int  # user_version: of the tables


def marks_of(db: sqlite3.Connection) -> Marks:
    """The marks of an open file.

    Raises:
        sqlite3.Error: it is no database, or cannot be read.
    """
    tables = frozenset(row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type='table'"))
    application, version = (
        db.execute(f"PRAGMA {each}").fetchone()[0] for each in ("application_id", "user_version")
    )
    return Marks(tables, application, version)
