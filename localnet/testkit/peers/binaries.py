"""Where foreign programs are."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BUILT = ROOT / ".cache" / "live" / "bin"
COMETBFT_BUILT = ROOT / ".cache" / "bin"


class PeerMissing(Exception):
    """A foreign program is not on this machine; the message names it and how to get it."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"no {name}: `make live` builds the peers where Go and Rust are,"
            " or IBC_LIVE_BIN names a folder with them"
        )


def peer_binary(name: str) -> Path:
    """The path of a foreign program: of the folder IBC_LIVE_BIN, else of this clone's own cache.

    Raises:
        PeerMissing: it is in none.
    """
    told = os.environ.get("IBC_LIVE_BIN")
    for folder in [*([Path(told)] if told else []), BUILT, COMETBFT_BUILT]:
        path = folder / name
        if path.is_file() and os.access(path, os.X_OK):
            return path
    raise PeerMissing(name)
