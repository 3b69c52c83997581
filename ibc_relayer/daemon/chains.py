"""The chains of a daemon: connected when they are needed, and for as long as their configuration stays."""

import logging
from collections.abc import Callable
from threading import Lock
from typing import Protocol

from ibc_relayer.daemon.chain_watch import ChainStatus, ChainWatch
from ibc_relayer.daemon.config import ChainConfig
from ibc_relayer.daemon.shared_chain import SharedChain
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.errors import WrongCounterparty

log = logging.getLogger("pyibc.relayer")


class Connected(ChainEndpoint, Protocol):
    """An endpoint that holds connections."""

    def close(self) -> None:
        """Closes them; a later call opens them again."""


Connect = Callable[[ChainConfig], Connected]
"""Gives the endpoint of a chain; raises EndpointUnavailable while no node of it answers."""


class Chain:
    """One chain: its endpoint, shared by all links, and what is known of it."""

    def __init__(self, config: ChainConfig, connect: Connect) -> None:
        """Nothing is asked before `start` or `endpoint`."""
        self.config = config
        self._connect = connect
        self._lock = Lock()
        self._connected: Connected | None = None
        self._endpoint: SharedChain | None = None
        self._watch = ChainWatch(config.id, config.fees.denom, self.endpoint)

    @property
    def status(self) -> ChainStatus:
        """As of the last look."""
        endpoint = self._endpoint
        if endpoint is None:
            return self._watch.status
        return self._watch.status._replace(
            latencies=endpoint.confirmed.value, until_sent=endpoint.submitted.value
        )

    def start(self) -> None:
        """Looks at the chain from now on."""
        self._watch.start()

    def end(self) -> None:
        """Looks no more, and closes the endpoint; links that use it are to be ended before."""
        self._watch.end()
        with self._lock:
            if self._connected is not None:
                self._connected.close()

    def endpoint(self) -> SharedChain:
        """The endpoint.

        Raises:
            EndpointUnavailable: no node answers.
            WrongCounterparty: those that do are of another chain.
        """
        with self._lock:
            if self._endpoint is None:
                found = self._connect(self.config)
                if found.chain_id != self.config.id:
                    found.close()
                    reason = f"its nodes are of {found.chain_id}"
                    raise WrongCounterparty(self.config.id, "chain", reason)
                self._connected, self._endpoint = found, SharedChain(found)
            return self._endpoint

    def forget(self) -> None:
        """Drops what is kept of its blocks."""
        with self._lock:
            if self._endpoint is not None:
                self._endpoint.forget()
