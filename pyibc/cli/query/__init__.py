"""`pyibc query`: what happened on a chain, and what its applications know."""

import click

from pyibc.cli.query.account import command as account_command
from pyibc.cli.query.bank import command as bank_command
from pyibc.cli.query.channel import command as channel_command
from pyibc.cli.query.gmp import command as gmp_command
from pyibc.cli.query.ica import command as ica_command
from pyibc.cli.query.listed import channels, client, clients, connection, connections
from pyibc.cli.query.packet import command as packet_command
from pyibc.cli.query.queue import command as queue_command
from pyibc.cli.query.rate_limits import command as rate_limits_command
from pyibc.cli.query.tx import command as tx_command


@click.group("query")
def command() -> None:
    """Show what happened on a chain; queries of applications print JSON, as the chain's own command."""


command.add_command(account_command)
command.add_command(bank_command)
command.add_command(channel_command)
command.add_command(gmp_command)
command.add_command(ica_command)
command.add_command(packet_command)
command.add_command(queue_command)
command.add_command(rate_limits_command)
command.add_command(tx_command)

for _each in (channels, client, clients, connection, connections):
    command.add_command(_each)
