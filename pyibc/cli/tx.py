"""`pyibc tx`: messages of a user, signed and sent."""

import click

from pyibc.cli import tx_ica, tx_transfer


@click.group()
def command() -> None:
    """Sign a user's message and put it into a block."""


command.add_command(tx_transfer.command, "transfer")
command.add_command(tx_ica.command, "ica")
