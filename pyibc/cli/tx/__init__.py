"""`pyibc tx`: sign and send messages of a user."""

import click

from pyibc.cli.tx import bank, channel, gmp, ica, json_message, queue, raw, transfer


@click.group("tx")
def command() -> None:
    """Sign a user's message and send it in a transaction."""


for _module in (bank, channel, gmp, ica, json_message, queue, raw, transfer):
    command.add_command(_module.command)
