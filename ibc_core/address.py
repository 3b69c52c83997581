"""Bech32 account addresses (BIP-173, with Cosmos' length limit) by table.

The checksum is linear: the exclusive or of one table entry for each character. A 20-byte address is thus
decoded in a few microseconds, without a cache of addresses.
"""

import re
from base64 import b32encode
from functools import lru_cache, reduce
from operator import getitem, xor
from typing import NamedTuple

from ibc_core.errors import InvalidAddress, LogicFault
from ibc_core.value import sealed

PREFIX = r"\A[!-@\[-~]{1,83}\Z"
"""What an address may begin with (BIP-173), in lower case."""

_CHARSET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_BASE32 = b"0123456789abcdefghijklmnopqrstuv"
_TO_DIGITS = bytes([(_BASE32 + b"!")[_CHARSET.find(chr(byte))] for byte in range(256)])
"""For each byte: the digit to base 32 that a character of bech32 stands for; of others none."""
_FROM_BASE32 = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", _CHARSET.encode())
_VALUES = {character: number for number, character in enumerate(_CHARSET)}
_MAX_LENGTH = 1023
_MAX_SIZE = 255
"""Bytes of an address: the SDK's `MaxAddrLen`."""
_MAX_CHARACTERS = 414
"""Of an address of so many bytes, after the prefix, checksum included."""
_TABLE_LENGTH = 120  # characters: addresses up to 64 bytes, which all have that anybody signs for
_GENERATORS = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)


def _step(state: int, symbol: int) -> int:
    top = state >> 25
    state = (state & 0x1FFFFFF) << 5 ^ symbol
    for bit, generator in enumerate(_GENERATORS):
        if top >> bit & 1:
            state ^= generator
    return state


def _make_tables() -> tuple[dict[str, int], ...]:
    """For each distance from the end: character -> its share of the final checksum state."""
    row = dict(_VALUES)
    rows = []
    for _ in range(_TABLE_LENGTH):
        rows.append(row)
        row = {character: _step(state, 0) for character, state in row.items()}
    return tuple(rows)


_TABLES = _make_tables()


_TABLES_FOR = tuple(_TABLES[:count][::-1] for count in range(_TABLE_LENGTH + 1))
"""For each text length: the tables in reading order."""


@lru_cache(64)
def _start_state(prefix: str, symbols: int) -> int:
    """Checksum state after the prefix and `symbols` zeros."""
    state = 1
    for part in ([ord(c) >> 5 for c in prefix], [0], [ord(c) & 31 for c in prefix], [0] * symbols):
        for symbol in part:
            state = _step(state, symbol)
    return state


def _checksum_state(prefix: str, text: str) -> int:
    """Of characters of bech32 alone."""
    if len(text) > _TABLE_LENGTH:
        return reduce(_step, [_VALUES[character] for character in text], _start_state(prefix, 0))
    return reduce(xor, map(getitem, _TABLES_FOR[len(text)], text), _start_state(prefix, len(text)))


def is_prefix(text: str) -> bool:
    """Whether addresses may begin with a text."""
    return re.match(PREFIX, text) is not None


@sealed
class Address(NamedTuple):
    """An account address: its bytes, and the text that this chain writes them as."""

    raw: bytes
    text: str


class AddressCodec:
    """Bech32 addresses with one chain's prefix (`cosmos`, `py`, ...).

    Everybody on the chain is given the same one. What it remembers is keyed by what it was asked: by exact
    types alone, since one of a class of somebody's own could pass as another's address.
    """

    __slots__ = ("_head", "_prefix", "_remembered", "_written")

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._head = prefix + "1"
        # A relayer's address stands in every message it sends, and is read for signatures, checks and events.
        self._remembered = lru_cache(1024)(self._decode)
        self._written = lru_cache(1024)(self._encode)

    @property
    def prefix(self) -> str:
        """What all addresses of the chain begin with."""
        return self._prefix

    def encode(self, raw: bytes) -> Address:
        """The address of 1 to 255 bytes `raw`.

        Raises:
            LogicFault: `raw` is no `bytes`.
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
        """The address in `text`. Upper case is accepted; `Address.text` is lower case, as the SDK prints it.

        Raises:
            InvalidAddress: prefix, characters, checksum, padding or length (1 to 255 bytes) are wrong, or it
                is no `str`; `field` names what was read.
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
    """The bytes of the bech32 characters `data` (checksum included), None if they are invalid."""
    symbols = len(data) - 6
    if symbols < 2 or len(data) > _MAX_CHARACTERS:
        return None
    try:
        number = int(data.encode().translate(_TO_DIGITS), 32) >> 30  # without the checksum
    except ValueError:  # another character
        return None
    if _checksum_state(prefix, data) != 1:
        return None
    size, pad = symbols * 5 // 8, symbols * 5 % 8
    if pad > 4 or number & ((1 << pad) - 1) or not 1 <= size <= _MAX_SIZE:
        return None
    return (number >> pad).to_bytes(size, "big")


def decode_bech32(text: str) -> tuple[str, bytes]:
    """Prefix and payload of any bech32 text.

    Raises:
        InvalidAddress: it is not bech32.
    """
    lower = text.lower() if text.isascii() and text in {text.lower(), text.upper()} else ""
    prefix, one, data = lower.rpartition("1")
    if not one or not prefix or len(text) > _MAX_LENGTH or any(not 33 <= ord(c) <= 126 for c in prefix):
        raise InvalidAddress("bech32", text[:64])
    raw = _payload(prefix, data)
    if raw is None:
        raise InvalidAddress("bech32", text[:64])
    return prefix, raw
