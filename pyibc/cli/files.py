"""Errors of files and folders that users name: the fact with the path, then what to do."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pathlib import Path

    from pyibc.relayer.config.model import Config

_WORDS = {
    errno.ENOENT: "there is no such file or folder",
    errno.ENOTDIR: "a part of this path is a file, where a folder is needed: choose another place",
    errno.EISDIR: "this is a folder, where a file is needed: name a file",
    errno.EEXIST: "exists already: choose another name, or move it",
    errno.EACCES: "permission denied: change its permissions (chmod), or choose another place",
    errno.EPERM: "this is not permitted here: choose another place",
    errno.EROFS: "the file system cannot be written to: choose another place",
}
"""Words for errors whose text of the system says neither what a path is nor what to do."""

_SQLITE = {
    "unable to open database file": "its folder must exist and be writable, and it must be a file",
    "file is not a database": "name the file of an earlier run, or a new one",
}
"""Advice about errors of SQLite, by their text."""

NEW_KEY = (
    "`pyibc keys add NAME --new` makes a key in ~/.pyibc/keys,"
    " `pyibc localnet keys --export WALLET --out FILE` writes that of a localnet's wallet"
)
_NEW_CONFIG = (
    "`pyibc localnet relayer --out FOLDER` writes one for a localnet, `pyibc relay from-hermes FILE` converts"
    " that of Hermes, and docs/relayer.md has one to begin with"
)


def reason_of_path(error: OSError) -> str:
    """Return the words for an error of a file or folder; "" if the system's own text is clear."""
    is_systems = error.errno is not None and error.strerror == os.strerror(error.errno)
    return _WORDS.get(error.errno or 0, "") if is_systems else ""


def with_advice(text: str) -> str:
    """Return the text of an error of SQLite with what to do; other texts as they are."""
    return next((f"{text}: {advice}" for words, advice in _SQLITE.items() if text.endswith(words)), text)


@contextmanager
def wanted(advice: str, what: str = "file") -> Iterator[None]:
    """Add to the error of a missing file what to do, such as the command that writes it."""
    try:
        yield
    except FileNotFoundError as error:
        told = f"there is no such {what}: {advice}"
        raise FileNotFoundError(errno.ENOENT, told, error.filename) from error


def read_relayer_config(file: "Path") -> "Config":
    """Read a relayer's configuration; if there is none, the error says what writes one.

    Raises:
        WrongConfiguration: as for `read_config`.
    """
    from pyibc.relayer.config.file import read_config

    with told_of_config():
        return read_config(file)


@contextmanager
def told_of_config(advice: str = _NEW_CONFIG) -> Iterator[None]:
    """Say of a configuration that cannot be read why, and what to do."""
    from pyibc.relayer.errors import WrongConfiguration

    try:
        yield
    except WrongConfiguration as error:
        cause = error.__cause__
        if isinstance(cause, FileNotFoundError):
            reason = f"there is no such file: {advice}"
        elif isinstance(cause, OSError) and reason_of_path(cause):
            reason = reason_of_path(cause)
        elif isinstance(cause, UnicodeDecodeError):
            reason = "is not text in UTF-8: name a file in TOML"
        else:
            raise
        raise WrongConfiguration(error.file, reason) from cause


def read_content(file: "Path") -> bytes:
    """Return the content of FILE, or of standard input for "-".

    Raises:
        OSError: it cannot be read.
    """
    with wanted('write it, or use "-" for standard input'), click.open_file(str(file), "rb") as source:
        return bytes(source.read())
