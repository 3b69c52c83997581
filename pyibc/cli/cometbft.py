"""`pyibc cometbft`: the consensus engine of `pyibc localnet up --consensus cometbft`."""

import os
import shutil
from pathlib import Path

import click

from localnet.comet.homes import cometbft, own_folder, version_of
from localnet.comet.install import MODULE, VERSION, Deadline, install
from localnet.errors import LocalnetError, NoCometBft, WrongCometBft
from pyibc.cli.progress import progress
from pyibc.cli.reporting import reporting

_NEXT = "`pyibc localnet up --consensus cometbft` uses it"
_ABCI = "; with --abci grpc it takes less CPU (needs pyibc[node])"


@click.group()
def command() -> None:
    """CometBFT, for `pyibc localnet up --consensus cometbft`."""


@command.command(name="install")
@click.option(
    "--timeout",
    type=click.FloatRange(1, 86_400),
    default=1_800.0,
    show_default=True,
    help="Seconds after which to give up.",
)
@reporting((LocalnetError, OSError), wrong_use=ValueError)
def install_command(timeout: float) -> None:
    """Build CometBFT by Go into ~/.pyibc/bin, unless one is found.

    One is found by the variable COMETBFT, in .cache/bin of a clone, in ~/.pyibc/bin, or on PATH. Otherwise
    the released source is fetched by `go mod download` from GOPROXY, compared with its checksum, and built
    with the dependencies of its go.sum. Prints the path of the binary.
    """
    found = _usable()
    if found is not None:
        click.echo(f"CometBFT {version_of(found)} is installed already; {_NEXT}", err=True)
        click.echo(found)
        return
    click.echo(f"building CometBFT {VERSION} from {MODULE}, by Go, into {own_folder()}", err=True)
    with progress("looking for Go") as step:
        path = install(Deadline(timeout), step)
    click.echo(f"CometBFT {VERSION} is installed; {_NEXT}{_ABCI}", err=True)
    click.echo(path)


def _usable() -> Path | None:
    """Return the CometBFT that a localnet uses already; None: one has to be built.

    Raises:
        NoCometBft, WrongCometBft: the one that comes first is not usable, and would come before a built one.
    """
    ours, on_path = own_folder() / "cometbft", shutil.which("cometbft")
    try:
        found = cometbft()
    except NoCometBft as error:
        if error.told:
            raise
        return None
    except WrongCometBft as error:
        later = {each.resolve() for each in (ours, on_path and Path(on_path)) if each}
        if os.environ.get("COMETBFT") or Path(error.path) not in later:
            raise
        return None
    return None if found == ours.resolve() and version_of(found) != VERSION else found
