"""A block of the most expensive transactions, executed by one FinalizeBlock."""

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from conformance.fuzz.acknowledgements import answer_cases
from conformance.fuzz.block_stage import verdict_of
from conformance.fuzz.case import Case
from conformance.fuzz.handwritten import expert_cases
from conformance.fuzz.measure import APART, LARGE, once
from conformance.fuzz.messages import message_cases
from conformance.fuzz.transactions import transaction_cases
from conformance.fuzz.unsigned_headers import unsigned_header_cases
from conformance.fuzz.worlds import Worlds
from conformance.kit.heap import every_object
from pyibc.core.memo import ByteBoundedCache

BYTES = 22_020_096
SECONDS = 10.0
TX_BYTES = 1_000_000
MOST = 10
"""Number of cases that the block is made of: the most expensive ones."""
_TRIED = 6
"""Factor of cases that are measured at full size first, since some exceed a limit at that size."""


class Block(NamedTuple):
    """A block of hostile transactions."""

    size: int  # bytes
    seconds: float  # CPU time of FinalizeBlock
    cases: tuple[str, ...]
    verdicts: tuple[str, ...]  # gas used by its transactions in FinalizeBlock
    agrees: bool  # whether each transaction got the verdict that it got when run alone


def block_cases(made: Worlds) -> Iterator[Case]:
    """Return the cases of transactions that can be in a block of one chain."""
    yield from expert_cases(made)
    yield from unsigned_header_cases(made)
    yield from answer_cases(made)
    yield from transaction_cases(made)
    yield from message_cases(made)


def most_expensive(cases: Iterable[Case], count: int) -> list[Case]:
    """Return the cases with the highest cost per byte, first among small transactions, then at full size."""
    found = _by_price((case for case in cases if case.executed), LARGE)
    return _by_price(found[: _TRIED * count], TX_BYTES)[:count]


def _by_price(cases: Iterable[Case], size: int) -> list[Case]:
    runs = [(case, once(case.prepare(size))) for case in cases]
    runs.sort(key=lambda each: -each[1].total_s / each[1].size)
    return [case for case, _ in runs]


def full_block(made: Worlds, cases: Sequence[Case], size: int, tx_bytes: int = TX_BYTES) -> Block:
    """Fill the next block with full-size transactions of the cases in turn, and execute it.

    The transactions are created one after the other, each run on the state that the previous one left. Then
    all caches are emptied and the chain's application finalizes the block, which is never committed.
    """
    stage = made.last
    txs: list[bytes] = []
    tried: list[str] = []
    with stage.going_on():
        while sum([len(raw) for raw in txs]) < size:
            attack = cases[len(txs) % len(cases)].prepare(tx_bytes + APART * len(txs))
            tried.append(attack.run())
            txs.append(attack.tx)
    empty_caches()
    start = time.process_time()
    final = stage.chain.app.finalize_block(stage.time_ns, txs, stage.next_validators_hash)
    seconds = time.process_time() - start
    verdicts = tuple([verdict_of(each) for each in final.outcomes])
    names = tuple([case.name for case in cases])
    return Block(sum([len(raw) for raw in txs]), seconds, names, verdicts, verdicts == tuple(tried))


def empty_caches() -> None:
    """Empty all caches of the process."""
    for each in every_object():
        if isinstance(each, ByteBoundedCache):
            each.clear()
