"""Memos of transfers (ICS-20)."""

from ibc_core.errors import InvalidMemo

MAX_MEMO_SIZE = 32_768
"""Bytes of a memo that may be sent or received."""


def check_memo(memo: str) -> None:
    """Checks a memo's size: what may be sent, and what chain B checks on top of decoding.

    Raises:
        InvalidMemo: more than 32,768 bytes.
    """
    size = len(memo) if memo.isascii() else len(memo.encode())
    if size > MAX_MEMO_SIZE:
        raise InvalidMemo(size, MAX_MEMO_SIZE)
