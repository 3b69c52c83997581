"""Budgets for fees on one chain and day: of the chain, of each path, and of each sender of transfers.

A packet's share of a fee is the fee divided by the packets of its transaction, client update included. What a
budget has no room for is not sent; it waits for the next day. Transactions without packets (refreshes of
clients, handshakes) count for the chain but are always sent: a client that expires costs more.
"""

import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from threading import Lock
from typing import NamedTuple

from pyibc.codec.anys import AnyMessage
from pyibc.core.host.block import TxOutcome
from pyibc.relayer.money.spending_file import ChainSpending, Part, SharedRows
from pyibc.relayer.packets.packets import covered_packet, payloads_of
from pyibc.relayer.packets.policy import SHOWN, transfer_in

LIMIT_CODESPACE, BUDGET_CODE = "relayer-limit", 3
"""Codespace and code of a transaction that is not sent because of a budget (`links.outcomes`)."""

DAY_S = 86_400
MAX_PARTS = 10_000
"""Maximum number of paths, and of senders, whose spending is kept; of others the least recent is dropped."""
MAX_NAME = 128
"""Maximum length of a sender that is kept as text; longer ones are hashed."""


class Budget(NamedTuple):
    """Limits per day (UTC), in units of the fee denomination; None: no limit."""

    chain: int | None = None
    path: int | None = None  # of each channel or pair of clients
    sender: int | None = None  # of each sender of ICS-20 transfers on a path


NO_BUDGET = Budget()


_CHAIN = Part("chain", "")


class Budgets:
    """Spending of the current day on one chain. For any thread."""

    def __init__(
        self,
        budget: Budget,
        denom: str,
        clock: Callable[[], float] = time.time,
        saved: ChainSpending | None = None,
    ) -> None:
        """Start with what is `saved`, None: nothing; `clock` returns unix time.

        Processes that use the same file share their budgets.
        """
        self._budget = budget
        self._denom = denom
        self._clock = clock
        self._saved = saved
        self._lock = Lock()
        self._day = 0
        self._spent: dict[str, OrderedDict[str, int]] = {"chain": OrderedDict()}
        self._unsaved = Counter[Part]()  # while the file could not be written

    @property
    def spent(self) -> int:
        """Fees of the current day on the chain."""
        with self._lock:
            self._begin_day()
            return self._of(_CHAIN)

    def reserve(self, messages: Sequence[AnyMessage], fee: int) -> TxOutcome | None:
        """Count the fee of a transaction; return its refusal if a budget has no room, and count nothing.

        With fee 0 only budgets that are used up refuse.
        """
        shares, packets = self._shares(messages, fee)
        with self._lock, self._current(shares) as rows:
            for part, share in shares.items():
                limit = getattr(self._budget, part.kind)
                # guard: a-budget-without-an-end drop
                #   test_a_budget_that_is_used_up_holds_packets_until_the_next_day
                if packets and limit is not None and self._of(part) + max(1, share) > limit:
                    return self._refusal(part, limit)
            self._add(shares, rows)
        return None

    def give_back(self, messages: Sequence[AnyMessage], fee: int) -> None:
        """Take back the fee of a transaction that the mempool refused."""
        shares, _ = self._shares(messages, fee)
        with self._lock:
            gone = Counter({part: -share for part, share in shares.items()})
            with self._current(gone) as rows:
                self._add(gone, rows)

    def _shares(self, messages: Sequence[AnyMessage], fee: int) -> tuple[Counter[Part], int]:
        """Return the fee of each part, and the number of packets."""
        shares = Counter({_CHAIN: fee})
        if self._budget == NO_BUDGET:
            return shares, 0
        parts = {found: self._senders(message) for message in messages if (found := covered_packet(message))}
        for packet, senders in parts.items():
            share = -(-fee // len(parts))
            shares[Part("path", packet.path)] += share
            for sender in senders:
                shares[Part("sender", f"{sender} of {packet.path}")] += share
        return shares, len(parts)

    def _senders(self, message: AnyMessage) -> set[str]:
        if self._budget.sender is None:
            return set()
        found = (transfer_in(payload) for payload in payloads_of(message))
        return {_name(data.sender) for data in found if data is not None}

    def _begin_day(self) -> None:
        day = int(self._clock() // DAY_S)
        if day != self._day:
            self._day, self._spent = day, {"chain": OrderedDict()}
            self._unsaved.clear()
            if self._saved is not None:
                for part, amount in self._saved.load(day).items():
                    self._put(part, amount)

    def _of(self, part: Part) -> int:
        return self._spent.get(part.kind, OrderedDict()).get(part.name, 0)

    @contextmanager
    def _current(self, shares: Counter[Part]) -> Iterator[SharedRows]:
        """Read what all processes have spent of some parts, and write at the end what is added."""
        self._begin_day()
        if self._saved is None:
            yield SharedRows()
            return
        with self._saved.shared(self._day, list(shares)) as rows:
            for part, amount in rows.spent.items():
                self._put(part, amount + self._unsaved[part])
            yield rows
        if rows.is_saved:
            for part in rows.changed:
                self._unsaved.pop(part, None)
        elif rows.changed:
            self._unsaved.update(shares)

    def _add(self, shares: Counter[Part], rows: SharedRows) -> None:
        for part, share in shares.items():
            rows.gone += self._put(part, self._of(part) + share)
        if any(shares.values()):
            # guard: budgets-forget-at-a-restart drop
            #   test_what_was_spent_before_a_kill_counts_for_the_same_day
            rows.changed.update({part: self._of(part) for part in shares})

    def _put(self, part: Part, amount: int) -> list[Part]:
        """Set the spending of a part; return the part that is dropped for it, if one is."""
        known = self._spent.setdefault(part.kind, OrderedDict())
        known[part.name] = max(0, amount)
        known.move_to_end(part.name)
        # guard: as-many-senders-as-there-are drop test_memory_is_bounded_however_many_senders_there_are
        if len(known) > MAX_PARTS:
            return [Part(part.kind, known.popitem(last=False)[0])]
        return []

    def _refusal(self, part: Part, limit: int) -> TxOutcome:
        of = f"the {part.kind} {part.name!a}" if part.name else "the chain"
        log = (
            f"not sent: the day's budget of {limit}{self._denom} for {of} has {limit - self._of(part)} left; "
            "it is renewed at 00:00 UTC"
        )
        return TxOutcome(b"", BUDGET_CODE, LIMIT_CODESPACE, (), 0, 0, log=log)


def _name(sender: str) -> str:
    if len(sender) <= MAX_NAME:
        return sender
    return f"{sender[:SHOWN]}... {sha256(sender.encode('utf-8', 'surrogatepass')).hexdigest()}"
