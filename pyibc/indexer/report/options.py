"""Options of the report: its time window, and the assets whose amounts it shows in display units.

Assets are in the format of the Cosmos chain registry (`assetlist.json`). A list belongs to the chain whose
`chain.json` is beside it, as in the registry. Without that file it applies to every chain. Amounts are exact:
they are shifted as digits, never converted to floats.
"""

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from os import PathLike
from pathlib import Path
from typing import Annotated, NamedTuple, TypeVar

import msgspec
from msgspec import Meta, Struct

from pyibc.apps.transfer.packet_data import parse_denom
from pyibc.indexer.chains.progress import Tip
from pyibc.indexer.errors import MalformedAssets
from pyibc.indexer.report.words import moment

MAX_BYTES = 32 << 20
"""Bytes of a file; the largest list of the chain registry has 2 MB."""
MAX_FILES = 2_000
MAX_ASSETS = 200_000
"""Assets in all files."""
MAX_EXPONENT = 77
"""Digits of 2^256, the largest amount of ICS-20."""
_NAME = 128
_File = TypeVar("_File", bound=Struct)
_Name = Annotated[str, Meta(min_length=1, max_length=512)]

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


class _Unit(Struct):
    denom: _Name
    exponent: Annotated[int, Meta(ge=0, le=MAX_EXPONENT)] = 0


class _Asset(Struct):
    base: _Name
    denom_units: Annotated[list[_Unit], Meta(max_length=64)]
    display: str = ""
    symbol: Annotated[str, Meta(max_length=_NAME)] = ""


class _AssetList(Struct):
    assets: list[_Asset]


class _Chain(Struct):
    chain_id: _Name


class Asset(NamedTuple):
    """Display unit of a denom."""

    symbol: str
    exponent: int

    def shown(self, amount: int) -> str:
        """Format an amount in base units, as in `1,234.5 ATOM`."""
        digits = str(abs(amount)).rjust(self.exponent + 1, "0")
        whole = digits[: len(digits) - self.exponent]
        part = digits[len(digits) - self.exponent :].rstrip("0")
        sign = "-" if amount < 0 else ""
        return f"{sign}{int(whole):,}{'.' if part else ''}{part} {self.symbol}"


class Assets:
    """Assets by chain and denom."""

    def __init__(self, entries: Iterable[tuple[str, str, Asset]] = ()) -> None:
        """Collect entries: chain id (empty: any chain), base denom, asset.

        A denom to which lists of one chain, or lists without a chain, give different units has none.
        """
        self._found = dict[tuple[str, str], Asset | None]()
        for chain, base, asset in entries:
            self._found[chain, base] = asset if self._found.get((chain, base), asset) == asset else None

    def find(self, chain: str | None, denom: str | None) -> Asset | None:
        """Return the asset of a denom, as a packet names it, on the chain that sends it.

        The list of a chain knows vouchers by their hash: anybody may call a coin `uatom`. A list without a
        chain knows them by their base.
        """
        if denom is None:
            return None
        parsed = parse_denom(denom)
        for place in ((chain or "", parsed.coin_denom), ("", parsed.coin_denom), ("", parsed.base)):
            if place in self._found:
                return self._found[place]
        return None

    def __bool__(self) -> bool:
        return bool(self._found)


NO_ASSETS = Assets()


def read_assets(paths: Iterable[PathLike[str]]) -> Assets:
    """Read asset lists: files, or folders with files `assetlist.json`, searched recursively.

    Raises:
        MalformedAssets: a file cannot be read, is too large or has another structure; a folder has no list.
    """
    entries = list[tuple[str, str, Asset]]()
    for path in _files(paths):
        beside = path.parent / "chain.json"
        chain = _read(beside, _Chain).chain_id if beside.is_file() else ""
        entries += [
            (chain, asset.base, unit) for asset in _read(path, _AssetList).assets if (unit := _unit(asset))
        ]
        if len(entries) > MAX_ASSETS:
            raise MalformedAssets(str(path), f"more than {MAX_ASSETS:,} assets")
    return Assets(entries)


def _files(paths: Iterable[PathLike[str]]) -> list[Path]:
    found = list[Path]()
    for given in map(Path, paths):
        inside = sorted(given.rglob("assetlist.json")) if given.is_dir() else [given]
        if not inside:
            raise MalformedAssets(str(given), "there is no assetlist.json in it")
        found += inside
        if len(found) > MAX_FILES:
            raise MalformedAssets(str(given), f"more than {MAX_FILES:,} lists")
    return list(dict.fromkeys(found))


def _read(path: Path, kind: type[_File]) -> _File:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise MalformedAssets(str(path), error.strerror or str(error)) from None
    if len(data) > MAX_BYTES:
        raise MalformedAssets(str(path), f"more than {MAX_BYTES:,} bytes")
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise MalformedAssets(str(path), str(error)) from None


def _unit(asset: _Asset) -> Asset | None:
    """Return the display unit; None if the list does not say how large it is, or says it in two ways."""
    exponents = {unit.exponent for unit in asset.denom_units if unit.denom == asset.display}
    if len(exponents) != 1:
        return None
    return Asset(asset.symbol or asset.display[:_NAME], exponents.pop())


class Since(NamedTuple):
    """Beginning of the time window: a duration before the end of the data, or a moment.

    Without both, the window has everything.
    """

    text: str = "all data"  # as shown in the report
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


EVERYTHING, LAST_DAY = Since(), since("1d")


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
