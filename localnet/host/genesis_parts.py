"""The host's own parts of a genesis, read value by value: what is wrong is named by its key."""

from collections.abc import Iterator, Mapping
from typing import Any

from ibc_core.address import Address, AddressCodec
from ibc_core.errors import InvalidAddress
from ibc_core.genesis.entries import InvalidGenesis

Entry = Mapping[str, Any]


def entries(part: Any, name: str, key: str) -> Iterator[tuple[str, Entry]]:
    """The objects in the list `name` of a part, each with its key; none where the list is absent.

    Args:
        part: What stands at `key`.
        name: Of the list.
        key: Of the part, as errors name it.

    Raises:
        InvalidGenesis: the part, the list or one of its entries is of another form.
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
    """A text.

    Raises:
        InvalidGenesis: it is absent and there is no default, or it is none.
    """
    found = entry.get(name, default)
    if not isinstance(found, str):
        raise InvalidGenesis(f"{key}.{name}", found, "is not a text")
    return found


def address(entry: Entry, key: str, addresses: AddressCodec) -> Address:
    """The entry's `address`.

    Raises:
        InvalidGenesis: it is none of this chain.
    """
    found = text(entry, "address", key)
    try:
        return addresses.decode(found, "address")
    except InvalidAddress:
        raise InvalidGenesis(f"{key}.address", found, "is no address of this chain") from None


def number(entry: Entry, name: str, key: str, limit: int) -> int:
    """A number from 0 to `limit`, 0 where it is absent.

    Raises:
        InvalidGenesis: it is none.
    """
    found = entry.get(name, 0)
    if isinstance(found, bool) or not isinstance(found, int) or not 0 <= found <= limit:
        raise InvalidGenesis(f"{key}.{name}", found, f"is no number from 0 to {limit}")
    return found
