"""The command `pyibc`. Each command is a module that is imported on use."""

from collections.abc import Iterator
from contextlib import contextmanager
from errno import EPIPE
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import click

from ibc_module import __version__
from pyibc.cli.explaining import sentence_of, tell_causes
from pyibc.installation import NotInstalled, lacking, need

COMMANDS = {
    "demo": "run two chains, relay packets between them, and index them with Spark",
    "init": "write the project of a new chain: an application, tests, settings of a localnet",
    "localnet": "chains on this machine: up, list, status, stop, reset",
    "tx": "sign a user's message: transfers, interchain accounts",
    "keys": "your keys: add, list, show, import, export",
    "relay": "relay packets between two chains",
    "query": "show what happened on a chain: transactions, balances, packets",
    "watch": "freeze light clients after misbehaviour of a chain",
    "export": "write past blocks of a node, for index",
    "index": "report the state of every packet, from exports or recordings of a node",
    "doctor": "check this machine for missing requirements, and show how to install them",
}
NEEDS = {
    "demo": "localnet",
    "localnet": "localnet",
    "tx": "relayer",
    "keys": "relayer",
    "relay": "relayer",
    "query": "relayer",
    "watch": "relayer",
    "export": "relayer",
    "index": "indexer",
}
"""The extra of the distribution that each command needs."""
GROUP = "pyibc.commands"
"""Entry points of other distributions that add commands. The help shows the distribution's summary."""


def _added() -> dict[str, EntryPoint]:
    return {each.name: each for each in entry_points(group=GROUP) if each.name not in COMMANDS}


def _summary(added: EntryPoint) -> str:
    return (added.dist and added.dist.metadata["Summary"]) or ""


def _shown(name: str, text: str) -> str:
    extra = NEEDS.get(name)
    return f"{text} (needs pyibc[{extra}])" if extra and lacking(extra) else text


def _loaded(added: EntryPoint) -> click.Command:
    try:
        command = added.load()
    except (ImportError, AttributeError) as error:
        raise click.ClickException(f"{added.name} cannot be loaded from {added.value}: {error}") from error
    if not isinstance(command, click.Command):
        raise click.ClickException(f"{added.value} is not a click command, so {added.name} cannot be run")
    return command


@contextmanager
def _one_line() -> Iterator[None]:
    """Report a missing extra, or an unusable file, folder or output, in one line with exit code 1."""
    try:
        yield
    except (NotInstalled, OSError) as error:
        if isinstance(error, OSError) and error.errno == EPIPE:  # the reader has exited: click handles it
            raise
        raise click.ClickException(sentence_of(error)) from error


class LazyGroup(click.Group):
    """A group that imports a command on use, so that `pyibc doctor` never imports Spark."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return every command, in the order of the help."""
        return [*COMMANDS, *_added()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command `cmd_name`, then call the context's object, if any."""
        command: click.Command
        if cmd_name in COMMANDS:
            if cmd_name in NEEDS:
                need(NEEDS[cmd_name])
            command = import_module(f"pyibc.cli.{cmd_name}").command
        elif (added := _added().get(cmd_name)) is not None:
            command = _loaded(added)
        else:
            return None
        if ctx.obj is not None:
            ctx.obj()
        return command

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; report an unusable file or folder in one line, with exit code 1.

        With --follow an interrupt is exit code 0, also before the command has started.
        """
        follows = "--follow" in ctx.args
        try:
            with _one_line():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            if follows:
                ctx.exit(0)
            raise
        except click.ClickException as error:
            if error.__cause__ is not None:
                tell_causes(error.__cause__)
            raise

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Parse the arguments; --help and --version print here already."""
        with _one_line():
            return super().make_context(*args, **kwargs)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write one line per command, without importing any."""
        with formatter.section("Commands"):
            ours = [(name, _shown(name, text)) for name, text in COMMANDS.items()]
            formatter.write_dl([*ours, *((name, _summary(added)) for name, added in _added().items())])


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="pyibc")
def main() -> None:
    """IBC for chains written in Python.

    Start with `pyibc demo`. Exit codes: 0 done, 1 failed or interrupted, 2 wrong use, 3 packets are left or
    something was found, 4 the chain does not have what was asked for; commands that run until interrupted
    (--follow) exit with 0 then.
    """
