"""Memory that refused transactions leave behind."""

import gc
from pathlib import Path
from resource import getpagesize
from typing import NamedTuple

from conformance.fuzz.worlds import Worlds
from pyibc.chain.bank.send import MSG_SEND, encode_send
from pyibc.codec.anys import AnyMessage
from pyibc.core.coin import coin

REFUSED = 10_000
COINS = 250
"""Coins in each refused transaction: 5 KB on the wire, and as many objects as that size allows."""
LEFT_MB = 64


class Left(NamedTuple):
    """Memory after refused transactions."""

    transactions: int
    megabytes: float


def memory_left(made: Worlds, transactions: int = REFUSED) -> Left:
    """Refuse transactions in CheckTx, all different, each with an invalid signature."""
    refuse(made, 10)
    before = _resident()
    refuse(made, transactions)
    return Left(transactions, (_resident() - before) / 1e6)


def refuse(made: Worlds, transactions: int) -> None:
    """Submit transactions with many coins that are signed for another chain.

    Raises:
        AssertionError: one was accepted.
    """
    stage = made.last
    own = stage.addresses[0]
    purse = tuple([coin(f"coin{number:08d}", 1) for number in range(COINS)])
    send = AnyMessage(MSG_SEND, encode_send(own, own, purse))
    ctx = stage.context()
    for number in range(transactions):
        raw = stage.signed(ctx, [send], own, chain_id="another-1", memo=f"{transactions} {number}")
        if not stage.chain.app.check_tx(raw).code:
            raise AssertionError("a wrong signature was accepted")


def _resident() -> int:
    """Return the resident memory of the process, bytes."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * getpagesize()
