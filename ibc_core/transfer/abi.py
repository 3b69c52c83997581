"""ICS-20's packet data as Solidity has it, in the contract ABI.

One tuple: string denom, string sender, string receiver, uint256 amount, string memo.
"""

from typing import NamedTuple

from ibc_core.value import sealed
from ibc_core.wire.abi import WORD, AbiReader, encode_tuple


@sealed
class AbiTransfer(NamedTuple):
    """The tuple, in its order."""

    denom: str
    sender: str
    receiver: str
    amount: int  # below 2^256
    memo: str


def encode(transfer: AbiTransfer) -> bytes:
    """The one canonical form."""
    return encode_tuple(*transfer)


def decode(raw: bytes) -> AbiTransfer:
    """Reads the tuple.

    Raises:
        InvalidType: an offset or a length leads outside, or a string is not UTF-8.
    """
    body = AbiReader(raw, "ICS-20 packet data in ABI").inner(0)
    return AbiTransfer(
        body.text(0), body.text(WORD), body.text(2 * WORD), body.word(3 * WORD), body.text(4 * WORD)
    )
