"""Conversion between a list of the genesis and the store's entries, both ways."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from google.protobuf.message import DecodeError, Message

from ibc_core.errors import IbcError
from ibc_core.genesis.entries import InvalidGenesis
from ibc_core.numbers import be8
from ibc_core.wire.encoding import encode

Entry = tuple[bytes, bytes]
"""Key and value in a store."""


class Section(NamedTuple):
    """One list of items, or one value, of a genesis state."""

    part: str  # `channel_genesis`
    field: str  # `receipts`
    read: Callable[[bytes, bytes], Message | int | str | None]
    """An entry as an item; None: not of this section. Raises DecodeError, as `item` knows."""
    entries: Callable[[Any], Iterable[Entry]]
    """The entries that an item stands for."""
    inner: str = ""
    """Where items of one client are one item: the field with the list that they share."""

    def item(self, key: bytes, value: bytes) -> Message | int | str | None:
        """The entry as an item; None if the item would not give exactly this entry again."""
        try:
            found = self.read(key, value)
        except (DecodeError, IbcError, ValueError):
            return None
        return found if found is not None and list(self.entries(found)) == [(key, value)] else None


def counter(part: str, field: str, at: bytes) -> Section:
    """The section of a number in eight bytes, the one entry with the key `at`."""

    def read(key: bytes, value: bytes) -> int | None:
        return int.from_bytes(value, "big") if key == at and len(value) == 8 else None

    return Section(part, field, read, lambda number: [(at, be8(number))])


def single(part: str, field: str, at: bytes, kind: type[Message]) -> Section:
    """The section of a message of class `kind`, the one entry with the key `at`."""

    def read(key: bytes, value: bytes) -> Message | None:
        return kind.FromString(value) if key == at else None

    return Section(part, field, read, lambda message: [(at, encode(message))])


def require(check: Callable[[Any], object], got: Any, key: str) -> None:
    """Runs a check of the value that `key` names.

    Raises:
        InvalidGenesis: the check raised IbcError.
    """
    try:
        check(got)
    except IbcError as error:
        raise InvalidGenesis(key, got, f"is refused: {error}") from error


def require_new(name: Any, seen: set[Any], key: str) -> None:
    """Checks that `name` comes once.

    Raises:
        InvalidGenesis: it is in `seen`, which then stays as it is.
    """
    if name in seen:
        raise InvalidGenesis(key, name, "comes twice")
    seen.add(name)


def require_next(number: int, used: Iterable[int], key: str) -> None:
    """Checks that a counter is beyond every number that was taken from it.

    Raises:
        InvalidGenesis: the next identifier would be one that is there.
    """
    largest = max(used, default=-1)
    if number <= largest:
        raise InvalidGenesis(key, number, f"is not beyond {largest}, which is in use")
