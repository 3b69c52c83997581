"""`pyibc tx`: sign and send messages of a user."""

import click

from pyibc.cli.tx.messages import bank_command, channel_command, json_message_command, raw_command
from pyibc.cli.tx.queue import command as queue_command
from pyibc.cli.tx.remote_accounts import gmp_command, ica_command
from pyibc.cli.tx.transfer import command as transfer_command


@click.group("tx")
def command() -> None:
    """Sign a user's message and send it in a transaction."""


for _each in (
    bank_command,
    channel_command,
    gmp_command,
    ica_command,
    json_message_command,
    queue_command,
    raw_command,
    transfer_command,
):
    command.add_command(_each)
