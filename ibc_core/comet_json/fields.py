"""How CometBFT's JSON spells numbers and bytes: 64 bits as text, hashes in hex, bytes in base64.

What is zero or empty may be null or absent: Go's decoder has it so.
"""

import re
from base64 import b16encode, b64decode, b64encode
from binascii import unhexlify
from typing import Any

from ibc_core.numbers import MAX_I64, MAX_U64

Json = dict[str, Any]
"""An object of a node's answer."""

_INTEGER = re.compile(r"-?[0-9]{1,20}", re.ASCII)


def read_integer(value: object) -> int:
    """A number, printed as text where Go has 64 bits; null and "" are 0.

    Raises:
        ValueError: it is neither a whole number nor the text of one, or has more than 64 bits.
    """
    if value is None or value == "":
        return 0
    number = int(value) if isinstance(value, str) and _INTEGER.fullmatch(value) else value
    if type(number) is not int:
        raise ValueError(f"no whole number: {value!a:.64}")
    if not -MAX_I64 - 1 <= number <= MAX_U64:
        raise ValueError(f"no whole number of 64 bits: {value!a:.64}")
    return number


def read_hex(value: object) -> bytes:
    """Bytes of hexadecimal digits in either case; b"" for null and "".

    Raises:
        ValueError, TypeError: they are no such digits.
    """
    if value is None:
        return b""
    if not isinstance(value, str):
        raise TypeError(f"no hexadecimal digits: {value!a:.64}")
    return unhexlify(value)


def write_hex(data: bytes) -> str:
    """Hashes and addresses, in upper case."""
    return b16encode(data).decode("ascii")


def read_base64(value: object) -> bytes:
    """Bytes in base64; b"" for null and "".

    Raises:
        ValueError, TypeError: it is no base64.
    """
    if value is None:
        return b""
    if not isinstance(value, str):
        raise TypeError(f"no base64: {value!a:.64}")
    return b64decode(value, validate=True)


def write_base64(data: bytes) -> str | None:
    """Bytes; null where there are none, as Go prints a nil slice."""
    return b64encode(data).decode("ascii") if data else None
