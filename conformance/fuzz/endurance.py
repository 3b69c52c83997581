"""What hostile transactions leave behind."""

import gc
from pathlib import Path
from resource import getpagesize
from typing import NamedTuple

from conformance.fuzz.worlds import Worlds
from ibc_core.any_message import AnyMessage
from ibc_core.coin import coin
from localnet.host.bank_send import MSG_SEND, encode_send

REFUSED = 10_000
COINS = 250
"""Of each refused transaction: 5 KB on the wire, and as many objects as that can make."""
LEFT_MB = 64


class Left(NamedTuple):
    """Memory after transactions that were refused."""

    transactions: int
    megabytes: float


def memory_left(made: Worlds, transactions: int = REFUSED) -> Left:
    """Refuses transactions at the mempool's door, all different, each with a wrong signature."""
    refuse(made, 10)
    before = _resident()
    refuse(made, transactions)
    return Left(transactions, (_resident() - before) / 1e6)


def refuse(made: Worlds, transactions: int) -> None:
    """Offers transactions with many coins, whose signature is another chain's.

    Raises:
        AssertionError: one was taken.
    """
    stage = made.last
    own = stage.addresses[0]
    purse = tuple([coin(f"coin{number:08d}", 1) for number in range(COINS)])
    send = AnyMessage(MSG_SEND, encode_send(own, own, purse))
    ctx = stage.context()
    for number in range(transactions):
        raw = stage.signed(ctx, [send], own, chain_id="another-1", memo=f"{transactions} {number}")
        if not stage.chain.app.check_tx(raw).code:
            raise AssertionError("a wrong signature was taken for a right one")


def _resident() -> int:
    """Bytes of memory that the process has."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * getpagesize()
