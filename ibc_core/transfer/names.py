"""Names of coins that a user sends (ICS-20)."""

import re

from ibc_core.coin import is_denom
from ibc_core.errors import InvalidCoins

_hash = re.compile(r"[0-9a-fA-F]{64}").fullmatch


def validate_ibc_denom(text: str) -> None:
    """Checks the name of a coin that a user wants to send.

    Raises:
        InvalidCoins: not a coin's name, or it begins with `ibc/` and no 64 hexadecimal digits follow.
    """
    if not is_denom(text) or text == "ibc" or (text.startswith("ibc/") and not _hash(text[4:])):
        raise InvalidCoins(text[:64])


def parse_hash(text: str) -> bytes | None:
    """The 32 bytes of the HASH in `ibc/HASH`, in upper or lower case; None where it is not one."""
    return bytes.fromhex(text) if _hash(text) else None
