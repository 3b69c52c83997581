"""Where the cometbft program is."""

import os
import shutil
from pathlib import Path

from localnet.comet.errors import NoCometBft

_CLONE = Path(__file__).resolve().parents[2]


def cometbft() -> Path:
    """The program: `COMETBFT`, else in `IBC_LIVE_BIN`, the clone's `.cache`, or on the search path.

    Raises:
        NoCometBft: it is at none of these.
    """
    folders = [os.environ.get("IBC_LIVE_BIN"), _CLONE / ".cache/bin", _CLONE / ".cache/live/bin"]
    for path in (os.environ.get("COMETBFT"), *_within(folders), shutil.which("cometbft")):
        if path and Path(path).is_file():
            return Path(path).resolve()
    raise NoCometBft


def _within(folders: list[str | Path | None]) -> list[Path]:
    return [Path(folder) / "cometbft" for folder in folders if folder]
