"""`python -m pyibc.examples.kvchain HOME ADDRESS [socket|grpc]`: serves the chain to CometBFT."""

import logging
import sys
from pathlib import Path

from pyibc.abci import BadAddress, Transport, run
from pyibc.examples.kvchain.snapshots import SnapshottingKvApp

TRANSPORTS: dict[str, Transport] = {"socket": "socket", "grpc": "grpc"}


def main(arguments: list[str]) -> int:
    """Serve until SIGTERM or SIGINT."""
    home, address, transport = (*arguments, "socket")[:3] if len(arguments) in {2, 3} else ("", "", "")
    if transport not in TRANSPORTS:
        print(__doc__, file=sys.stderr)
        return 2
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    try:
        return run(SnapshottingKvApp(Path(home)), address, transport=TRANSPORTS[transport])
    except (BadAddress, OSError) as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
