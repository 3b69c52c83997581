"""Options and helpers of commands that read a relayer's configuration."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, ParamSpec

import click

from pyibc.cli.progress import progress
from pyibc.cli.reporting import reporting, with_all
from pyibc.core.errors import IbcError
from pyibc.relayer.clients.attestations.driver import drivers_between
from pyibc.relayer.config.model import Config, DaemonConfig, PathConfig, is_pattern
from pyibc.relayer.daemon.chains import Chain
from pyibc.relayer.daemon.channel_pattern import group_name, scan_all
from pyibc.relayer.daemon.connecting import Connector
from pyibc.relayer.daemon.links import open_link
from pyibc.relayer.errors import DaemonRunning, WrongConfiguration
from pyibc.relayer.links.link import Link
from pyibc.relayer.links.options import DEFAULT_OPTIONS
from pyibc.relayer.money.ledger import Ledger
from pyibc.relayer.money.spending_file import SUFFIX, SpendingFile
from pyibc.relayer.packets.policy import NO_SEQUENCES, Policy, Sequences
from pyibc.relayer.paths.path import Path as ChannelPath
from pyibc.relayer.queue.link import QueueLink
from pyibc.relayer.rpc.client import printable

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
    return with_all(command, (with_config, with_paths, with_json))


reports = reporting((IbcError, OSError), wrong_use=(WrongConfiguration, DaemonRunning))
WORK_LEFT = 3
"""Exit code: no error, but packets or paths are left to be relayed."""


class LinkPart(NamedTuple):
    """Link of a configured path, or one of those of a path with patterns."""

    path: PathConfig
    name: str
    channels: tuple[ChannelPath, ...]  # of a pattern


@contextmanager
def connected(config: Config, books: DaemonConfig | None = None) -> Iterator[dict[str, Chain]]:
    """Yield the chains of a configuration, by id; nothing is queried yet.

    Transactions and the day's spending are kept in the files that `books` names, None: nowhere.
    """
    with ExitStack() as ends:
        connect = Connector(None)
        if books is not None:
            ledger = ends.enter_context(closing(Ledger(Path(books.ledger))))
            spending = ends.enter_context(closing(SpendingFile(Path(books.journal + SUFFIX))))
            connect = Connector(ledger, spending=spending)
        chains = {chain.id: Chain(chain, connect) for chain in config.chains}
        for chain in chains.values():
            ends.callback(chain.end)
        yield chains


def link_parts(path: PathConfig, chains: dict[str, Chain]) -> list[LinkPart]:
    """Return the links of a path: one, or with patterns one for each pair of clients.

    Raises:
        IbcError, OSError: the channels of a pattern cannot be listed.
    """
    if not is_pattern(path):
        return [LinkPart(path, path.label, ())]
    a, b = chains[path.a], chains[path.b]
    drivers = drivers_between(a.config.quorum, b.config.quorum)
    with progress(f"looking for the channels of {path.label}"):
        found = scan_all(path, a.endpoint(), b.endpoint(), drivers)
    for name, reason in found.reasons.items():
        click.echo(f"{path.label}: {name} is left out: {printable(reason)}", err=True)
    if found.left_out > len(found.reasons):
        click.echo(f"{path.label}: {found.left_out} channels are left out in all", err=True)
    return [LinkPart(path, group_name(path.label, pair), paths) for pair, paths in found.groups.items()]


@contextmanager
def temporary_link(
    part: LinkPart, chains: dict[str, Chain], only: Sequences = NO_SEQUENCES
) -> Iterator[Link | QueueLink]:
    """Yield one link of a path, with a temporary journal; it relays `only` some packets, empty: all.

    Raises:
        IbcError, OSError: the link cannot be opened.
    """
    path = part.path
    with TemporaryDirectory() as folder:
        a, b = chains[path.a], chains[path.b]
        drivers = drivers_between(a.config.quorum, b.config.quorum)
        journal = Path(folder) / "journal.db"
        with progress(f"opening {part.name}"):
            options = DEFAULT_OPTIONS._replace(policy=Policy(only=only))
            link = open_link(path, a.endpoint(), b.endpoint(), journal, drivers, options, part.channels)
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
