"""Formatting of numbers, times and names for display."""

from datetime import datetime, timedelta

LONGEST = 512  # maximum characters of a name in a tooltip or link; users choose the length of names
NONE = "\u2013"  # dash for a missing value
_STEPS = ((86400, "d"), (3600, "h"), (60, "min"))


def count(number: int) -> str:
    """Format a number, as in 1,234,567."""
    return f"{number:,}"


def share(part: int, whole: int) -> str:
    """Format a share in percent with one decimal; a dash if `whole` is 0."""
    return f"{100 * part / whole:.1f}%" if whole else NONE


def duration(seconds: float | None) -> str:
    """Format seconds in a suitable unit; a dash for None."""
    if seconds is None:
        return NONE
    for size, unit in _STEPS:
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s" if seconds >= 10 else f"{seconds:.2f} s"


def moment(micros: int, *, seconds: bool = False) -> str:
    """Format unix microseconds as date and time in UTC, with or without seconds."""
    time = datetime(1970, 1, 1) + timedelta(microseconds=micros)  # noqa: DTZ001 - UTC throughout
    return f"{time:%Y-%m-%d %H:%M:%S}" if seconds else f"{time:%Y-%m-%d %H:%M}"


def amount(digits: object) -> str:
    """Format a sum in the denom's smallest unit; None stands for a sum of more than 38 digits."""
    return f"{int(str(digits)):,}" if digits is not None else "over 10^38"


def short(name: str | None, width: int = 34) -> str:
    """Shorten a name to at most `width` characters by omitting its middle."""
    if name is None:
        return NONE
    if len(name) <= width:
        return name
    tail = (width - 1) // 2
    return f"{name[: width - 1 - tail]}…{name[-tail:]}"


def plain(name: str | None, width: int = 34) -> str:
    """Shorten a name for plots and replace characters other than printable ASCII by question marks."""
    return "".join(c if " " <= c <= "~" or c == "…" else "?" for c in short(name, width))
