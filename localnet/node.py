"""A chain's node process: `python -m localnet.node HOME`.

Makes blocks at a fixed interval and serves RPC on the loopback interface. Exit codes: 0 stopped by SIGTERM or
SIGINT, 1 a bug, 2 could not start.
"""

import logging
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from threading import Event

from iavl import IavlError
from ibc_module.plugin import Config
from ibc_module.registration import load_plugins
from ibc_module.upgrades import UpgradeNeeded
from localnet.chain import LocalChain
from localnet.errors import AwaitsUpgrade, LocalnetError
from localnet.process.startup import cannot_start, run_at_home, run_locked
from localnet.rpc.server import RpcServer
from localnet.settings import NODE_FILE, Genesis, NodeSettings, read_node
from pyibc.chain.config import HostConfig
from pyibc.chain.parts import protocol
from pyibc.core.errors import IbcError
from pyibc.indexer.blocks.plugin import ExportPlugin

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


def open_chain(home: Path, settings: NodeSettings) -> LocalChain:
    """Open a node's chain: accounts, bank, IBC with ICS-20, queues if enabled, and configured plugins.

    Raises:
        ValueError: a plugin cannot be loaded, or the genesis is malformed; the message names key and value.
        IbcError: a plugin rejects its section of the genesis.
        LocalnetError, IavlError, UpgradeNeeded: see `LocalChain`.
    """
    config = Config(account_prefix=settings.prefix)
    ibc = protocol(config, queues=settings.queues)
    exporting = [ExportPlugin(home / "export")] if settings.export else []
    genesis = Genesis(settings.app_state, settings.genesis_time_ns, settings.validators, settings.seed)
    rules = HostConfig(
        settings.chain_id,
        settings.prefix,
        legacy_events=settings.legacy_events,
        upgrade=settings.upgrade.planned() if settings.upgrade else None,
    )
    chain = LocalChain(
        settings.chain_id,
        home,
        plugins=[*ibc, *load_plugins(settings.plugins), *exporting],
        config=rules,
        genesis=genesis,
        retention=settings.retention,
    )
    for exporter in exporting:
        exporter.fill_from(chain.stored_block)
    return chain


def serve(chain: LocalChain, settings: NodeSettings) -> None:
    """Run the chain until SIGTERM or SIGINT, then close it."""
    try:
        server = RpcServer(chain, port=settings.rpc_port)
        clock = BlockClock(chain, settings.block_time_ms / 1000)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: clock.stopping.set())
        server.start()
        log.info("%s at height %d, RPC %s", chain.chain_id, chain.height, server.url)
        try:
            clock.run()
        finally:
            server.stop()
    finally:
        chain.close()
    log.info("%s stopped at height %d", chain.chain_id, chain.height)


def main(arguments: Sequence[str]) -> int:
    """Run the node; return the exit code."""
    return run_at_home("localnet.node", arguments, lambda home: run_locked(home, _run_logging_bugs))


def _run_logging_bugs(home: Path) -> int:
    try:
        return _run(home)
    except Exception:  # outermost frame of the process: log the bug and exit
        log.exception("the node stops after an unexpected exception")
        return 1


def _run(home: Path) -> int:
    try:
        settings = read_node(home)
        chain = open_chain(home, settings)
    except (IavlError, IbcError, LocalnetError, OSError, UpgradeNeeded, ValueError) as error:
        return cannot_start(f"{home / NODE_FILE}: {error}")
    serve(chain, settings)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
