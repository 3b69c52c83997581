"""Locates external executables: CometBFT, and the peers that live tests run."""

import os
import shutil
from pathlib import Path

_CLONE = Path(__file__).resolve().parents[1]
_CACHES = (_CLONE / ".cache/bin", _CLONE / ".cache/live/bin")


def find_executable(name: str, variable: str = "") -> Path | None:
    """The path from the environment `variable`, else from IBC_LIVE_BIN, the clone's `.cache` or PATH.

    Or None.
    """
    told, folder = os.environ.get(variable), os.environ.get("IBC_LIVE_BIN")
    folders = [*([Path(folder)] if folder else []), *_CACHES]
    for path in (told, *(each / name for each in folders), shutil.which(name)):
        if path and Path(path).is_file() and os.access(path, os.X_OK):
            return Path(path).resolve()
    return None
