"""Numbers and names as people read them."""

from datetime import datetime, timedelta
from html import escape

LONGEST = 512  # characters of a name in a tooltip or a link: whoever makes names chooses how long they are
NONE = "\u2013"  # a dash where there is nothing
_STEPS = ((86400, "d"), (3600, "h"), (60, "min"))


def count(number: int) -> str:
    """1234567 as 1,234,567."""
    return f"{number:,}"


def share(part: int, whole: int) -> str:
    """A part in percent, one decimal; a dash of nothing."""
    return f"{100 * part / whole:.1f}%" if whole else NONE


def duration(seconds: float | None) -> str:
    """Seconds in the unit that suits them; a dash where there are none."""
    if seconds is None:
        return NONE
    for size, unit in _STEPS:
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s" if seconds >= 10 else f"{seconds:.2f} s"


def moment(micros: int, *, seconds: bool = False) -> str:
    """Unix microseconds as a date and time in UTC, in minutes or in seconds."""
    time = datetime(1970, 1, 1) + timedelta(microseconds=micros)  # noqa: DTZ001 - UTC throughout
    return f"{time:%Y-%m-%d %H:%M:%S}" if seconds else f"{time:%Y-%m-%d %H:%M}"


def amount(digits: object) -> str:
    """A sum in the denom's smallest unit; null is a sum that 38 digits do not hold."""
    return f"{int(str(digits)):,}" if digits is not None else "over 10^38"


def short(name: str | None, width: int = 34) -> str:
    """A name of at most `width` characters, its middle left out."""
    if name is None:
        return NONE
    if len(name) <= width:
        return name
    tail = (width - 1) // 2
    return f"{name[: width - 1 - tail]}…{name[-tail:]}"


def clipped(name: str | None, width: int = 34) -> str:
    """HTML of a name, shortened; up to `LONGEST` of it are in its tooltip."""
    # guard: h118-names-of-chains-are-html drop:escape test_h118_hostile_names_are_text
    shown = escape(short(name, width))
    told = escape(short(name, LONGEST))
    return shown if name is None or len(name) <= width else f'<span title="{told}">{shown}</span>'


def plain(name: str | None, width: int = 34) -> str:
    """A name that any font can draw: what is not printable ASCII becomes a question mark."""
    return "".join(c if " " <= c <= "~" or c == "…" else "?" for c in short(name, width))
