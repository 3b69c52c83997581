"""What the commands share that read a relayer's configuration."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ParamSpec

import click

from ibc_core.errors import IbcError
from ibc_relayer.attestations.between import drivers_between
from ibc_relayer.daemon.chains import Chain
from ibc_relayer.daemon.config import Config, PathConfig
from ibc_relayer.daemon.connecting import Connector
from ibc_relayer.daemon.links import open_link
from ibc_relayer.errors import WrongConfiguration
from ibc_relayer.ledger import Ledger
from ibc_relayer.link import Link
from ibc_relayer.queue.link import QueueLink
from pyibc.cli.reporting import reporting

_P = ParamSpec("_P")
with_config = click.option(
    "--config",
    "file",
    type=click.Path(path_type=Path),
    default=Path("relayer.toml"),
    show_default=True,
    help="Chains and paths (docs/relayer.md).",
)
with_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
with_paths = click.option(
    "--path", "names", multiple=True, help="This path alone; may be repeated.  [default: all]"
)


def over_paths(command: Callable[_P, None]) -> Callable[_P, None]:
    """Adds the options of commands over a configuration's paths."""
    for option in (with_json, with_paths, with_config):
        command = option(command)
    return command


reports = reporting((IbcError, OSError), wrong_use=(WrongConfiguration,))
WORK_LEFT = 3
"""Exit code: nothing went wrong, and something is left to be done."""


@contextmanager
def connected(config: Config, ledger: Ledger | None = None) -> Iterator[dict[str, Chain]]:
    """The chains of a configuration, by id; nothing is asked of them yet."""
    chains = {chain.id: Chain(chain, Connector(ledger)) for chain in config.chains}
    with ExitStack() as ends:
        for chain in chains.values():
            ends.callback(chain.end)
        yield chains


@contextmanager
def looked_at(path: PathConfig, chains: dict[str, Chain]) -> Iterator[Link | QueueLink]:
    """The link of a path, with a journal that is thrown away.

    Raises:
        IbcError, OSError: it cannot be made.
    """
    with TemporaryDirectory() as folder:
        a, b = chains[path.a], chains[path.b]
        drivers = drivers_between(a.config.quorum, b.config.quorum)
        link = open_link(path, a.endpoint(), b.endpoint(), Path(folder) / "journal.db", drivers)
        try:
            yield link
        finally:
            link.close()


def chosen(file: Path, config: Config, names: tuple[str, ...]) -> list[PathConfig]:
    """The paths of these names; all without any.

    Raises:
        WrongConfiguration: there is none of a name.
    """
    known = {path.label: path for path in config.paths}
    for name in names:
        if name not in known:
            raise WrongConfiguration(str(file), f"no path is called {name!r}: {', '.join(known)}")
    return [known[name] for name in names] if names else list(config.paths)
