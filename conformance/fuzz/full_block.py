"""A block of the dearest transactions, as one FinalizeBlock of a chain's application."""

import gc
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from conformance.fuzz.answers import answer_cases
from conformance.fuzz.case import Case
from conformance.fuzz.experts import expert_cases
from conformance.fuzz.measure import APART, LARGE, once
from conformance.fuzz.messages import message_cases
from conformance.fuzz.stage import verdict_of
from conformance.fuzz.transactions import transaction_cases
from conformance.fuzz.unsigned_headers import unsigned_header_cases
from conformance.fuzz.worlds import Worlds
from ibc_core.kept import Kept

BYTES = 22_020_096
SECONDS = 10.0
TX_BYTES = 1_000_000
MOST = 10
"""The dearest cases, of which the block is made."""
_TRIED = 6
"""Times as many are tried at full size: a limit may lie between."""


class Block(NamedTuple):
    """A block of hostile transactions."""

    size: int  # bytes
    seconds: float  # CPU time of FinalizeBlock
    cases: tuple[str, ...]
    verdicts: tuple[str, ...]  # of its transactions, in FinalizeBlock
    agrees: bool  # whether each is what the transaction got where it was tried by itself


def block_cases(made: Worlds) -> Iterator[Case]:
    """The cases of what one block of one chain may hold."""
    yield from expert_cases(made)
    yield from unsigned_header_cases(made)
    yield from answer_cases(made)
    yield from transaction_cases(made)
    yield from message_cases(made)


def dearest(cases: Iterable[Case], count: int) -> list[Case]:
    """The cases of transactions that take longest for their bytes: of many small ones, then of full size."""
    found = _by_price((case for case in cases if case.executed), LARGE)
    return _by_price(found[: _TRIED * count], TX_BYTES)[:count]


def _by_price(cases: Iterable[Case], size: int) -> list[Case]:
    runs = [(case, once(case.prepare(size))) for case in cases]
    runs.sort(key=lambda each: -each[1].total_s / each[1].size)
    return [case for case, _ in runs]


def full_block(made: Worlds, cases: Sequence[Case], size: int, tx_bytes: int = TX_BYTES) -> Block:
    """Fills the next block with the cases in turn, each of a transaction's full size, and executes it.

    The transactions are made one after the other, each tried where the one before has left the block; then
    all memories are emptied, and the chain's application finalizes the block. It is never committed.
    """
    stage = made.last
    txs: list[bytes] = []
    tried: list[str] = []
    with stage.going_on():
        while sum([len(raw) for raw in txs]) < size:
            attack = cases[len(txs) % len(cases)].prepare(tx_bytes + APART * len(txs))
            tried.append(attack.run())
            txs.append(attack.tx)
    forget()
    start = time.process_time()
    final = stage.chain.app.finalize_block(stage.time_ns, txs, stage.next_validators_hash)
    seconds = time.process_time() - start
    verdicts = tuple([verdict_of(each) for each in final.outcomes])
    names = tuple([case.name for case in cases])
    return Block(sum([len(raw) for raw in txs]), seconds, names, verdicts, verdicts == tuple(tried))


def forget() -> None:
    """Empties what the process keeps of earlier work."""
    for each in gc.get_objects():
        if isinstance(each, Kept):
            each.clear()
