"""`pyibc query`: what happened on a chain, and what its applications know."""

import click

from pyibc.cli.query.accounts import account_command, bank_command
from pyibc.cli.query.applications import gmp_command, ica_command, rate_limits_command
from pyibc.cli.query.ends import channel_command, channels, client, clients, connection, connections
from pyibc.cli.query.packet import command as packet_command
from pyibc.cli.query.queue import command as queue_command
from pyibc.cli.query.tx import command as tx_command


@click.group("query")
def command() -> None:
    """Show what happened on a chain; queries of applications print JSON, as the chain's own command."""


for _each in (
    account_command,
    bank_command,
    channel_command,
    gmp_command,
    ica_command,
    packet_command,
    queue_command,
    rate_limits_command,
    tx_command,
    channels,
    client,
    clients,
    connection,
    connections,
):
    command.add_command(_each)
