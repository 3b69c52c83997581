"""Pushdown of filters on chain and height to the data source.

PySpark is imported only if Spark pushes filters down, which 4.0 does not do.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pyspark.sql.datasource import Filter


class Bounds(NamedTuple):
    """Bounds of the requested chains and heights."""

    chains: frozenset[str] | None = None  # None: all
    first: int = 0
    last: int | None = None  # None: unbounded

    @classmethod
    def of(cls, filters: "Iterable[Filter]") -> "tuple[Bounds, list[Filter]]":
        """Return the combined bounds of `filters`, and the filters that set no bounds."""
        bounds, rest = cls(), list["Filter"]()
        for found in filters:
            narrowed = bounds.narrowed(found)
            if narrowed is None:
                rest.append(found)
            else:
                bounds = narrowed
        return bounds, rest

    def narrowed(self, found: "Filter") -> "Bounds | None":
        """Return these bounds narrowed by a filter; None if the filter is not on chain or height."""
        attribute = getattr(found, "attribute", None)
        if attribute == ("chain",):
            return self._chain(found)
        return self._height(found) if attribute == ("height",) else None

    def admits(self, chain_id: str, height: int) -> bool:
        """Return whether a line is within the bounds."""
        if self.chains is not None and chain_id not in self.chains:
            return False
        return height >= self.first and (self.last is None or height <= self.last)

    def _chain(self, found: "Filter") -> "Bounds | None":
        from pyspark.sql import datasource

        if isinstance(found, datasource.EqualTo):
            names = frozenset({found.value})
        elif isinstance(found, datasource.In):
            names = frozenset(found.value)
        else:
            return None
        return self._replace(chains=names if self.chains is None else self.chains & names)

    def _height(self, found: "Filter") -> "Bounds | None":
        from pyspark.sql import datasource

        if isinstance(found, datasource.EqualTo):
            return self._between(found.value, found.value)
        if isinstance(found, datasource.GreaterThan | datasource.GreaterThanOrEqual):
            return self._between(found.value + isinstance(found, datasource.GreaterThan), None)
        if isinstance(found, datasource.LessThan | datasource.LessThanOrEqual):
            return self._between(0, found.value - isinstance(found, datasource.LessThan))
        return None

    def _between(self, first: int, last: int | None) -> "Bounds":
        known = [end for end in (self.last, last) if end is not None]
        return self._replace(first=max(self.first, first), last=min(known) if known else None)
