"""`python -m examples.kvchain HOME ADDRESS`: serves the chain to CometBFT (`--proxy_app ADDRESS`)."""

import logging
import sys
from pathlib import Path

from examples.kvchain.snapshots import SnapshottingKvApp
from pyibc.abci import BadAddress, run


def main(arguments: list[str]) -> int:
    """Serves until it is told to stop."""
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    home, address = arguments
    try:
        return run(SnapshottingKvApp(Path(home)), address)
    except (BadAddress, OSError) as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
