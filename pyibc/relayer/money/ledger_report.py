"""Sums of a ledger: by chain, by path, by packet."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from pyibc.relayer.blocks.reader import MAX_LAG
from pyibc.relayer.chain.endpoint import ChainEndpoint, query_of
from pyibc.relayer.errors import EndpointRefused
from pyibc.relayer.money.account import ask_account
from pyibc.relayer.money.ledger import Ledger, TxState, read_coins

By = Literal["chain", "path", "packet"]


class Cost(NamedTuple):
    """Cost of some transactions, or of shares of them."""

    chain_id: str
    path: str  # "" without a packet (clients, handshakes); always "" by chain
    sequence: int  # always 0 except by packet
    transactions: int  # number of transactions with a share
    failed: int  # number of these that failed
    gas_wanted: int
    gas_used: int
    fees: dict[str, int]  # denomination -> units
    kinds: dict[str, int]  # type URL -> number of messages in these transactions


class _Row(NamedTuple):
    chain_id: str
    code: int
    gas_wanted: int
    gas_used: int
    fees: dict[str, int]
    kinds: dict[str, int]
    covered: list[tuple[str, int]]


def costs(ledger: Ledger, by: By = "chain") -> list[Cost]:
    """Return the sums of all transactions in blocks, sorted by their keys.

    By path or packet, a transaction's gas and fee are divided among the packets it covered, the remainder
    among the first of them: the sums over paths and packets are exactly those of the chain.
    """
    sums: dict[tuple[str, str, int], _Sum] = {}
    for row in _rows(ledger):
        shares = _shares(row, by)
        counted: set[tuple[str, int]] = set()
        for number, share in enumerate(shares):
            found = sums.setdefault((row.chain_id, *share), _Sum())
            found.add(row, number, len(shares), first=share not in counted)
            counted.add(share)
    return [sums[key].cost(key) for key in sorted(sums)]


def spent(ledger: Ledger, chain_id: str, payer: str) -> dict[str, int]:
    """Return the fees that an account of a chain paid, by denomination."""
    found: Counter[str] = Counter()
    for denom, amount in ledger.rows(
        "SELECT denom, amount FROM fee JOIN tx USING (hash) WHERE chain=? AND payer=?", (chain_id, payer)
    ):
        found[denom] += int(amount)
    return dict(found)


def open_fees(ledger: Ledger, chain_id: str) -> dict[str, int]:
    """Return the maximum fees of a chain's pending transactions, by denomination."""
    found: Counter[str] = Counter()
    for (offered,) in ledger.rows(
        "SELECT offered FROM tx WHERE chain=? AND state=?", (chain_id, TxState.PENDING)
    ):
        found.update({each.denom: each.amount for each in read_coins(offered)})
    return dict(found)


class _Sum:
    def __init__(self) -> None:
        self.transactions = self.failed = self.gas_wanted = self.gas_used = 0
        self.fees: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()

    def add(self, row: _Row, number: int, parts: int, *, first: bool) -> None:
        self.gas_wanted += _part(row.gas_wanted, number, parts)
        self.gas_used += _part(row.gas_used, number, parts)
        self.fees.update({denom: _part(amount, number, parts) for denom, amount in row.fees.items()})
        if first:
            self.transactions += 1
            self.failed += row.code != 0
            self.kinds.update(row.kinds)

    def cost(self, key: tuple[str, str, int]) -> Cost:
        sums = self.transactions, self.failed, self.gas_wanted, self.gas_used
        return Cost(*key, *sums, dict(self.fees), dict(self.kinds))


def _shares(row: _Row, by: By) -> list[tuple[str, int]]:
    if by == "chain" or not row.covered:
        return [("", 0)]
    return row.covered if by == "packet" else [(path, 0) for path, _ in row.covered]


def _part(whole: int, number: int, parts: int) -> int:
    return whole // parts + (number < whole % parts)


def _rows(ledger: Ledger) -> Iterator[_Row]:
    fees = _grouped(ledger.rows("SELECT hash, denom, amount FROM fee"))
    covered = _grouped(ledger.rows("SELECT hash, path, sequence FROM served"))
    for key, chain, code, wanted, used, kinds in ledger.rows(
        "SELECT hash, chain, code, gas_wanted, gas_used, kinds FROM tx WHERE state IN (?, ?)",
        (TxState.PAID, TxState.UNPAID),
    ):
        yield _Row(
            chain,
            code,
            int(wanted),
            int(used),
            {denom: int(amount) for denom, amount in fees.get(key, ())},
            json.loads(kinds),
            sorted((path, int(sequence)) for path, sequence in covered.get(key, ())),
        )


def _grouped(rows: Iterable[tuple[bytes, str, str]]) -> dict[bytes, list[tuple[str, str]]]:
    found: dict[bytes, list[tuple[str, str]]] = {}
    for key, *rest in rows:
        found.setdefault(key, []).append((rest[0], rest[1]))
    return found


# -- completion of a ledger's open transactions after a kill, or for chains whose blocks are not read


def catch_up(ledger: Ledger, endpoint: ChainEndpoint) -> list[int]:
    """Read the blocks that may include open transactions of this chain.

    The account's sequence selects them: a transaction whose sequence is not below it is in no block yet. If
    it is below, a block has this transaction, or another one of the same sequence, for example from another
    program with the same key; blocks show both cases (`Ledger.observe`). Sequence and last block may come
    from different nodes, one of them behind: transactions that no block up to here has stay open.

    Returns:
        Heights of blocks that the node has pruned: their transactions stay pending.

    Raises:
        EndpointUnavailable, RelayerError: see `ChainEndpoint.block` and `ask_account`.
    """
    chain_id = endpoint.chain_id
    waiting = ledger.open_of(chain_id)
    if not waiting:
        return []
    before = endpoint.tip().height
    names = sorted({each.account for each in waiting.values()})
    reached = {name: ask_account(query_of(endpoint), chain_id, name)[1] for name in names}
    consumed = {key for key, each in waiting.items() if each.sequence < reached[each.account]}
    # guard: h228-the-last-block-is-the-sequence-s drop:MAX_LAG
    #   test_h228_a_node_behind_tells_the_sequence_and_one_ahead_the_last_block
    ledger.mark_searched(chain_id, waiting.keys() - consumed, before - MAX_LAG)
    if not consumed:
        return []
    tip = endpoint.tip().height
    missing = _read(ledger, endpoint, consumed, tip)
    # guard: h228-what-no-block-has-is-replaced {=> for key in consumed: ledger._mark(key, "replaced")}
    #   test_h228_a_node_ahead_tells_the_sequence_and_one_behind_the_last_block
    ledger.mark_searched(chain_id, consumed, tip)
    return missing


def _read(ledger: Ledger, endpoint: ChainEndpoint, wanted: set[bytes], tip: int) -> list[int]:
    """Let the ledger observe the blocks that may include `wanted`; return the heights of pruned ones."""
    missing = []
    height = min(ledger.open_of(endpoint.chain_id)[key].since for key in wanted)
    while height < tip and wanted & ledger.open_of(endpoint.chain_id).keys():
        height += 1
        try:
            ledger.observe(endpoint.block(height))
        except EndpointRefused:
            missing.append(height)
    return missing
