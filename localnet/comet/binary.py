"""Where the cometbft program is."""

from pathlib import Path

from localnet.comet.errors import NoCometBft
from localnet.programs import find_program


def cometbft() -> Path:
    """The program: where `COMETBFT` says, or `find_program` finds it.

    Raises:
        NoCometBft: it is not here.
    """
    path = find_program("cometbft", "COMETBFT")
    if path is None:
        raise NoCometBft
    return path
