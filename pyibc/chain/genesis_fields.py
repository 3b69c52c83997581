"""Validation of the host's genesis sections; errors name the key of the invalid value."""

from collections.abc import Iterator, Mapping
from typing import Any

from pyibc.core.address import Address, AddressCodec
from pyibc.core.errors import InvalidAddress
from pyibc.core.setup_error import InvalidGenesis

Entry = Mapping[str, Any]


def entries(part: Any, name: str, key: str) -> Iterator[tuple[str, Entry]]:
    """Iterate over the objects in the list `name` of a section, each with its key; empty if it is absent.

    Args:
        part: Genesis section.
        name: Name of the list.
        key: Key of the section, for errors.

    Raises:
        InvalidGenesis: the section, the list or an entry has the wrong type.
    """
    if not isinstance(part, Mapping):
        raise InvalidGenesis(key, part, "is not an object")
    listed = part.get(name, [])
    if not isinstance(listed, list | tuple):
        raise InvalidGenesis(f"{key}.{name}", listed, "is not a list")
    for number, entry in enumerate(listed):
        if not isinstance(entry, Mapping):
            raise InvalidGenesis(f"{key}.{name}[{number}]", entry, "is not an object")
        yield f"{key}.{name}[{number}]", entry


def text(entry: Entry, name: str, key: str, default: str | None = None) -> str:
    """Return a string value.

    Raises:
        InvalidGenesis: the value is absent without a default, or not a string.
    """
    found = entry.get(name, default)
    if not isinstance(found, str):
        raise InvalidGenesis(f"{key}.{name}", found, "is not a string")
    return found


def address(entry: Entry, key: str, addresses: AddressCodec) -> Address:
    """Return the entry's `address`.

    Raises:
        InvalidGenesis: the value is not an address of this chain.
    """
    found = text(entry, "address", key)
    try:
        return addresses.decode(found, "address")
    except InvalidAddress:
        raise InvalidGenesis(f"{key}.address", found, "is not an address of this chain") from None


def number(entry: Entry, name: str, key: str, limit: int) -> int:
    """Return an integer from 0 to `limit`; 0 if absent.

    Raises:
        InvalidGenesis: the value is not an integer, or out of range.
    """
    found = entry.get(name, 0)
    if isinstance(found, bool) or not isinstance(found, int) or not 0 <= found <= limit:
        raise InvalidGenesis(f"{key}.{name}", found, f"is not an integer from 0 to {limit}")
    return found
