"""The command `pyibc`. Each command is a module that is imported on use."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EPIPE
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from pyibc.cli.added_commands import added, load, summary_of
from pyibc.cli.reporting import sentence_of, tell_causes
from pyibc.installation import NotInstalled, lacking, need

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COMMANDS = {
    "demo": "run two chains, relay packets between them, and index them with Spark",
    "init": "write the project of a new chain: an application, tests, settings of a localnet",
    "localnet": "chains on this machine: up, list, status, stop, reset",
    "cometbft": "install CometBFT, for localnets under it",
    "tx": "sign a user's message: transfers, interchain accounts",
    "keys": "your keys: add, list, show, import, export",
    "relay": "relay packets between two chains",
    "query": "show what happened on a chain: transactions, balances, packets",
    "watch": "freeze light clients after misbehaviour of a chain",
    "export": "write past blocks of a node, for index",
    "index": "report the state of every packet, from exports or recordings of a node",
    "completion": "complete commands and options in bash, zsh or fish",
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


def _shown() -> Iterator[tuple[str, str]]:
    """Iterate over the commands of this distribution, each with its line of the help."""
    absent = {extra for extra in set(NEEDS.values()) if lacking(extra)}
    for name, text in COMMANDS.items():
        needed = NEEDS.get(name)
        yield name, f"{text} (needs pyibc[{needed}])" if needed in absent else text


def _summaries_of_others() -> dict[str, str]:
    return {name: summary_of(each) for name, each in added().items() if name not in COMMANDS}


def _can_load(name: str) -> bool:
    """Return whether a command of this distribution has what it needs, or one of others can be imported."""
    if name in COMMANDS:
        return not (name in NEEDS and lacking(NEEDS[name]))
    entry_point = added().get(name)
    with suppress(click.ClickException):
        return entry_point is not None and bool(load(entry_point))
    return False


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
        return [*COMMANDS, *(name for name in added() if name not in COMMANDS)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command `cmd_name`, then call the context's object, if any; completion imports none."""
        command: click.Command
        if ctx.resilient_parsing and not _can_load(cmd_name):  # a shell asks for completions
            return None
        if ctx.resilient_parsing and cmd_name in COMMANDS:
            from pyibc.cli.completion import known

            return known(cmd_name)
        if cmd_name in COMMANDS:
            if cmd_name in NEEDS:
                need(NEEDS[cmd_name])
            command = import_module(f"pyibc.cli.{cmd_name}").command
        elif (entry_point := added().get(cmd_name)) is not None:
            command = load(entry_point)
        else:
            return None
        if ctx.obj is not None:
            ctx.obj()
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list["CompletionItem"]:
        """Return completions of a command's name or an option, without importing any command."""
        from click.shell_completion import CompletionItem

        lines = {**dict(_shown()), **_summaries_of_others()}
        found = {name: text for name, text in lines.items() if name.startswith(incomplete)}
        names = [CompletionItem(name, help=text) for name, text in found.items()]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]

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
            formatter.write_dl([*_shown(), *_summaries_of_others().items()])


def _version(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if not value or context.resilient_parsing:
        return
    from ibc_module import __version__

    click.echo(f"pyibc, version {__version__}")
    context.exit()


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_version,
    help="Show the version and exit.",
)
def main() -> None:
    """IBC for chains written in Python.

    Start with `pyibc demo`. Exit codes: 0 done, 1 failed or interrupted, 2 wrong use, 3 packets are left or
    something was found, 4 the chain does not have what was asked for; commands that run until interrupted
    (--follow) exit with 0 then.
    """
