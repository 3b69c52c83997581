"""Counters over tables that are computed anew in every round."""

from collections.abc import Hashable, Iterable

Labels = tuple[str, ...]
_KEPT = 1_000  # values of series that have no labels of their own any more, per counter


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

    def update(
        self, name: Hashable, counted: Iterable[tuple[Labels | None, float]]
    ) -> dict[Labels | None, float]:
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


def summed(counted: Iterable[tuple[Labels | None, float]]) -> dict[Labels | None, float]:
    """Sum the values with equal labels."""
    found = dict[Labels | None, float]()
    for labels, value in counted:
        # guard: h115-series-of-the-same-labels-replace-each-other drop:found
        #   test_h115_a_stranger_s_channels_are_one_series_and_nothing_is_lost
        found[labels] = found[labels] + value if labels in found else value
    return found


def _others(before: dict[Labels | None, float], now: dict[Labels | None, float]) -> float:
    """Return how much was counted since the last round, except for keys with own labels in both rounds."""
    own = (before.keys() & now.keys()) - {None}
    return sum(now.values()) - sum(before.values()) - sum(now[key] - before[key] for key in own)
