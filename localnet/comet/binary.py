"""Where the cometbft program is, and whether it is one that we can run."""

import os
import re
import subprocess
from pathlib import Path

from localnet.comet.errors import NoCometBft, WrongCometBft
from localnet.executables import find_executable

_VARIABLE = "COMETBFT"
_OURS = re.compile(r"v?0\.38\.[0-9]+\S*")
_PATIENCE_S = 30


def cometbft() -> Path:
    """The program: where `COMETBFT` says, or `find_executable` finds it.

    Raises:
        NoCometBft: it is not here.
        WrongCometBft: what is here is none, or of another version than 0.38.
    """
    path, told = find_executable("cometbft", _VARIABLE), os.environ.get(_VARIABLE)
    if path is None or (told and path != Path(told).resolve()):
        raise NoCometBft(told or "")
    version = _version(path)
    if not _OURS.fullmatch(version):
        raise WrongCometBft(str(path), version[:80])
    return path


def _version(path: Path) -> str:
    """What it says its version is; raises WrongCometBft."""
    try:
        done = subprocess.run(  # noqa: S603 - the program that is to run, no shell
            [str(path), "version"], capture_output=True, timeout=_PATIENCE_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WrongCometBft(str(path), str(error)) from error
    return done.stdout.decode(errors="replace").strip()
