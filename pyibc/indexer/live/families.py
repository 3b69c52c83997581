"""Metric families with a bounded number of series, and counters that never fall.

Any user can open channels and clients: only the first rows of a list, those with the most packets, have
labels of their own, and the others share one series with `other` in every label. Counters are over tables
that are computed anew in every round.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import accumulate
from operator import add
from typing import Any

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric

from pyibc.indexer.report.words import short
from pyibc.indexer.results.hours import BOUNDS_S

Labels = tuple[str, ...]
Counted = Iterable[tuple[Labels | None, float]]
"""Values by labels; None: the series `other`."""
_KEPT = 1_000  # values of series that have no labels of their own any more, per counter

OTHER = "other"
LONGEST = 128  # maximum characters of a label's value
OTHERS_SINCE_START = "`other` counts since the start of the program."

Row = Any  # a tuple with the query's column names as fields
Rows = Sequence[tuple[Labels | None, Row]]
"""Rows with their label values; None: the row belongs to the series `other`."""


class Counters:
    """Counter values that never fall while the program runs.

    A series with labels of its own has the value of the tables, and keeps it if a later round counts less,
    also while it has no labels of its own. The series of all others counts from 0 since the start of the
    program: keys that get or lose labels of their own change what the tables have for the others, but nothing
    happened then. What a round counts less is not counted again when it is back.
    """

    def __init__(self) -> None:
        self._counted: dict[Hashable, dict[Labels | None, float]] = {}  # as in the last round
        self._values: dict[Hashable, dict[Labels | None, float]] = {}  # the series that left first
        self._lacking: dict[Hashable, float] = {}  # what rounds have counted less of the others

    def update(self, name: Hashable, counted: Counted) -> dict[Labels | None, float]:
        """Set what a round has counted for the counter `name`; return the values.

        Args:
            name: identifies the counter.
            counted: by labels, None for all others; equal labels are summed.
        """
        now = summed(counted)
        before, values = self._counted.get(name), self._values.get(name, {})
        found = {labels: max(value, values.get(labels, 0.0)) for labels, value in now.items()}
        if None in now or None in values:
            more = _others(before, now) - self._lacking.get(name, 0.0) if before is not None else 0.0
            found[None] = values.get(None, 0.0) + max(0.0, more)
            self._lacking[name] = max(0.0, -more)
        gone = [(labels, value) for labels, value in values.items() if labels not in found]
        self._counted[name], self._values[name] = now, dict(gone[-_KEPT:]) | found
        return found

    def counter(
        self,
        name: str,
        text: str,
        names: Sequence[str],
        parts: Mapping[Labels, Counted],
        more: Sequence[str] = (),
    ) -> Metric:
        """Build a family of counters, named without the suffix `_total`.

        Args:
            name: of the family.
            text: help text.
            names: labels whose values can be `other`.
            parts: values by labels, by the values of the labels `more`.
            more: labels with few values, which `other` has, too.
        """
        family = CounterMetricFamily(name, text, labels=(*names, *more))
        for part, counted in parts.items():
            for labels, value in self.update((name, part), counted).items():
                family.add_metric((*_shown(labels, names), *part), value)
        return family

    def histogram(
        self,
        name: str,
        text: str,
        names: Sequence[str],
        parts: Mapping[Labels, Sequence[Counted]],
        more: Sequence[str],
    ) -> Metric:
        """Build a family of histograms of latencies, as `counter`; series without any latency are left out.

        The values of a part are the counts of each bucket, and the sum of seconds last.
        """
        family = HistogramMetricFamily(name, text, labels=(*names, *more))
        bounds = (*map(str, map(float, BOUNDS_S)), "+Inf")
        for part, columns in parts.items():
            found = [self.update((name, part, place), column) for place, column in enumerate(columns)]
            for labels in found[-1]:
                counts, total = [column.get(labels, 0.0) for column in found[:-1]], found[-1][labels]
                if any(counts):
                    buckets = list(zip(bounds, accumulate(counts), strict=True))
                    family.add_metric((*_shown(labels, names), *part), buckets, total)
        return family


def summed(counted: Counted, together: Callable[[float, float], float] = add) -> dict[Labels | None, float]:
    """Sum the values with equal labels, or combine them by `together`."""
    found = dict[Labels | None, float]()
    for labels, value in counted:
        # guard: h115-series-of-the-same-labels-replace-each-other drop:found
        #   test_h115_a_stranger_s_channels_are_one_series_and_nothing_is_lost
        found[labels] = together(found[labels], value) if labels in found else value
    return found


def _others(before: dict[Labels | None, float], now: dict[Labels | None, float]) -> float:
    """Return how much was counted since the last round, except for keys with own labels in both rounds."""
    own = (before.keys() & now.keys()) - {None}
    return sum(now.values()) - sum(before.values()) - sum(now[key] - before[key] for key in own)


def labelled(rows: Iterable[Row], names: Sequence[str], listed: int) -> Rows:
    """Return rows with their label values, None after the first `listed` different ones."""
    places, found = dict[Labels | None, int](), list[tuple[Labels | None, Row]]()
    for row in rows:
        labels = own_labels(row, names)
        place = places.setdefault(labels, len(places))
        # guard: h115-every-client-has-labels-of-its-own {listed => 10 ** 9}
        #   test_h115_a_stranger_s_clients_are_one_series
        found.append((labels if place < listed else None, row))
    return found


def own_labels(row: Row, names: Sequence[str]) -> Labels | None:
    """Return the label values of a row; None if they are those of the series `other`."""
    labels = tuple(short(getattr(row, name) or "", LONGEST) for name in names)
    return None if set(labels) == {OTHER} else labels


def gauge(
    name: str,
    text: str,
    names: Sequence[str],
    values: Iterable[tuple[Labels | None, float | None]],
    together: Callable[[float, float], float] = add,
) -> Metric:
    """Build a family of gauges; values of equal labels are summed, or combined by `together`.

    A value of None is left out.
    """
    known = ((labels, float(value)) for labels, value in values if value is not None)
    family = GaugeMetricFamily(name, text, labels=names)
    for labels, value in summed(known, together).items():
        family.add_metric(_shown(labels, names), value)
    return family


def states(name: str, text: str, names: Sequence[str], values: Mapping[str, Counted]) -> Metric:
    """Build a family of gauges with the label `state`, from the values of each state."""
    found = [
        ((*_shown(labels, names), state), value)
        for state, counted in values.items()
        for labels, value in counted
    ]
    return gauge(name, text, (*names, "state"), found)


def _shown(labels: Labels | None, names: Sequence[str]) -> Labels:
    return (OTHER,) * len(names) if labels is None else labels
