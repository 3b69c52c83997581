"""File of a daemon's configuration in TOML.

Checks are strict: an unknown key, a wrong type, or a path to an unknown chain is refused, so that a mistyped
option never passes silently. All mistakes of a file are told at once, each with its line and key.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from pyibc.relayer.config.model import ChainConfig, Config, DaemonConfig, KeyConfig, PathConfig, SecretConfig
from pyibc.relayer.config.rules import Mistake, Place, mistakes_of
from pyibc.relayer.errors import PriceRefused, WrongConfiguration
from pyibc.relayer.money.fees import read_decimal

MAX_BYTES = 1 << 20
MAX_LISTED = 10
"""Maximum number of mistakes that are listed."""
MAX_READ = 2 << 20
"""Maximum number of characters that are read again to find the lines of mistakes."""

MoreMistakes = Callable[[Config], Iterable[Mistake]]
"""Yields mistakes that are not visible in the file alone, such as keys that cannot be read."""

_T = TypeVar("_T", bound=msgspec.Struct)
_S = TypeVar("_S", bound=SecretConfig)
_ARRAYS: dict[str, type[msgspec.Struct]] = {"chains": ChainConfig, "paths": PathConfig}
_MESSAGE = re.compile(r"(.*?)(?: - at `\$(.*)`)?", re.DOTALL)  # of msgspec
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_STEP = re.compile(r"\.([\w-]+)|\[(\d+)\]")


def read_config(file: Path, more: MoreMistakes = lambda _: ()) -> Config:
    """Read and check a configuration; `more` looks for further mistakes if there are none in the file itself.

    Raises:
        WrongConfiguration: the file cannot be read, or has mistakes, which are listed with lines and keys.
    """
    try:
        text = _text(file)
        given = tomllib.loads(text, parse_float=Decimal)  # exact, as it is written
    except OSError as error:
        raise WrongConfiguration(str(file), error.strerror or str(error)) from error
    except (ValueError, RecursionError) as error:  # tomllib's and Unicode's errors are ValueErrors
        raise WrongConfiguration(str(file), str(error)) from error
    found, numbers, mistakes = _converted(given)
    config = _beside(file.parent, found)
    mistakes += (_renumbered(each, numbers) for each in mistakes_of(config, _ids(given)))
    if not mistakes:
        mistakes += islice(more(config), MAX_LISTED + 1)
    if mistakes:
        raise WrongConfiguration(str(file), _listed(text, given, mistakes))
    return config


def _text(file: Path) -> str:
    with file.open("rb") as opened:
        raw = opened.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise ValueError(f"has more than {MAX_BYTES} bytes")
    return raw.decode()


def toml_text(value: object) -> str:
    """Return a basic string of TOML: JSON's strings, except that TOML requires an escape of DEL."""
    return json.dumps(str(value)).replace("\x7f", "\\u007F")


# -- conversion: each table by itself, so that a mistake in one does not hide those in others


def _converted(given: Mapping[str, Any]) -> tuple[Config, dict[str, list[int]], list[Mistake]]:
    """Return the tables that can be read, their numbers in the file, and the mistakes in the others."""
    mistakes = [
        Mistake((name,), "unknown key: remove it, or correct its name")
        for name in given
        if name not in {"relayer", *_ARRAYS}
    ]
    read: dict[str, list[Any]] = {name: [] for name in _ARRAYS}
    numbers: dict[str, list[int]] = {name: [] for name in _ARRAYS}
    for name, kind in _ARRAYS.items():
        tables = given.get(name)
        if not isinstance(tables, list):
            what = "there are none" if tables is None else "not an array of tables"
            mistakes.append(Mistake((name,), f"{what}: write each one under [[{name}]]"))
            continue
        for number, table in enumerate(tables):
            found = _table(table, kind, (name, number), mistakes)
            read[name] += found
            numbers[name] += [number] * len(found)
    relayer = _table(given.get("relayer", {}), DaemonConfig, ("relayer",), mistakes) or [DaemonConfig()]
    chains, paths = (tuple(read[name]) for name in _ARRAYS)
    return Config(relayer=relayer[0], chains=chains, paths=paths), numbers, mistakes


def _renumbered(mistake: Mistake, numbers: Mapping[str, list[int]]) -> Mistake:
    """Return a mistake in one of the tables that could be read with the table's number in the file."""
    match mistake.at:
        case (str(name), int(number), *inner) if name in numbers:
            return mistake._replace(at=(name, numbers[name][number], *inner))
    return mistake


def _table(given: object, kind: type[_T], at: Place, mistakes: list[Mistake]) -> list[_T]:
    """Return the table, or none and add its first mistake."""
    try:
        return [msgspec.convert(given, kind, dec_hook=_read)]
    except (msgspec.ValidationError, RecursionError) as error:
        mistakes.append(_mistake(str(error), at))
        return []


def _mistake(message: str, at: Place) -> Mistake:
    found = _MESSAGE.fullmatch(message)
    text, inner = (message, "") if found is None else (found[1], found[2] or "")
    place = (*at, *(name or int(number) for name, number in _STEP.findall(inner)))
    unknown = _UNKNOWN.fullmatch(text)
    if unknown is not None:
        return Mistake((*place, unknown[1]), "unknown key: remove it, or correct its name")
    return Mistake(place, text)


def _read(kind: type, given: object) -> object:
    """Read a value of a type that TOML does not have."""
    if kind is not Fraction:
        raise NotImplementedError(kind)
    return exact(given)


def exact(given: object) -> Fraction:
    """Return a decimal number, given as a number or in quotation marks, without rounding.

    Raises:
        ValueError: it is something else, is negative, or has too many digits.
    """
    text = given if isinstance(given, str) else ""
    if isinstance(given, int) and not isinstance(given, bool) and given < 10**30:
        text = str(given)
    # The exponent is bounded before all digits are written out.
    if isinstance(given, Decimal) and given.is_finite() and _exponent(given) >= -18 and given.adjusted() < 30:
        # guard: a-price-through-a-float {f"{given:f}" => f"{float(given):.18f}"}
        #   test_numbers_are_accepted_as_numbers_and_exact
        text = f"{given:f}"
    try:
        return read_decimal(text)
    except PriceRefused:
        shown = str(given)[:64]
        raise ValueError(
            f"{shown!r} is not a decimal number: write one from 0 on, up to 18 places, like 0.025"
        ) from None


def _exponent(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return exponent if isinstance(exponent, int) else 0


def _ids(given: Mapping[str, Any]) -> set[str]:
    """Return the ids of all chains, also of those with mistakes."""
    chains = given.get("chains")
    tables = [each for each in chains if isinstance(each, dict)] if isinstance(chains, list) else []
    return {each["id"] for each in tables if isinstance(each.get("id"), str)}


def _beside(folder: Path, config: Config) -> Config:
    """Resolve file names relative to the configuration's folder."""
    chains = [
        replace(
            chain,
            ca_file=chain.ca_file and str(folder / chain.ca_file),
            key=None if chain.key is None else _key_beside(folder, chain.key),
            keys=tuple(_key_beside(folder, key) for key in chain.keys),
        )
        for chain in config.chains
    ]
    files = {name: str(folder / getattr(config.relayer, name)) for name in ("journal", "ledger")}
    if config.relayer.locks:
        files["locks"] = str(folder / config.relayer.locks)
    return replace(config, chains=tuple(chains), relayer=replace(config.relayer, **files))


def _key_beside(folder: Path, key: KeyConfig) -> KeyConfig:
    passphrase = key.passphrase and _secret_beside(folder, key.passphrase)
    return replace(_secret_beside(folder, key), passphrase=passphrase)


def _secret_beside(folder: Path, secret: _S) -> _S:
    return secret if secret.file is None else replace(secret, file=str(folder / secret.file))


# -- lines and keys of mistakes


def _listed(text: str, given: Mapping[str, Any], mistakes: list[Mistake]) -> str:
    """Return one sentence per mistake, by line."""
    place = _Lines(text, given)
    placed = sorted({(place.of(each.at), _sentence(given, each)) for each in mistakes[:MAX_LISTED]})
    lines = [f"line {line}: {sentence}" if line else sentence for line, sentence in placed]
    if len(mistakes) > MAX_LISTED:
        lines.append("and more: correct these first")
    return lines[0] if len(lines) == 1 else "".join(f"\n  {each}" for each in lines)


def _sentence(given: Mapping[str, Any], mistake: Mistake) -> str:
    name, *inner = mistake.at or ("",)
    what = str(name)
    if inner and name in _ARRAYS:
        number, *inner = inner
        table = given[str(name)][number]
        label = table.get("id" if name == "chains" else "name") if isinstance(table, dict) else None
        what = f"{str(name)[:-1]} {label if isinstance(label, str) else int(number) + 1}"
    keys = "".join(f"[{each}]" if isinstance(each, int) else f".{each}" for each in inner)
    where = f"{what}, {keys.removeprefix('.')}" if keys and name in _ARRAYS else f"{what}{keys}"
    return f"{where}: {mistake.text}" if where else mistake.text


class _Lines:
    """Lines of a file's values.

    A value's line is the one after the longest readable beginning of the file in which it does not appear, so
    that no other grammar than tomllib's decides.
    """

    def __init__(self, text: str, whole: Mapping[str, Any]) -> None:
        self._whole = whole
        self._lines = text.split("\n")
        self._left = MAX_READ

    def of(self, at: Place) -> int:
        """Return the first line of the value at `at`, or of the innermost that contains it; 0: unknown."""
        while at and not _has(self._whole, at):
            at = at[:-1]
        low, high = 0, len(self._lines)
        while at and high - low > 1:
            middle = (low + high) // 2
            end, found = self._readable(middle, high)
            if end == high:
                high = middle
            elif _has(found, at):
                high = middle  # nothing from there to `end` is readable
            else:
                low = end
            if self._left < 0:
                return 0
        return low + 1 if at else 0

    def _readable(self, first: int, high: int) -> tuple[int, object]:
        """Return the shortest readable beginning of `first` lines or more, below `high`."""
        for end in range(first, high):
            beginning = "\n".join(self._lines[:end])
            self._left -= len(beginning)
            if self._left < 0:
                break
            try:
                return end, tomllib.loads(beginning)
            except (ValueError, RecursionError):
                continue
        return high, None


def _has(table: object, at: Place) -> bool:
    for step in at:
        try:
            table = table[step]  # type: ignore[index]
        except (KeyError, IndexError, TypeError):
            return False
    return True
