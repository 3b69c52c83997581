"""Errors of commands as one sentence, the causes that `--verbose` adds, and the exit code."""

import errno
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec

import click

from pyibc.http.reasons import reason_of
from pyibc.installation import lacking

if TYPE_CHECKING:
    from pathlib import Path

    from pyibc.relayer.config.model import Config

_VERBOSE = "pyibc.verbose"
_STAMP = re.compile(r"^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:,]{8,12} [A-Z]{4,8} ")
"""Time and level before a line of a log."""


def _remember(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value:
        context.meta[_VERBOSE] = True


verbose_option = click.option(
    "--verbose",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_remember,
    help="Print the causes of an error.",
)
"""Decorator of commands that report errors by `sentence_of`."""


def sentence_of(error: BaseException) -> str:
    """Return an error in one sentence: the fact, then what to do; without queries and codes."""
    if isinstance(error, OSError):
        reason = reason_of(error)
        return f"{error.filename}: {reason_of_path(error) or reason}" if error.filename else reason
    if isinstance(error, KeyError) and error.args:
        return str(error.args[0])
    if not lacking("relayer") and (found := _of_chain(error)):
        return found
    text, log = str(error), str(getattr(error, "log", "")).rstrip()
    if log and text.endswith(log):  # of a process: its last line says why
        return f"{text.splitlines()[0]}: {_STAMP.sub('', log.splitlines()[-1])}"
    return with_advice(text) or type(error).__name__


def _of_chain(error: BaseException) -> str:
    """Return the sentence of what a chain or its node refused; "" for any other error."""
    from pyibc.relayer.chain.simulation import message_of
    from pyibc.relayer.errors import EndpointRefused, TransactionFailed

    if isinstance(error, TransactionFailed):
        return f"{error.chain_id} refused {error.what}: {message_of(error.log) or error.refusal}"
    if isinstance(error, EndpointRefused) and "rpc error: code" in error.reason:
        return f"{error.chain_id} refused the query: {message_of(error.reason)}"
    return ""


def causes_of(error: BaseException) -> Iterator[str]:
    """Iterate over an error and its causes as they are, each with its type; nothing twice."""
    seen = set[int]()
    at: BaseException | None = error
    while at is not None and id(at) not in seen:
        seen.add(id(at))
        yield f"{type(at).__name__}: {_whole(at)}"
        at = at.__cause__ or (None if at.__suppress_context__ else at.__context__)


def _whole(error: BaseException) -> str:
    """Return the text of an error with what its sentence leaves out."""
    text, log = str(error), str(getattr(error, "log", "")).strip()
    return text if log in text else f"{text}\n{log}"


def is_verbose() -> bool:
    """Return whether the running command has --verbose."""
    context = click.get_current_context(silent=True)
    return bool(context and context.meta.get(_VERBOSE))


def tell_causes(error: BaseException) -> None:
    """With --verbose, print an error and its causes to stderr."""
    if is_verbose():
        for each in causes_of(error):
            click.echo(f"cause: {each}", err=True)


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


P = ParamSpec("P")
Errors = type[Exception] | tuple[type[Exception], ...]
Decorator = Callable[[Callable[P, None]], Callable[P, None]]


def with_all(command: Callable[P, None], options: Sequence[Decorator[P]]) -> Callable[P, None]:
    """Add options to a command, which shows them in this order."""
    for option in reversed(options):
        command = option(command)
    return command


def reporting(failures: Errors, *, wrong_use: Errors) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Decorate a command: `wrong_use` ends it with exit code 2, `failures` with 1; adds --verbose."""

    def decorate(run: Callable[P, None]) -> Callable[P, None]:
        @wraps(run)
        def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
            try:
                run(*args, **kwargs)
            except wrong_use as error:
                _fail(error, 2)
            except failures as error:
                if isinstance(error, BrokenPipeError):  # output closed: click handles it
                    raise
                _fail(error, 1)

        return verbose_option(wrapped)

    return decorate


def _fail(error: Exception, code: int) -> None:
    click.echo(f"error: {sentence_of(error)}", err=True)
    tell_causes(error)
    sys.exit(code)


# -- orderly stop of commands that run until a signal


@contextmanager
def stopped_by_signals(stop: threading.Event) -> Iterator[None]:
    """Set `stop` on SIGINT and SIGTERM within the `with` block."""
    before = {each: signal.signal(each, lambda *_: stop.set()) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
