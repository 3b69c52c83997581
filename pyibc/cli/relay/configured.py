"""Options and helpers of commands that read a relayer's configuration."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ParamSpec

import click

from pyibc.cli.reporting import reporting
from pyibc.core.errors import IbcError
from pyibc.relayer.clients.attestations.driver import drivers_between
from pyibc.relayer.daemon.chains import Chain
from pyibc.relayer.daemon.config import Config, PathConfig
from pyibc.relayer.daemon.connecting import Connector
from pyibc.relayer.daemon.links import open_link
from pyibc.relayer.errors import WrongConfiguration
from pyibc.relayer.links.link import Link
from pyibc.relayer.money.ledger import Ledger
from pyibc.relayer.queue.link import QueueLink

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
    "--path", "names", multiple=True, help="Only this path; may be repeated.  [default: all]"
)


def over_paths(command: Callable[_P, None]) -> Callable[_P, None]:
    """Add the options of commands for a configuration's paths."""
    for option in (with_json, with_paths, with_config):
        command = option(command)
    return command


reports = reporting((IbcError, OSError), wrong_use=(WrongConfiguration,))
WORK_LEFT = 3
"""Exit code: no error, but packets or paths are left to be relayed."""


@contextmanager
def connected(config: Config, ledger: Ledger | None = None) -> Iterator[dict[str, Chain]]:
    """Yield the chains of a configuration, by id; nothing is queried yet."""
    chains = {chain.id: Chain(chain, Connector(ledger)) for chain in config.chains}
    with ExitStack() as ends:
        for chain in chains.values():
            ends.callback(chain.end)
        yield chains


@contextmanager
def temporary_link(path: PathConfig, chains: dict[str, Chain]) -> Iterator[Link | QueueLink]:
    """Yield the link of a path, with a temporary journal.

    Raises:
        IbcError, OSError: the link cannot be opened.
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
    """Return the paths of these names; all without names.

    Raises:
        WrongConfiguration: there is no path of a name.
    """
    known = {path.label: path for path in config.paths}
    for name in names:
        if name not in known:
            raise WrongConfiguration(str(file), f"no path is called {name!r}: {', '.join(known)}")
    return [known[name] for name in names] if names else list(config.paths)
