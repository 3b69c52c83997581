"""Options of a link."""

import time
from collections.abc import Callable
from typing import NamedTuple

from pyibc.relayer.blocks.feed import BlockFeed
from pyibc.relayer.links.batch import BatchLimits
from pyibc.relayer.links.client_watch import Report
from pyibc.relayer.links.submissions import SERIAL, SubmissionRunner
from pyibc.relayer.packets.policy import RELAY_ALL, Policy


class Options(NamedTuple):
    """Options of a link."""

    limits: BatchLimits = BatchLimits()
    messages_per_round: int = 1000  # submitted to one chain
    attempts: int = 5  # failures of a message after which it is reported as given up; it is still retried
    outages: int = 8  # consecutive rounds that may fail because a chain does not answer
    sleep: Callable[[float], None] = time.sleep  # between such rounds, seconds
    clock: Callable[[], float] = time.monotonic  # seconds; for retries
    retry_wait_s: float = 10.0  # longest time for which a run that ends waits for a retry
    reconcile_every: int = 100  # blocks of both chains between two comparisons of the backlog with state
    search_blocks: int = 50  # of each chain, searched in a round for missing events
    history: int = 1_000  # blocks of each chain read at a start if its state cannot be queried
    policy: Policy = RELAY_ALL  # packets to relay
    runner: SubmissionRunner = SERIAL  # runs submissions; not shared with other links unless serial
    watch: Report | None = None  # gets the findings of a watch over the light clients; None: no watch
    refreshes: Report | None = None  # gets the refreshes of the light clients
    leads: Callable[[], bool] = lambda: True  # whether this link watches for all between the two chains
    feeds: tuple[BlockFeed, BlockFeed] | None = None  # of both chains, if followers read their blocks


DEFAULT_OPTIONS = Options()
