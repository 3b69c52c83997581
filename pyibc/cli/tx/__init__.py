"""`pyibc tx`: sign and send messages of a user."""

import click

from pyibc.cli.tx import channel, gmp, ica, queue, transfer


@click.group("tx")
def command() -> None:
    """Sign a user's message and send it in a transaction."""


for _module in (channel, gmp, ica, queue, transfer):
    command.add_command(_module.command)
