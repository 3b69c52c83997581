"""Strict parsers of packet event attributes: names, numbers, bytes."""

from hashlib import sha256

from pyibc.codec.comet_json import read_hex
from pyibc.core.numbers import parse_u64
from pyibc.indexer.errors import MalformedPacketEvent


def name_in(kind: str, found: dict[str, str], field: str) -> str:
    """Return a required attribute of an event of type `kind`.

    Raises:
        MalformedPacketEvent: the attribute is missing or empty.
    """
    name = found.get(field, "")
    if not name:
        raise MalformedPacketEvent(f"{kind} has no attribute {field}")
    return name


def number_in(kind: str, field: str, spelled: str) -> int:
    """Parse an attribute as an unsigned 64-bit decimal number.

    Raises:
        MalformedPacketEvent: the value is not such a number.
    """
    number = parse_u64(spelled)
    if number is None:
        raise MalformedPacketEvent(f"{field} of {kind} is not a number: {spelled[:32]!r}")
    return number


def octets_in(kind: str, found: dict[str, str], field: str) -> bytes | None:
    """Decode a hexadecimal attribute; None if the event does not have it.

    Raises:
        MalformedPacketEvent: the value is not hexadecimal.
    """
    try:
        return read_hex(found[field]) if field in found else None
    except ValueError:
        raise MalformedPacketEvent(f"{field} of {kind} is not hexadecimal") from None


def digest_of(data: bytes) -> int:
    """Return the first 64 bits of the SHA-256 of `data` as a signed big-endian number."""
    return int.from_bytes(sha256(data).digest()[:8], "big", signed=True)
