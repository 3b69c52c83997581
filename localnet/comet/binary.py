"""Location of external executables: CometBFT, and the peers of live tests."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from localnet.errors import NoCometBft, WrongCometBft
from pyibc.installation import ROOT

_CACHES = (
    Path(ROOT, ".cache/bin"),
    Path(ROOT, ".cache/live/bin"),
)  # of `make` in a clone


def own_folder() -> Path:
    """Return the folder into which `pyibc cometbft install` builds."""
    return Path(os.path.expanduser("~/.pyibc/bin")).absolute()  # noqa: PTH111 - there may be no home directory


def find_executable(name: str, variable: str = "") -> Path | None:
    """Return the path of an executable, None if there is none.

    It is that in the environment `variable`, else the first one in IBC_LIVE_BIN, the clone's `.cache`,
    `~/.pyibc/bin` or PATH.
    """
    told, folder = os.environ.get(variable), os.environ.get("IBC_LIVE_BIN")
    folders = [*([Path(folder)] if folder else []), *_CACHES, own_folder()]
    for path in (told, *(each / name for each in folders), shutil.which(name)):
        if path and Path(path).is_file() and os.access(path, os.X_OK):
            return Path(path).resolve()
    return None


# -- location of the cometbft binary, and check of its version

_VARIABLE = "COMETBFT"
_OURS = re.compile(r"v?0\.38\.[0-9]+\S*")
_PATIENCE_S = 30


def cometbft() -> Path:
    """Return the path of the cometbft binary: the one in `COMETBFT`, else that of `find_executable`.

    Raises:
        NoCometBft: CometBFT is not installed.
        WrongCometBft: the file is not CometBFT, or not version 0.38.
    """
    path, told = find_executable("cometbft", _VARIABLE), os.environ.get(_VARIABLE)
    if path is None or (told and path != Path(told).resolve()):
        raise NoCometBft(told or "")
    version = version_of(path)
    if not _OURS.fullmatch(version):
        raise WrongCometBft(str(path), version[:80])
    return path


def version_of(path: Path) -> str:
    """Return the version that the binary reports; raise WrongCometBft."""
    try:
        done = subprocess.run(  # noqa: S603 - the program that is to run, no shell
            [str(path), "version"], capture_output=True, timeout=_PATIENCE_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WrongCometBft(str(path), str(error)) from error
    return done.stdout.decode(errors="replace").strip()
