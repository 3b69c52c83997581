"""Options of the report: its time window, and the assets whose amounts it shows in display units."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from pyibc.indexer.packet_table import Tip
from pyibc.indexer.report.assets import NO_ASSETS, Assets
from pyibc.indexer.words import moment

_DURATION = re.compile(r"(\d{1,6})(w|d|h|min|s)", re.ASCII)
_UNITS = {
    "w": ("week", timedelta(weeks=1)),
    "d": ("day", timedelta(days=1)),
    "h": ("hour", timedelta(hours=1)),
    "min": ("minute", timedelta(minutes=1)),
    "s": ("second", timedelta(seconds=1)),
}
_MICROSECOND = timedelta(microseconds=1)
_AHEAD = timedelta(days=1) // _MICROSECOND
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Since(NamedTuple):
    """Beginning of the time window: a duration before the end of the data, or a moment.

    Without both, the window has everything.
    """

    text: str = "everything"  # as shown in the report
    duration: int | None = None  # microseconds
    moment: int | None = None  # unix microseconds

    def start(self, end: int | None) -> int | None:
        """Return the first moment of the window in unix microseconds; None: everything.

        `end` is the time of the last block. A duration without it has everything.
        """
        if self.moment is not None:
            return self.moment
        return None if self.duration is None or end is None else end - self.duration


def since(text: str) -> Since:
    """Parse `all`, a duration such as `7d`, `12h`, `30min`, or a date or time in ISO 8601 (UTC unless told).

    Raises:
        ValueError: it is none of them.
    """
    if text == "all":
        return Since()
    found = _DURATION.fullmatch(text)
    if found and int(found[1]):
        name, unit = _UNITS[found[2]]
        number = int(found[1])
        shown = f"the last {name}" if number == 1 else f"the last {number:,} {name}s"
        return Since(f"{shown} of the data", duration=number * unit // _MICROSECOND)
    try:
        time = datetime.fromisoformat(text)
        micros = ((time if time.tzinfo else time.replace(tzinfo=UTC)) - _EPOCH) // _MICROSECOND
        return Since(f"since {moment(micros)} UTC", moment=micros)
    except (ValueError, OverflowError):  # in UTC, a time may be before the year 1 or after 9999
        raise ValueError(f"{text!r} is not all, a duration such as 7d, 12h or 30min, or a date") from None


LAST_DAY = since("1d")


class ReportOptions(NamedTuple):
    """Options of the report."""

    since: Since = LAST_DAY
    assets: Assets = NO_ASSETS


DEFAULT_OPTIONS = ReportOptions()


def data_end(tips: Iterable[Tip], now: int) -> int | None:
    """Return the time of the last block of all chains, in unix microseconds; None if no block has one.

    A chain that is more than a day ahead of `now` has a wrong clock, and counts only if all are.
    """
    times = [tip.time_ns // 1000 for tip in tips if tip.time_ns is not None]
    right = [time for time in times if time <= now + _AHEAD]
    return max(right or times, default=None)
