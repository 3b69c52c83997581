"""What is asked of a chain beside packets: how far it is, and what the relayer's account has left."""

import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import Event, Lock, Thread
from typing import NamedTuple

from ibc_core.errors import IbcError
from ibc_proto.cosmos.bank.v1beta1 import query_pb2
from ibc_relayer.daemon.latency import Latencies
from ibc_relayer.daemon.pausing import Stopping, stopping_at
from ibc_relayer.endpoint import ChainEndpoint, HasSigners, Tip
from ibc_relayer.grpc_query import ask

log = logging.getLogger("pyibc.relayer")
BALANCE = "/cosmos.bank.v1beta1.Query/Balance"


class ChainStatus(NamedTuple):
    """As of the last look."""

    chain_id: str
    is_up: bool = False
    reason: str = "not asked yet"  # why it is not up
    tip: Tip | None = None  # the last one that was told
    denom: str = ""
    balances: tuple[tuple[str, int], ...] = ()  # account, and what it has of `denom`, where that is known
    latencies: Latencies = Latencies()  # of transactions there, until a block has them
    until_sent: Latencies = Latencies()  # until the mempool has


class ChainWatch:
    """Looks at a chain every now and then, in a thread."""

    def __init__(
        self,
        chain_id: str,
        denom: str,
        connect: Callable[[], ChainEndpoint],
        *,
        every_s: float = 5.0,
        stop: Event | None = None,
    ) -> None:
        """`connect` gives the endpoint, or fails while the chain is down; fees are paid in `denom`."""
        self._connect = connect
        self._every_s = every_s
        self._stop = stop or Event()
        self._lock = Lock()
        self._status = ChainStatus(chain_id, denom=denom)
        self._thread = Thread(target=self._run, name=f"relayer {chain_id}", daemon=True)

    @property
    def status(self) -> ChainStatus:
        """As of the last look."""
        with self._lock:
            return self._status

    def start(self) -> None:
        """Looks from now on."""
        self._thread.start()

    def end(self) -> None:
        """Tells it to stop; does not wait."""
        self._stop.set()

    def look(self) -> None:
        """Looks once."""
        before = self.status
        try:
            endpoint = self._connect()
            tip = endpoint.tip()
            found = before._replace(is_up=True, reason="", tip=tip, balances=tuple(self._balances(endpoint)))
        except Exception as error:  # noqa: BLE001 - a watch that ends would call the chain up for ever
            found = before._replace(is_up=False, reason=str(error) or type(error).__name__)
        if found.is_up != before.is_up:
            what = ("up", logging.INFO) if found.is_up else ("down", logging.WARNING)
            log.log(what[1], what[0], extra={"chain": found.chain_id, "reason": found.reason})
        with self._lock:
            self._status = found

    def _balances(self, endpoint: ChainEndpoint) -> Iterator[tuple[str, int]]:
        for address in endpoint.signers if isinstance(endpoint, HasSigners) else (endpoint.signer,):
            request = query_pb2.QueryBalanceRequest(address=address, denom=self.status.denom)
            with suppress(IbcError, ValueError):  # a chain without the bank module
                amount = ask(endpoint, BALANCE, request, query_pb2.QueryBalanceResponse).balance.amount
                if len(amount) < 80:
                    yield address, int(amount or "0")

    def _run(self) -> None:
        with stopping_at(self._stop), suppress(Stopping):
            while not self._stop.is_set():
                self.look()
                self._stop.wait(self._every_s)
