"""Attributes of packet events: names, numbers, bytes, each refused where it is odd."""

from hashlib import sha256

from ibc_core.comet_json.fields import read_hex
from ibc_core.numbers import parse_u64
from ibc_indexer.errors import MalformedPacketEvent


def name_in(kind: str, found: dict[str, str], field: str) -> str:
    """A name that an event of type `kind` must have.

    Raises:
        MalformedPacketEvent: it is missing or empty.
    """
    name = found.get(field, "")
    if not name:
        raise MalformedPacketEvent(f"{kind} without {field}")
    return name


def number_in(kind: str, field: str, spelled: str) -> int:
    """The unsigned 64-bit number that `field` spells.

    Raises:
        MalformedPacketEvent: it spells none.
    """
    number = parse_u64(spelled)
    if number is None:
        raise MalformedPacketEvent(f"{kind} with {field} {spelled[:32]!r}, which is no number")
    return number


def octets_in(kind: str, found: dict[str, str], field: str) -> bytes | None:
    """The bytes of a field in hexadecimal; None where it is not there.

    Raises:
        MalformedPacketEvent: it is no hexadecimal.
    """
    try:
        return read_hex(found[field]) if field in found else None
    except ValueError:
        raise MalformedPacketEvent(f"{kind} with {field} that is no hex") from None


def digest_of(data: bytes) -> int:
    """64 bits of the SHA-256, as a signed number."""
    return int.from_bytes(sha256(data).digest()[:8], "big", signed=True)
