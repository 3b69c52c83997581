"""`pyibc query`: what applications on a chain know, asked of a node."""

import click

from pyibc.cli.query_ica import command as ica
from pyibc.cli.query_rate_limits import command as rate_limits


@click.group("query")
def command() -> None:
    """Ask a node what the applications of its chain know; answers are JSON, as of the chain's own command."""


command.add_command(ica)
command.add_command(rate_limits)
