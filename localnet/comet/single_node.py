"""Supervises one validator or full node: `python -m localnet.comet.single_node HOME`.

Runs the application and CometBFT of the home and restarts them when they exit. Exit codes: 0 stopped by
SIGTERM or SIGINT, 1 the application failed on its first start, 2 invalid settings.
"""

import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from localnet.comet.binary import cometbft
from localnet.comet.node import keep_running, stopped_by_signals
from localnet.comet.settings import read_app
from localnet.comet.validator import Validator
from localnet.errors import LocalnetError

log = logging.getLogger("localnet")


def main(arguments: Sequence[str]) -> int:
    """Runs the process; returns its exit code."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    if len(arguments) != 1:
        log.error("usage: python -m localnet.comet.single_node HOME")
        return 2
    stopping = stopped_by_signals()
    home = Path(arguments[0]).resolve()
    try:
        read_app(home)
        validator = Validator(home, cometbft())
    except (LocalnetError, OSError, ValueError) as error:
        log.error("%s: %s", home, error)  # noqa: TRY400 - wrong settings, not a bug
        return 2
    return keep_running([validator], stopping)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
