"""`pyibc query`: queries of applications on a chain."""

import click

from pyibc.cli.query.channel import command as channel_command
from pyibc.cli.query.gmp import command as gmp_command
from pyibc.cli.query.ica import command as ica_command
from pyibc.cli.query.queue import command as queue_command
from pyibc.cli.query.rate_limits import command as rate_limits_command


@click.group("query")
def command() -> None:
    """Query the applications of a chain; results are JSON, as from the chain's own command."""


command.add_command(channel_command)
command.add_command(gmp_command)
command.add_command(ica_command)
command.add_command(queue_command)
command.add_command(rate_limits_command)
