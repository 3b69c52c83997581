"""The dictionaries of segments as one, and the names in them that share a number."""

from collections.abc import Iterable, Sequence

from ibc_indexer.engines import Columns, Engine, columns_of
from ibc_indexer.scan import Skipped
from ibc_indexer.segments.numbers import NAME_SCHEMA
from ibc_indexer.storage.locations import Location

Shared = tuple[str, int, str, str]  # field, number, and two names that have it
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
    """Names in the dictionaries `files` that share a number (somebody worked for it: 2^32 must be tried).

    `new`: only of the names in these is anything asked; None: of all.
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
    """Merges the dictionaries in `files`; `engine` knows the result, in `folder`, as `names`.

    Names that share a number are shown as nothing.
    """
    if not files:
        engine.table("names", _NAMES, ())
        return
    engine.files("some_names", _NAMES, files)
    engine.table("shared", _SHARED, shared)
    engine.write(_MERGED, folder)
    engine.files("names", _NAMES, [folder])


def told(shared: Iterable[Shared]) -> list[Skipped]:
    """That names are not shown, for people."""
    return [
        Skipped("", f"the {field}s {one!r} and {other!r} share a number: neither is shown")
        for field, _, one, other in shared
    ]
