"""Merged dictionary of all segments, and detection of names with the same hash."""

from collections.abc import Iterable, Sequence

from pyibc.indexer.engines import Columns, Engine, columns_of
from pyibc.indexer.problems import Skipped
from pyibc.indexer.segments.numbers import NAME_SCHEMA
from pyibc.indexer.storage.locations import Location

Shared = tuple[str, int, str, str]  # field, hash, and two names with that hash
_NAMES = columns_of(NAME_SCHEMA)
_SHARED: Columns = (*_NAMES[:2], ("one", "string"), ("other", "string"))
_FIND = """
SELECT field, id, min(name) AS one, max(name) AS other FROM every_name
{asked}GROUP BY field, id HAVING min(name) < max(name)
"""
_ASKED = "WHERE (field, id) IN (SELECT field, id FROM new_names)\n"
_MERGED = """
SELECT field, id, CASE WHEN min(name) = max(name) THEN min(name) END AS name FROM (
  SELECT field, id, name FROM some_names
  UNION ALL SELECT field, id, one AS name FROM shared
  UNION ALL SELECT field, id, other AS name FROM shared
) AS every GROUP BY field, id
"""


def shared_names(
    engine: Engine, files: Sequence[Location], new: Sequence[Location] | None = None
) -> list[Shared]:
    """Find names in the dictionaries `files` with the same 64-bit hash.

    An attacker needs about 2^32 attempts for such a collision. With `new`, only the names in these files are
    checked against all others; None checks all.
    """
    if not files or (new is not None and not new):
        return []
    engine.files("every_name", _NAMES, files)
    if new is not None:
        engine.files("new_names", _NAMES, new)
    query = _FIND.format(asked="" if new is None else _ASKED)
    return sorted((field, number, one, other) for field, number, one, other in engine.rows(query))


def merge_names(
    engine: Engine, files: Sequence[Location], shared: Iterable[Shared], folder: Location
) -> None:
    """Merge the dictionaries in `files` into `folder` and register the result with `engine` as `names`.

    Names with the same hash become null.
    """
    if not files:
        engine.table("names", _NAMES, ())
        return
    engine.files("some_names", _NAMES, files)
    engine.table("shared", _SHARED, shared)
    engine.write(_MERGED, folder)
    engine.files("names", _NAMES, [folder])


def collision_notes(shared: Iterable[Shared]) -> list[Skipped]:
    """Describe hash collisions of names for display: the tables show neither name."""
    return [
        Skipped("", f"the {field}s {one!r} and {other!r} have the same hash: neither is shown")
        for field, _, one, other in shared
    ]
