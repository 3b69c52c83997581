"""The dictionaries of all segments as one."""

from collections.abc import Sequence
from pathlib import Path

from ibc_indexer.engines import Engine, columns_of
from ibc_indexer.scan import Skipped
from ibc_indexer.segments.numbers import NAME_SCHEMA

_MERGED = """
SELECT field, id, CASE WHEN min(name) = max(name) THEN min(name) END AS name,
  min(name) AS one, max(name) AS other
FROM sealed_names GROUP BY field, id
"""
_COLUMNS = (*columns_of(NAME_SCHEMA), ("one", "string"), ("other", "string"))


def merge_names(engine: Engine, files: Sequence[Path], folder: Path) -> list[Skipped]:
    """Merges the dictionaries in `files`; `engine` knows the result, in `folder`, as `names`.

    Names that share a number (somebody worked for it: 2^32 names must be tried) are shown as nothing, and
    that is said.
    """
    if not files:
        engine.table("names", _COLUMNS, ())
        return []
    engine.files("sealed_names", columns_of(NAME_SCHEMA), files)
    engine.write(_MERGED, folder)
    engine.files("names", _COLUMNS, [folder])
    shared = engine.rows("SELECT field, one, other FROM names WHERE name IS NULL")
    return [
        Skipped("", f"the {field}s {one!r} and {other!r} share a number: neither is shown")
        for field, one, other in shared
    ]
