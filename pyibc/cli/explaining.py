"""Errors in one sentence, and the causes that `--verbose` adds."""

import re
from collections.abc import Iterator

import click

from pyibc.cli.files import reason_of_path, with_advice
from pyibc.http.reasons import reason_of
from pyibc.installation import lacking

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
