"""Channels that match a pattern, grouped by their clients.

Anybody may open channels, over clients of his own or over ours. So channels are looked at one by one with
bounded work, those that cannot be relayed are left out with a reason, and their number is bounded.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from math import inf
from time import monotonic
from typing import NamedTuple

from pyibc.core import paths as keys
from pyibc.core.errors import IbcError
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.chain.listings import ListedChannel, all_channels
from pyibc.relayer.clients.driver import Drivers
from pyibc.relayer.clients.tendermint import DRIVERS
from pyibc.relayer.daemon.config import PathConfig, covers
from pyibc.relayer.daemon.pausing import pause
from pyibc.relayer.errors import EndpointUnavailable, NodeBehind
from pyibc.relayer.paths.audit import Audit
from pyibc.relayer.paths.candidates import channel_candidates, connection_to_b
from pyibc.relayer.paths.path import Path

Name = tuple[str, str]
"""Port and channel on a."""
ClientPair = tuple[str, str]
"""Clients on a and b."""

MAX_LISTED = 100_000
"""Maximum number of a chain's channels that are looked through."""
MAX_LINKS = 16
"""Maximum number of pairs of clients of one pattern; each has a link of its own."""
MAX_JUDGED, MAX_AUDITED = 500, 4
"""Maximum numbers of channels, and of pairs of clients, judged in one scan; a pair costs up to 400 calls."""
MAX_REASONS = 20
"""Maximum number of channels that are named with the reason why they are left out."""
LIST_S, LONGEST_S = 300.0, 3600.0
"""Seconds between two listings if channels were opened, and in any case."""
RETRY_S = 60.0
"""Seconds until a channel that was left out is judged again; doubled each time, up to `LONGEST_S`."""


class _Waiting(NamedTuple):
    """Channel that is not relayed, or not yet."""

    connection_id: str
    due_s: float
    refusals: int = 0
    reason: str = ""


class ChannelPattern:
    """Channels of a configured path with patterns."""

    def __init__(self, config: PathConfig, clock: Callable[[], float] = monotonic) -> None:
        """Look at nothing yet; `clock` returns seconds."""
        self._config = config
        self._clock = clock
        self._waiting: dict[Name, _Waiting] = {}
        self._elsewhere = set[str]()  # connections to other chains: their clients never change
        self._sequence: bytes | None = None
        self._listed_s = -inf
        self.groups: dict[ClientPair, tuple[Path, ...]] = {}
        """Usable channels by their clients."""

    @property
    def left_out(self) -> int:
        """Number of channels that match and cannot be relayed."""
        return sum(each.refusals > 0 for each in self._waiting.values())

    @property
    def reasons(self) -> dict[str, str]:
        """Reasons why channels are left out, by port and channel; of some of them."""
        refused = ((name, each.reason) for name, each in self._waiting.items() if each.refusals)
        return {"/".join(name): reason for name, reason in islice(refused, MAX_REASONS)}

    def scan(self, a: ChainEndpoint, b: ChainEndpoint, drivers: Drivers = DRIVERS) -> bool:
        """Look for new channels, and judge some of those that are due; return whether more are due now.

        Raises:
            EndpointUnavailable, MalformedAnswer: a chain does not answer, or its answer is malformed.
            IbcError: a chain does not list its channels.
        """
        self._list(a)
        audit = Audit(a, b, drivers, frozenset(self._config.accept), is_chosen=False)
        audited, judged = set[ClientPair](), 0
        for name, each in sorted(self._due(), key=lambda due: (due[1].due_s, len(due[0][1]), due[0])):
            pause(0)  # ends a scan of a worker that is asked to stop
            if each.connection_id in self._elsewhere:
                del self._waiting[name]
                continue
            if judged >= MAX_JUDGED:
                return True
            judged += 1
            try:
                self._judge(audit, ListedChannel(*name, each.connection_id), audited)
            except IbcError as error:
                if isinstance(error, EndpointUnavailable) and not isinstance(error, NodeBehind):
                    raise
                self._refuse(name, str(error))
        return any(self._due())

    def _due(self) -> Iterator[tuple[Name, _Waiting]]:
        now_s = self._clock()
        return ((name, each) for name, each in [*self._waiting.items()] if each.due_s <= now_s)

    def _list(self, a: ChainEndpoint) -> None:
        """List the channels of a if some may be new."""
        now_s, sequence = self._clock(), a.get(keys.NEXT_CHANNEL_SEQUENCE)
        age_s = now_s - self._listed_s
        if age_s < LIST_S or (sequence == self._sequence and age_s < LONGEST_S):
            return
        if age_s >= LONGEST_S:  # a chain's id changes with its revision, and a node may have been wrong
            self._elsewhere.clear()
        relayed = {path.a.name for paths in self.groups.values() for path in paths}
        for each in islice(all_channels(a), MAX_LISTED):
            name = each.port_id, each.channel_id
            known = name in self._waiting or name in relayed or each.connection_id in self._elsewhere
            if not known and covers(self._config, *name):
                self._waiting[name] = _Waiting(each.connection_id, now_s)
        self._sequence, self._listed_s = sequence, now_s

    def _judge(self, audit: Audit, listed: ListedChannel, audited: set[ClientPair]) -> None:
        """Take a channel into its group, or leave it out; leave it due if no more pairs may be audited."""
        name = listed.port_id, listed.channel_id
        connection = connection_to_b(audit, listed)
        if connection is None:
            self._elsewhere.add(listed.connection_id)
            del self._waiting[name]
            return
        pair = connection.client_id, connection.counterparty.client_id
        # guard: any-number-of-clients-is-audited drop
        #   test_strangers_clients_are_audited_a_few_at_a_time
        if pair not in audited and len(audited) >= MAX_AUDITED:
            return
        audited.add(pair)
        found = next(channel_candidates(audit, [listed]), None)
        if found is None or not found.is_usable:
            self._refuse(name, found.text if found is not None else "its connection has changed")
            return
        full = self._full(pair)
        if full:
            self._refuse(name, full)
            return
        self.groups[pair] = (*self.groups.get(pair, ()), found.path)
        del self._waiting[name]

    def _full(self, pair: ClientPair) -> str:
        """Return why no channel over `pair` may be added; empty: one may."""
        relayed = sum(len(each) for each in self.groups.values())
        # guard: a-pattern-without-a-limit test_a_pattern_has_at_most_so_many_channels
        if relayed >= self._config.max_channels:
            return f"{self._config.max_channels} channels are relayed: raise max_channels, or use `except`"
        # guard: a-pattern-with-any-number-of-links drop:len test_a_pattern_has_at_most_so_many_links
        if pair not in self.groups and len(self.groups) >= MAX_LINKS:
            return f"{MAX_LINKS} pairs of clients are relayed: use `except`, or a path of its own"
        return ""

    def _refuse(self, name: Name, reason: str) -> None:
        before = self._waiting[name]
        pause_s = min(LONGEST_S, RETRY_S * 2.0 ** min(before.refusals, 16))
        self._waiting[name] = _Waiting(
            before.connection_id, self._clock() + pause_s, before.refusals + 1, reason[:300]
        )


def scan_all(
    config: PathConfig, a: ChainEndpoint, b: ChainEndpoint, drivers: Drivers = DRIVERS
) -> ChannelPattern:
    """Return a pattern whose channels have all been judged once. Errors as for `ChannelPattern.scan`."""
    found = ChannelPattern(config)
    while found.scan(a, b, drivers):
        pass
    return found
