"""`pyibc query`: what happened on a chain, and what its applications know."""

import click

from pyibc.cli.query import account, bank, channel, gmp, ica, listed, packet, queue, rate_limits, tx


@click.group("query")
def command() -> None:
    """Show what happened on a chain; queries of applications print JSON, as the chain's own command."""


for _module in (account, bank, channel, gmp, ica, packet, queue, rate_limits, tx):
    command.add_command(_module.command)
for _each in (listed.channels, listed.client, listed.clients, listed.connection, listed.connections):
    command.add_command(_each)
