"""Watch over a chain: its height, and the balances of the relayer's accounts."""

import logging
from collections.abc import Callable, Iterator
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
from pyibc.relayer.rpc.pool_node import NodeStatus

log = logging.getLogger("pyibc.relayer")
BALANCE = "/cosmos.bank.v1beta1.Query/Balance"


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


class ChainWatch:
    """Thread that checks a chain at intervals."""

    def __init__(
        self,
        chain_id: str,
        denom: str,
        connect: Callable[[], ChainEndpoint],
        *,
        every_s: float = 5.0,
        stop: Event | None = None,
    ) -> None:
        """Set the function that connects the endpoint, and the denom of fees."""
        self._connect = connect
        self._every_s = every_s
        self._stop = stop or Event()
        self._lock = Lock()
        self._status = ChainStatus(chain_id, denom=denom, is_asked=False)
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
            found = before._replace(is_up=True, reason="", tip=tip, balances=tuple(self._balances(endpoint)))
        except Exception as error:  # noqa: BLE001 - without the watch, the chain would stay up for ever
            found = before._replace(is_up=False, reason=str(error) or type(error).__name__)
        found = found._replace(is_asked=True)
        if found.is_up != before.is_up:
            event, level = ("up", logging.INFO) if found.is_up else ("down", logging.WARNING)
            log.log(level, event, extra={"chain": found.chain_id, "reason": found.reason})
        with self._lock:
            self._status = found

    def _balances(self, endpoint: ChainEndpoint) -> Iterator[tuple[str, int]]:
        for address in endpoint.extras.signers or (endpoint.signer,):
            request = query_pb2.QueryBalanceRequest(address=address, denom=self.status.denom)
            with suppress(IbcError, ValueError):  # a chain without the bank module
                amount = ask(endpoint, BALANCE, request, query_pb2.QueryBalanceResponse).balance.amount
                if len(amount) < 80:
                    yield address, int(amount or "0")

    def _run(self) -> None:
        with stopping_at(self._stop), suppress(Stopping):
            while not self._stop.is_set():
                self.check()
                self._stop.wait(self._every_s)
