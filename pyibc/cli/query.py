"""`pyibc query`: what a chain's applications say."""

import click

from pyibc.cli import query_ica


@click.group()
def command() -> None:
    """Ask a chain; submits nothing."""


command.add_command(query_ica.command, "ica")
