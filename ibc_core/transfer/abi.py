"""ICS-20's packet data as Solidity has it, in the contract ABI.

One tuple: string denom, string sender, string receiver, uint256 amount, string memo. Read as go-ethereum
reads it, since chains that disagree on a packet disagree on who owns a coin: offsets may point anywhere
inside, parts may overlap, padding and trailing bytes are not looked at.
"""

from typing import NamedTuple

from ibc_core.errors import InvalidType
from ibc_core.value import sealed

WORD = 32
_WHAT = "ICS-20 packet data in ABI"


@sealed
class AbiTransfer(NamedTuple):
    """The tuple, in its order."""

    denom: str
    sender: str
    receiver: str
    amount: int  # below 2^256
    memo: str


def encode(transfer: AbiTransfer) -> bytes:
    """The one canonical form: an offset to the tuple, its heads, its strings in order, each padded."""
    head = 5 * WORD
    heads, tails = [], b""
    for field in transfer:
        if isinstance(field, int):
            heads.append(field.to_bytes(WORD, "big"))
        else:
            heads.append((head + len(tails)).to_bytes(WORD, "big"))
            tails += _string(field.encode())
    return WORD.to_bytes(WORD, "big") + b"".join(heads) + tails


def _string(raw: bytes) -> bytes:
    return len(raw).to_bytes(WORD, "big") + raw + bytes(-len(raw) % WORD)


def decode(raw: bytes) -> AbiTransfer:
    """Reads the tuple.

    Raises:
        InvalidType: an offset or a length leads outside, or a string is not UTF-8.
    """
    body = raw[_word(raw, 0) :]  # an offset beyond the end leaves nothing to read
    return AbiTransfer(
        _text(body, 0), _text(body, WORD), _text(body, 2 * WORD), _word(body, 3 * WORD), _text(body, 4 * WORD)
    )


def _word(raw: bytes, at: int) -> int:
    if at + WORD > len(raw):
        raise InvalidType(_WHAT, f"{len(raw)} bytes, {at + WORD} needed")
    return int.from_bytes(raw[at : at + WORD], "big")


def _text(body: bytes, at: int) -> str:
    offset = _word(body, at)
    begin = offset + WORD
    end = begin + _word(body, offset)
    if end > len(body):
        raise InvalidType(_WHAT, f"a string that ends at {end} of {len(body)} bytes")
    try:
        return body[begin:end].decode()
    except UnicodeDecodeError as error:
        raise InvalidType(_WHAT, "a string that is not UTF-8") from error
