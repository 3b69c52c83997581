"""Block production at a fixed interval, for a node's process or a thread."""

import logging
import time
from threading import Event

from ibc_module.upgrades import UpgradeNeeded
from localnet.chain import LocalChain
from localnet.errors import AwaitsUpgrade

log = logging.getLogger("localnet")


class BlockClock:
    """Makes a block every interval. Missed intervals are skipped, not caught up."""

    def __init__(self, chain: LocalChain, interval_s: float) -> None:
        self._chain = chain
        self._interval_s = interval_s
        self.stopping = Event()

    def run(self) -> None:
        """Make blocks until `stopping` is set. Exceptions raised by a block propagate.

        At a planned upgrade it waits: the node answers queries until it is stopped.
        """
        due = time.monotonic() + self._interval_s
        while not self.stopping.wait(max(0.0, due - time.monotonic())):
            try:
                block = self._chain.make_block()
            except (UpgradeNeeded, AwaitsUpgrade):  # logged by the chain
                # guard: h278-a-local-node-ends-at-its-upgrade drop
                #   test_h278_a_node_waits_at_the_upgrade_of_its_settings
                self.stopping.wait()
                return
            if block.txs:
                failed = sum(1 for outcome in block.txs if outcome.code)
                log.info("block %d: %d transactions, %d failed", block.height, len(block.txs), failed)
            due = max(due + self._interval_s, time.monotonic())
