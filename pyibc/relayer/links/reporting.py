"""Report of a link's state in its metrics, after each round."""

from collections.abc import Sequence
from typing import NamedTuple

from pyibc.relayer.links.backoff import Backoff
from pyibc.relayer.links.client_refresh import ClientRefresh, expiries_of
from pyibc.relayer.links.deferred_messages import DeferredMessages
from pyibc.relayer.links.journal import Journal
from pyibc.relayer.metrics import Metrics
from pyibc.relayer.packets.backlog import Backlog
from pyibc.relayer.packets.task import TaskKey


class LinkParts(NamedTuple):
    """Parts of a link that are reported."""

    backlog: Backlog
    deferred: DeferredMessages
    backoff: Backoff
    refreshes: Sequence[ClientRefresh]
    journal: Journal | None


class LinkReport:
    """Writer of metrics that are not counted where something happens."""

    def __init__(self, metrics: Metrics, parts: LinkParts) -> None:
        """Report the expiry of the clients, which is known before the first round."""
        self._metrics = metrics
        self._parts = parts
        self._reported = 0  # changes of `given_up`
        metrics.expiries = expiries_of(parts.refreshes)

    def update(self) -> None:
        """Write the state of the parts; save the deferred messages if they changed."""
        metrics, parts = self._metrics, self._parts
        metrics.unreadable = parts.backlog.unreadable
        deferred = parts.deferred.reasons()
        if deferred or metrics.held:
            self._update_deferred({_describe(key): reason for key, reason in deferred.items()})
        metrics.given_up_s = parts.backoff.oldest_s()
        metrics.expiries = expiries_of(parts.refreshes)
        if self._reported == parts.backoff.changes:
            return
        self._reported = parts.backoff.changes
        metrics.given_up = {_describe(key): reason for key, reason in parts.backoff.given_up.items()}

    def _update_deferred(self, deferred: dict[str, str]) -> None:
        journal = self._parts.journal
        if deferred != self._metrics.held and journal is not None:
            self._metrics.unsaved += not journal.save_deferred(self._parts.deferred.listed())
        self._metrics.held = deferred


def _describe(key: TaskKey) -> str:
    return f"{key.kind.value} {key.sequence} of channel {key.channel} on {'ab'[key.target]}"
