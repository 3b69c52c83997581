"""Troubles of a daemon since they began: one model for log, `/health`, metrics and `pyibc relay status`."""

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from threading import Lock
from typing import NamedTuple

from pyibc.relayer.daemon.chain_watch import ChainStatus
from pyibc.relayer.daemon.worker import WorkerState, WorkerStatus
from pyibc.relayer.rpc.pool_node import NodeState

log = logging.getLogger("pyibc.relayer")

MAX_REASON = 1_000
"""Maximum number of characters of a reason: nodes may put any text into a refusal."""


class TroubleKind(Enum):
    """Kind of what is in trouble."""

    PATH = "path"  # it cannot be relayed
    SIDE = "side"  # one direction of a path
    CHAIN = "chain"  # no node of it answers
    NODE = "node"  # one of several nodes
    DISK = "disk"  # the journal cannot be saved
    MESSAGE = "message"  # refused again and again

    @property
    def is_serious(self) -> bool:
        """Return whether it keeps the daemon from being well; anybody can send packets that are refused."""
        return self not in {TroubleKind.NODE, TroubleKind.MESSAGE}


class Trouble(NamedTuple):
    """Trouble that goes on."""

    kind: TroubleKind
    subject: str  # path, chain or node
    reason: str
    since_s: float = 0.0  # unix time; 0: when it is found


def troubles_of(links: Iterable[WorkerStatus], chains: Iterable[ChainStatus]) -> Iterator[Trouble]:
    """Yield the troubles of paths, chains and nodes."""
    for link in links:
        if link.state is WorkerState.WAITING:
            kind = TroubleKind.PATH if link.failures else TroubleKind.SIDE
            yield Trouble(kind, link.name, link.reason)
        if link.metrics.is_unsaved:
            yield Trouble(
                TroubleKind.DISK, link.name, "the journal cannot be saved: look at its disk and mode"
            )
        if link.metrics.given_up:
            name, reason = next(iter(link.metrics.given_up.items()))
            text = (
                f"{len(link.metrics.given_up)} messages are refused again and again, such as {name}: {reason}"
            )
            yield Trouble(TroubleKind.MESSAGE, link.name, text)
    for chain in chains:
        if not chain.is_up and chain.is_asked:
            yield Trouble(TroubleKind.CHAIN, chain.chain_id, chain.reason)
        for node in chain.nodes:
            if node.state in {NodeState.DOWN, NodeState.DROPPED}:
                yield Trouble(TroubleKind.NODE, f"{chain.chain_id} {node.node}", node.reason, node.since_s)


class Troubles:
    """Troubles of a daemon since they began. For any thread."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        """Begin without any; `clock` returns unix time."""
        self._clock = clock
        self._lock = Lock()
        self._known: dict[tuple[TroubleKind, str], Trouble] = {}

    def update(self, found: Iterable[Trouble]) -> list[Trouble]:
        """Compare what is found now with what is known, log the differences, and return all troubles."""
        with self._lock:
            now_s = self._clock()
            before, self._known = self._known, {}
            for each in found:
                key = each.kind, each.subject
                since_s = each.since_s or (before[key].since_s if key in before else now_s)
                self._known[key] = each._replace(since_s=since_s, reason=each.reason[:MAX_REASON])
            for key, trouble in self._known.items():
                if key not in before:
                    log.warning("trouble", extra=_facts(trouble))
            for key, trouble in before.items():
                if key not in self._known:
                    seconds = round(now_s - trouble.since_s, 1)
                    log.info("trouble is over", extra={**_facts(trouble), "seconds": seconds})
            return sorted(
                self._known.values(), key=lambda each: (each.since_s, each.kind.value, each.subject)
            )


def _facts(trouble: Trouble) -> dict[str, object]:
    return {"kind": trouble.kind.value, "subject": trouble.subject, "reason": trouble.reason}
