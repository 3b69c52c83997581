"""`pyibc keys`: the keys of a user, in a folder of the home directory; names that receivers may have."""

import os
from pathlib import Path

import click

from pyibc.cli.relay.keys import SUFFIX, is_key_name
from pyibc.cli.relay.keys import command as relay_keys
from pyibc.relayer.money.keys import read_wallet

FOLDER = Path(os.path.expanduser("~/.pyibc/keys"))  # noqa: PTH111 - a user may have no home directory

command = click.Group(
    "keys",
    commands=relay_keys.commands,
    context_settings={"default_map": {name: {"folder": str(FOLDER)} for name in relay_keys.commands}},
    help="Manage your keys in files of mode 0600: names for receivers, and files for --key.",
)


def stored_address(name: str, prefix: str) -> str:
    """Return the address of the user's key `name`; "": there is none.

    Raises:
        KeyExposed, KeyRefused: the file is not private, or has no key.
        OSError: it cannot be read.
    """
    file = FOLDER / f"{name}{SUFFIX}"
    if not is_key_name(name) or not file.is_file():
        return ""
    return read_wallet(str(file), prefix).address.text
