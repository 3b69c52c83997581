"""Watch over a chain: its height, and the balances of the relayer's accounts."""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from threading import Event, Lock, Thread
from typing import NamedTuple

from pyibc.core.errors import IbcError
from pyibc.proto.cosmos.bank.v1beta1 import query_pb2
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.chain.grpc_query import ask
from pyibc.relayer.chain.values import Tip
from pyibc.relayer.daemon.threads import Stopping, stopping_at
from pyibc.relayer.metrics import Latencies
from pyibc.relayer.money.denominations import BALANCE, amount_of
from pyibc.relayer.rpc.pool_node import NodeStatus

log = logging.getLogger("pyibc.relayer")


EVERY_S = 5.0
"""Seconds between two checks of a chain."""


class Funds(NamedTuple):
    """Balances and fees in one denomination."""

    denom: str
    balances: tuple[tuple[str, int], ...] = ()  # (account, balance), where known
    spent_today: int = 0  # fees of the day (UTC)


class ChainStatus(NamedTuple):
    """State of a chain at the last check."""

    chain_id: str
    is_up: bool = False
    reason: str = "not asked yet"  # why the chain is not up
    tip: Tip | None = None  # the last one known
    denom: str = ""
    balances: tuple[tuple[str, int], ...] = ()  # (account, balance in `denom`), where known
    latencies: Latencies = Latencies()  # of transactions, from their messages to the block
    until_sent: Latencies = Latencies()  # from their messages to the mempool
    spent_today: int = 0  # fees of the day (UTC), in `denom`
    is_asked: bool = True
    nodes: tuple[NodeStatus, ...] = ()  # in order of preference; empty before one has answered
    others: tuple[Funds, ...] = ()  # in other denominations of fees

    @property
    def funds(self) -> tuple[Funds, ...]:
        """Balances and fees in all denominations."""
        return Funds(self.denom, self.balances, self.spent_today), *self.others


class ChainWatch:
    """Thread that checks a chain at intervals."""

    def __init__(
        self, chain_id: str, denom: str, connect: Callable[[], ChainEndpoint], *, others: Iterable[str] = ()
    ) -> None:
        """Set the function that connects the endpoint, and the denom and `others` of fees."""
        self._connect = connect
        self._stop = Event()
        self._lock = Lock()
        self._unknown = set[tuple[str, str]]()  # accounts and denominations whose balance is not known
        self._status = ChainStatus(chain_id, denom=denom, is_asked=False, others=tuple(map(Funds, others)))
        self._thread = Thread(target=self._run, name=f"relayer {chain_id}", daemon=True)

    @property
    def status(self) -> ChainStatus:
        """State at the last check."""
        with self._lock:
            return self._status

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def end(self) -> None:
        """Ask the thread to stop, without waiting."""
        self._stop.set()

    def check(self) -> None:
        """Check the chain once."""
        before = self.status
        try:
            endpoint = self._connect()
            tip = endpoint.tip()
            balances = [tuple(self._balances(endpoint, each.denom)) for each in before.funds]
            others = zip(before.others, balances[1:], strict=True)
            found = before._replace(
                is_up=True,
                reason="",
                tip=tip,
                balances=balances[0],
                others=tuple(each._replace(balances=held) for each, held in others),
            )
        except Exception as error:  # noqa: BLE001 - without the watch, the chain would stay up for ever
            found = before._replace(is_up=False, reason=str(error) or type(error).__name__)
        found = found._replace(is_asked=True)
        if found.is_up != before.is_up:
            event, level = ("up", logging.INFO) if found.is_up else ("down", logging.WARNING)
            log.log(level, event, extra={"chain": found.chain_id, "reason": found.reason})
        with self._lock:
            self._status = found

    def _run(self) -> None:
        with stopping_at(self._stop), suppress(Stopping):
            while not self._stop.is_set():
                self.check()
                self._stop.wait(EVERY_S)

    def _balances(self, endpoint: ChainEndpoint, denom: str) -> Iterator[tuple[str, int]]:
        """Yield the accounts whose balance is known; log once why one is not."""
        for address in endpoint.extras.signers or (endpoint.signer,):
            request = query_pb2.QueryBalanceRequest(address=address, denom=denom)
            try:
                balance = amount_of(ask(endpoint, BALANCE, request, query_pb2.QueryBalanceResponse))
            except (IbcError, ValueError) as error:  # a chain without the bank module, or a wrong answer
                if (address, denom) not in self._unknown:
                    self._unknown.add((address, denom))
                    extra = {"chain": endpoint.chain_id, "account": address, "denom": denom}
                    log.warning("balance unknown", extra={**extra, "reason": str(error)})
            else:
                self._unknown.discard((address, denom))
                yield address, balance
