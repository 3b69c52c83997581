"""Scalars of CometBFT's JSON: 64-bit integers as text, hashes in hexadecimal, bytes in base64.

Zero and empty values may be null or absent, as in Go's decoder.
"""

import re
from base64 import b16encode, b64decode, b64encode
from binascii import unhexlify
from typing import Any

from pyibc.core.numbers import MAX_I64, MAX_U64

Json = dict[str, Any]
"""A JSON object of a node's response."""

_INTEGER = re.compile(r"-?[0-9]{1,20}", re.ASCII)


def read_integer(value: object) -> int:
    """Return an integer, which is text for Go's 64-bit types; null and "" are 0.

    Raises:
        ValueError: the value is no integer or text of one, or has more than 64 bits.
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
    """Return bytes from hexadecimal of either case; b"" for null and "".

    Raises:
        ValueError, TypeError: the value is not hexadecimal.
    """
    if value is None:
        return b""
    if not isinstance(value, str):
        raise TypeError(f"no hexadecimal digits: {value!a:.64}")
    return unhexlify(value)


def write_hex(data: bytes) -> str:
    """Return bytes as upper-case hexadecimal, for hashes and addresses."""
    return b16encode(data).decode("ascii")


def read_base64(value: object) -> bytes:
    """Return bytes from base64; b"" for null and "".

    Raises:
        ValueError, TypeError: the value is not base64.
    """
    if value is None:
        return b""
    if not isinstance(value, str):
        raise TypeError(f"no base64: {value!a:.64}")
    return b64decode(value, validate=True)


def write_base64(data: bytes) -> str | None:
    """Return bytes as base64; None for empty bytes, as Go prints a nil slice."""
    return b64encode(data).decode("ascii") if data else None
