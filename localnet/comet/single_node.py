"""Supervisor of one validator or full node: `python -m localnet.comet.single_node HOME`.

Runs the application and CometBFT of the home and restarts them when they exit. Exit codes: 0 stopped by
SIGTERM or SIGINT, 1 the application failed on its first start, 2 invalid settings.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from localnet.comet.homes import cometbft
from localnet.comet.node import keep_running, stopped_by_signals
from localnet.comet.validator import ValidatorProcesses
from localnet.process.startup import cannot_start, run_at_home
from pyibc.chain.comet.settings import NodeError, read_app


def main(arguments: Sequence[str]) -> int:
    """Run the supervisor of one validator; return the exit code."""
    return run_at_home("localnet.comet.single_node", arguments, _run)


def _run(home: Path) -> int:
    stopping = stopped_by_signals()
    try:
        read_app(home)
        validator = ValidatorProcesses(home, cometbft())
    except (NodeError, OSError, ValueError) as error:
        return cannot_start(f"{home}: {error}")
    return keep_running([validator], stopping)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
