"""The command `pyibc`. Each command is a module that is imported when it is called."""

from collections.abc import Iterator
from contextlib import contextmanager
from errno import EPIPE
from importlib import import_module
from typing import Any

import click

from ibc_core.installation import NotInstalled, has, need
from ibc_module import __version__
from pyibc.cli import judges

COMMANDS = {
    "demo": "two chains, real packets, Spark: the whole of it in one go",
    "localnet": "chains on this machine: up, list, status, stop, reset",
    "tx": "sign a user's message: transfers, interchain accounts",
    "relay": "relay packets between two chains",
    "query": "what applications on a chain know: rate limits, interchain accounts",
    "watch": "freeze light clients that somebody lies to",
    "export": "blocks of a node's past, for index",
    "index": "say where every packet is, from exports or a node's recordings",
    "doctor": "what is missing on this machine, and the mend",
}
NEEDS = {
    "demo": ("localnet",),
    "localnet": ("localnet",),
    "tx": ("ibc_relayer",),
    "relay": ("ibc_relayer",),
    "query": ("ibc_relayer",),
    "watch": ("ibc_relayer",),
    "export": ("ibc_indexer", "ibc_relayer"),
    "index": ("ibc_indexer",),
}
"""Command -> the packages, of distributions of their own, that do the work."""
JUDGES = {"conformance": "run conformance vectors"}
"""Available in a clone only."""


def _listed() -> dict[str, str]:
    return COMMANDS | JUDGES if judges.present() else COMMANDS


def _shown(name: str, text: str) -> str:
    return text if all(map(has, NEEDS.get(name, ()))) else f"{text} (not installed)"


@contextmanager
def _one_line() -> Iterator[None]:
    """What is not installed, and an unusable file, folder or output, are one line and exit code 1."""
    try:
        yield
    except NotInstalled as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        if error.errno == EPIPE:  # the reader of our output is gone: click handles it
            raise
        reason = error.strerror or str(error)
        raise click.ClickException(f"{error.filename}: {reason}" if error.filename else reason) from error


class LazyGroup(click.Group):
    """A group that imports a command when it is called, so that `pyibc doctor` never imports Spark."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Every command, in the order of the help."""
        return list(_listed())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Imports the command `cmd_name`, then calls the context's object, if any."""
        command: click.Command
        if cmd_name in JUDGES:
            command = judges.command()
        elif cmd_name in COMMANDS:
            for package in NEEDS.get(cmd_name, ()):
                need(package)
            command = import_module(f"pyibc.cli.{cmd_name}").command
        else:
            return None
        if ctx.obj is not None:
            ctx.obj()
        return command

    def invoke(self, ctx: click.Context) -> object:
        """Runs the command; an unusable file or folder is one line and exit code 1.

        With --follow an interrupt is exit code 0, also before the command has started.
        """
        follows = "--follow" in ctx.args
        with _one_line():
            try:
                return super().invoke(ctx)
            except KeyboardInterrupt:
                if follows:
                    ctx.exit(0)
                raise

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Reads the command's words; --help and --version print already here."""
        with _one_line():
            return super().make_context(*args, **kwargs)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """One line per command, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, _shown(name, text)) for name, text in _listed().items()])


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="pyibc")
def main() -> None:
    """IBC for chains written in Python.

    Start with `pyibc demo`. Exit codes: 0 done, 1 it went wrong or was interrupted, 2 wrong use, 3 packets
    are left or something was found; what goes on until interrupted (--follow) ends with 0 then.
    """
