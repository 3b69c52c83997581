"""Sums of a ledger: by chain, by path, by packet."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from ibc_relayer.charged import read_coins
from ibc_relayer.ledger import Ledger, State

By = Literal["chain", "path", "packet"]


class Cost(NamedTuple):
    """What some transactions, or shares of them, cost."""

    chain_id: str
    path: str  # "": of no packet: clients, handshakes; by chain always ""
    sequence: int  # 0: but by packet
    transactions: int  # in which it had a share
    failed: int  # of these
    gas_wanted: int
    gas_used: int
    fees: dict[str, int]  # denomination -> units
    kinds: dict[str, int]  # type URL -> messages, of these transactions


class _Row(NamedTuple):
    chain_id: str
    code: int
    gas_wanted: int
    gas_used: int
    fees: dict[str, int]
    kinds: dict[str, int]
    served: list[tuple[str, int]]


def costs(ledger: Ledger, by: By = "chain") -> list[Cost]:
    """The sums of all transactions in blocks, in order of their keys.

    By path or packet a transaction's gas and fee are divided among the packets it served, the remainder among
    the first of them: the sums over paths and packets are those of the chain, to the unit.
    """
    sums: dict[tuple[str, str, int], _Sum] = {}
    for row in _rows(ledger):
        shares = _shares(row, by)
        seen: set[tuple[str, int]] = set()
        for number, share in enumerate(shares):
            found = sums.setdefault((row.chain_id, *share), _Sum())
            found.add(row, number, len(shares), first=share not in seen)
            seen.add(share)
    return [sums[key].cost(key) for key in sorted(sums)]


def spent(ledger: Ledger, chain_id: str, payer: str) -> dict[str, int]:
    """What fees took from an account of a chain: the change of its balance, by denomination."""
    found: Counter[str] = Counter()
    for denom, amount in ledger.rows(
        "SELECT denom, amount FROM fee JOIN tx USING (hash) WHERE chain=? AND payer=?", (chain_id, payer)
    ):
        found[denom] += int(amount)
    return dict(found)


def in_doubt(ledger: Ledger, chain_id: str) -> dict[str, int]:
    """What open transactions of a chain would cost at most, by denomination."""
    found: Counter[str] = Counter()
    for (offered,) in ledger.rows(
        "SELECT offered FROM tx WHERE chain=? AND state=?", (chain_id, State.PENDING)
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
    if by == "chain" or not row.served:
        return [("", 0)]
    return row.served if by == "packet" else [(path, 0) for path, _ in row.served]


def _part(whole: int, number: int, parts: int) -> int:
    return whole // parts + (number < whole % parts)


def _rows(ledger: Ledger) -> Iterator[_Row]:
    fees = _grouped(ledger.rows("SELECT hash, denom, amount FROM fee"))
    served = _grouped(ledger.rows("SELECT hash, path, sequence FROM served"))
    for key, chain, code, wanted, used, kinds in ledger.rows(
        "SELECT hash, chain, code, gas_wanted, gas_used, kinds FROM tx WHERE state IN (?, ?)",
        (State.PAID, State.UNPAID),
    ):
        yield _Row(
            chain,
            code,
            int(wanted),
            int(used),
            {denom: int(amount) for denom, amount in fees.get(key, ())},
            json.loads(kinds),
            sorted((path, int(sequence)) for path, sequence in served.get(key, ())),
        )


def _grouped(rows: Iterable[tuple[bytes, str, str]]) -> dict[bytes, list[tuple[str, str]]]:
    found: dict[bytes, list[tuple[str, str]]] = {}
    for key, *rest in rows:
        found.setdefault(key, []).append((rest[0], rest[1]))
    return found
