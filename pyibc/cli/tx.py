"""`pyibc tx`: messages of a user, signed and sent."""

import click

from pyibc.cli.tx_ica import command as ica
from pyibc.cli.tx_transfer import command as transfer


@click.group("tx")
def command() -> None:
    """Sign a user's message and put it into a block."""


command.add_command(ica)
command.add_command(transfer, "transfer")
