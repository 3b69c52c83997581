"""Solidity's contract ABI, read as go-ethereum reads it and written in its one canonical form.

Chains that disagree on bytes disagree on who owns a coin, so reading is as lenient as go-ethereum's
`accounts/abi`: offsets may point anywhere inside, parts may overlap, padding and trailing bytes are not
looked at. Who wants the canonical form alone encodes what was read and compares.
"""

from typing import NamedTuple

from ibc_core.errors import InvalidType
from ibc_core.numbers import MAX_U64

WORD = 32


class AbiReader(NamedTuple):
    """A tuple's encoding: its heads, and whatever they point to. Raises InvalidType where something lacks."""

    raw: bytes
    what: str  # for errors

    def word(self, at: int) -> int:
        """The number in the 32 bytes at `at`."""
        raw, end = self.raw, at + WORD
        # guard: h168-a-word-beyond-the-end test_h168_what_leads_outside_is_refused
        if end > len(raw):
            raise InvalidType(self.what, f"{len(raw)} bytes, {end} needed")
        return int.from_bytes(raw[at:end], "big")

    def u64(self, at: int) -> int:
        """The `uint64` at `at`."""
        number = self.word(at)
        # guard: h168-a-number-of-any-size test_h168_what_leads_outside_is_refused
        if number > MAX_U64:
            raise InvalidType(self.what, "a number of more than 64 bits")
        return number

    def inner(self, at: int) -> "AbiReader":
        """The dynamic tuple that the offset at `at` points to."""
        return AbiReader(self.raw[self.word(at) :], self.what)  # beyond the end nothing is left to read

    def data(self, at: int) -> bytes:
        """The `bytes` that the offset at `at` points to."""
        offset = self.word(at)
        begin = offset + WORD
        end = begin + self.word(offset)
        # guard: h168-a-part-beyond-the-end test_h168_what_leads_outside_is_refused
        if end > len(self.raw):
            raise InvalidType(self.what, f"a part that ends at {end} of {len(self.raw)} bytes")
        return self.raw[begin:end]

    def text(self, at: int) -> str:
        """The `string` that the offset at `at` points to; go-ethereum takes any bytes for one."""
        try:
            return self.data(at).decode()
        except UnicodeDecodeError as error:
            raise InvalidType(self.what, "a string that is not UTF-8") from error

    def records(self, at: int, words: int) -> bytes:
        """The elements, so many words each, of the array that the offset at `at` points to."""
        offset = self.word(at)
        begin = offset + WORD
        end = begin + self.word(offset) * words * WORD
        # guard: h168-an-array-beyond-the-end test_h168_what_leads_outside_is_refused
        if len(self.raw) < end:
            raise InvalidType(self.what, f"an array that ends at {end} of {len(self.raw)} bytes")
        return self.raw[begin:end]


def encode_tuple(*fields: int | bytes | str) -> bytes:
    """A dynamic tuple alone: an offset to it, its heads, its dynamic fields in order, each padded."""
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
    """Length and content of a dynamic field, padded to whole words."""
    return len(raw).to_bytes(WORD, "big") + raw + bytes(-len(raw) % WORD)
