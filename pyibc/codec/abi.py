"""Solidity's contract ABI: decoding as by go-ethereum, encoding in canonical form.

The decoder is as lenient as go-ethereum's `accounts/abi`, so that both sides of a packet agree: offsets may
point anywhere inside the data, parts may overlap, padding and trailing bytes are ignored. To require the
canonical form, encode the result and compare.
"""

from typing import NamedTuple

from pyibc.core.errors import InvalidType
from pyibc.core.numbers import MAX_U64

WORD = 32


class AbiReader(NamedTuple):
    """Decoder of an encoded tuple: its head and the data that it points to.

    The methods raise InvalidType if the data is too short.
    """

    raw: bytes
    what: str  # for errors

    def word(self, at: int) -> int:
        """Return the uint256 at `at`."""
        raw, end = self.raw, at + WORD
        # guard: h168-a-word-beyond-the-end test_h168_what_leads_outside_is_refused
        if end > len(raw):
            raise InvalidType(self.what, f"{len(raw)} bytes, {end} needed")
        return int.from_bytes(raw[at:end], "big")

    def u64(self, at: int) -> int:
        """Return the `uint64` at `at`."""
        number = self.word(at)
        # guard: h168-a-number-of-any-size test_h168_what_leads_outside_is_refused
        if number > MAX_U64:
            raise InvalidType(self.what, "a number of more than 64 bits")
        return number

    def inner(self, at: int) -> "AbiReader":
        """Return the dynamic tuple that the offset at `at` points to."""
        return AbiReader(self.raw[self.word(at) :], self.what)  # empty if it is past the end

    def data(self, at: int) -> bytes:
        """Return the `bytes` that the offset at `at` points to."""
        offset = self.word(at)
        begin = offset + WORD
        end = begin + self.word(offset)
        # guard: h168-a-part-beyond-the-end test_h168_what_leads_outside_is_refused
        if end > len(self.raw):
            raise InvalidType(self.what, f"a part that ends at {end} of {len(self.raw)} bytes")
        return self.raw[begin:end]

    def text(self, at: int) -> str:
        """Return the `string` that the offset at `at` points to; unlike go-ethereum, requires UTF-8."""
        try:
            return self.data(at).decode()
        except UnicodeDecodeError as error:
            raise InvalidType(self.what, "a string that is not UTF-8") from error

    def records(self, at: int, words: int) -> bytes:
        """Return the elements, of `words` words each, of the array that the offset at `at` points to."""
        offset = self.word(at)
        begin = offset + WORD
        end = begin + self.word(offset) * words * WORD
        # guard: h168-an-array-beyond-the-end test_h168_what_leads_outside_is_refused
        if len(self.raw) < end:
            raise InvalidType(self.what, f"an array that ends at {end} of {len(self.raw)} bytes")
        return self.raw[begin:end]


def encode_tuple(*fields: int | bytes | str) -> bytes:
    """Return the encoding of one dynamic tuple: an offset, its head, and its dynamic fields in order."""
    end = len(fields) * WORD
    heads, tails = [_ONE_WORD], []
    for field in fields:
        if isinstance(field, int):
            heads.append(field.to_bytes(WORD, "big"))
        else:
            heads.append(end.to_bytes(WORD, "big"))
            tail = encode_bytes(field.encode() if isinstance(field, str) else field)
            tails.append(tail)
            end += len(tail)
    return b"".join(heads + tails)


_ONE_WORD = WORD.to_bytes(WORD, "big")


def encode_bytes(raw: bytes) -> bytes:
    """Return the length and the content of a dynamic field, padded to whole words."""
    return len(raw).to_bytes(WORD, "big") + raw + bytes(-len(raw) % WORD)
