"""What the commands share that read a relayer's configuration."""

from pathlib import Path

import click

from ibc_core.errors import IbcError
from ibc_relayer.errors import WrongConfiguration
from pyibc.cli.reporting import reporting

with_config = click.option(
    "--config",
    "file",
    type=click.Path(path_type=Path),
    default=Path("relayer.toml"),
    show_default=True,
    help="Chains and paths (docs/relayer.md).",
)
with_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
reports = reporting((IbcError, OSError), wrong_use=(WrongConfiguration,))
WORK_LEFT = 3
"""Exit code: nothing went wrong, and something is left to be done."""
