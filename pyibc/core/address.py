"""Bech32 account addresses (BIP-173, with the Cosmos SDK's length limit), decoded with lookup tables.

The checksum is linear: it is the exclusive or of one table entry per character. A 20-byte address is thus
decoded in a few microseconds, without a cache of addresses.
"""

import re
from base64 import b32encode
from functools import lru_cache, reduce
from hashlib import sha256
from operator import getitem, xor
from typing import NamedTuple

from pyibc.core.errors import InvalidAddress, LogicFault
from pyibc.core.value import sealed

PREFIX = r"\A[!-@\[-~]{1,83}\Z"
"""Pattern of a human-readable part (BIP-173), in lower case."""

_CHARSET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_BASE32 = b"0123456789abcdefghijklmnopqrstuv"
_TO_DIGITS = bytes([(_BASE32 + b"!")[_CHARSET.find(chr(byte))] for byte in range(256)])
"""Translation of a bech32 character to its base-32 digit; other bytes become an invalid digit."""
_FROM_BASE32 = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", _CHARSET.encode())
_VALUES = {character: number for number, character in enumerate(_CHARSET)}
_MAX_LENGTH = 1023
_MAX_SIZE = 255
"""Maximum length of an address in bytes: the SDK's `MaxAddrLen`."""
_MAX_CHARACTERS = 414
"""Maximum number of characters after the prefix, checksum included."""
_TABLE_LENGTH = 120  # characters: enough for addresses of up to 64 bytes, and account addresses are shorter
_GENERATORS = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)


def _step(state: int, symbol: int) -> int:
    top = state >> 25
    state = (state & 0x1FFFFFF) << 5 ^ symbol
    for bit, generator in enumerate(_GENERATORS):
        if top >> bit & 1:
            state ^= generator
    return state


def _make_tables() -> tuple[dict[str, int], ...]:
    """Return one table per distance from the end: character -> its contribution to the final checksum."""
    row = dict(_VALUES)
    rows = []
    for _ in range(_TABLE_LENGTH):
        rows.append(row)
        row = {character: _step(state, 0) for character, state in row.items()}
    return tuple(rows)


_TABLES = _make_tables()


_TABLES_FOR = tuple(_TABLES[:count][::-1] for count in range(_TABLE_LENGTH + 1))
"""Tables in reading order, by length of the text."""


@lru_cache(64)
def _start_state(prefix: str, symbols: int) -> int:
    """Return the checksum state after the prefix and `symbols` zeros."""
    state = 1
    for part in ([ord(c) >> 5 for c in prefix], [0], [ord(c) & 31 for c in prefix], [0] * symbols):
        for symbol in part:
            state = _step(state, symbol)
    return state


def _checksum_state(prefix: str, text: str) -> int:
    """Return the checksum state of a text of bech32 characters."""
    if len(text) > _TABLE_LENGTH:
        return reduce(_step, [_VALUES[character] for character in text], _start_state(prefix, 0))
    return reduce(xor, map(getitem, _TABLES_FOR[len(text)], text), _start_state(prefix, len(text)))


def is_prefix(text: str) -> bool:
    """Return whether a text is a valid human-readable part."""
    return re.match(PREFIX, text) is not None


@sealed
class Address(NamedTuple):
    """An account address: its bytes and its bech32 text on this chain."""

    raw: bytes
    text: str


class AddressCodec:
    """Bech32 addresses with one chain's prefix (`cosmos`, `py`, ...).

    All parts of a chain share one codec and its caches. Only arguments of the exact types `bytes` and `str`
    are cached: a subclass with its own `__eq__` could otherwise be taken for another address.
    """

    __slots__ = ("_head", "_prefix", "_remembered", "_written")

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._head = prefix + "1"
        # Every message of a relayer has its address, which is decoded for signatures, checks and events.
        self._remembered = lru_cache(1024)(self._decode)
        self._written = lru_cache(1024)(self._encode)

    @property
    def prefix(self) -> str:
        """The human-readable part of the chain's addresses."""
        return self._prefix

    def encode(self, raw: bytes) -> Address:
        """Return the address of 1 to 255 bytes `raw`.

        Raises:
            LogicFault: `raw` is not of type `bytes`.
        """
        # guard: h81-an-address-of-a-class-of-its-own-is-remembered drop
        #   test_h81_an_address_of_a_class_of_its_own_is_remembered_for_nobody
        if type(raw) is not bytes:
            raise LogicFault(f"a {type(raw).__name__} as an address")
        return self._written(raw)

    def _encode(self, raw: bytes) -> Address:
        text = b32encode(raw).rstrip(b"=").translate(_FROM_BASE32).decode("ascii")
        check = _checksum_state(self.prefix, text + "qqqqqq") ^ 1
        tail = "".join([_CHARSET[check >> shift & 31] for shift in (25, 20, 15, 10, 5, 0)])
        return Address(raw, f"{self._head}{text}{tail}")

    def decode(self, text: str, field: str) -> Address:
        """Return the address in `text`, which may be upper case; `Address.text` is lower case, as in the SDK.

        Raises:
            InvalidAddress: the prefix, characters, checksum, padding or length (1 to 255 bytes) is wrong, or
                `text` is no `str`; the error names `field`.
        """
        if type(text) is not str:
            raise InvalidAddress(field, type(text).__name__)
        found = self._remembered(text) if len(text) <= _TABLE_LENGTH else self._decode(text)
        if found is None:
            raise InvalidAddress(field, text[:64])
        return found

    def _decode(self, text: str) -> Address | None:
        head, body = self._head, text
        if len(text) > len(head) + _MAX_CHARACTERS:
            return None
        if not text.startswith(head):
            body = text.lower() if text.isascii() and text.upper() == text else ""
            if not body.startswith(head):
                return None
        raw = _payload(self._prefix, body[len(head) :])
        # guard: h72-an-address-keeps-the-text-it-came-in {body => text}
        #   test_h72_upper_case_is_the_same_address_with_the_same_text
        #   test_h72_an_account_has_one_text_whoever_wrote_it_first
        return None if raw is None else Address(raw, body)


def _payload(prefix: str, data: str) -> bytes | None:
    """Return the bytes that bech32 characters (checksum included) encode; None if they are invalid."""
    symbols = len(data) - 6
    if symbols < 2 or len(data) > _MAX_CHARACTERS:
        return None
    try:
        number = int(data.encode().translate(_TO_DIGITS), 32) >> 30  # without the checksum
    except ValueError:  # not a bech32 character
        return None
    if _checksum_state(prefix, data) != 1:
        return None
    size, pad = symbols * 5 // 8, symbols * 5 % 8
    if pad > 4 or number & ((1 << pad) - 1) or not 1 <= size <= _MAX_SIZE:
        return None
    return (number >> pad).to_bytes(size, "big")


def decode_bech32(text: str) -> tuple[str, bytes]:
    """Return the prefix and the payload of a bech32 text.

    Raises:
        InvalidAddress: the text is not bech32.
    """
    lower = text.lower() if text.isascii() and text in {text.lower(), text.upper()} else ""
    prefix, one, data = lower.rpartition("1")
    if not one or not prefix or len(text) > _MAX_LENGTH or any(not 33 <= ord(c) <= 126 for c in prefix):
        raise InvalidAddress("bech32", text[:64])
    raw = _payload(prefix, data)
    if raw is None:
        raise InvalidAddress("bech32", text[:64])
    return prefix, raw


# -- addresses of module accounts, which have no key


@lru_cache(64)
def module_address(name: str) -> bytes:
    """Return the address of a module account: the first 20 bytes of sha256(name), as in the Cosmos SDK."""
    return sha256(name.encode()).digest()[:20]


def submodule_address(name: str, key: bytes) -> bytes:
    """Return the 32-byte address of a module's account by key (the SDK's `address.Module` with one key)."""
    return sha256(sha256(b"module").digest() + name.encode() + b"\0" + key).digest()


def derived_address(above: bytes, key: bytes) -> bytes:
    """Return the 32-byte address derived from another address (the SDK's `address.Derive`)."""
    return sha256(sha256(above).digest() + key).digest()
