"""`pyibc tx`: messages of a user, signed and sent."""

import click

from pyibc.cli import tx_ica


@click.group()
def command() -> None:
    """Sign a user's message and put it into a block."""


command.add_command(tx_ica.command, "ica")
