"""Finds the cometbft binary and checks its version."""

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
    """The cometbft binary: the one `COMETBFT` names, else the one that `find_executable` finds.

    Raises:
        NoCometBft: there is none.
        WrongCometBft: the file is not CometBFT, or not version 0.38.
    """
    path, told = find_executable("cometbft", _VARIABLE), os.environ.get(_VARIABLE)
    if path is None or (told and path != Path(told).resolve()):
        raise NoCometBft(told or "")
    version = _version(path)
    if not _OURS.fullmatch(version):
        raise WrongCometBft(str(path), version[:80])
    return path


def _version(path: Path) -> str:
    """The version the binary reports; raises WrongCometBft."""
    try:
        done = subprocess.run(  # noqa: S603 - the program that is to run, no shell
            [str(path), "version"], capture_output=True, timeout=_PATIENCE_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WrongCometBft(str(path), str(error)) from error
    return done.stdout.decode(errors="replace").strip()
