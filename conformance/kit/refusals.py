"""Refusal tests as tables: a change to a valid message, and the exact error it must cause."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from conformance.kit.staged_block import Attempt, StagedBlock
from pyibc.core.errors import IbcError
from pyibc.core.host.context import WriteContext

Change = Callable[[StagedBlock, Any], Any]
"""Staged block and valid message -> invalid message; may also change the block's state."""


class Row(NamedTuple):
    """One row: a change and the expected error."""

    name: str
    change: Change
    error: type[IbcError]
    fields: Mapping[str, Any] = {}  # expected fields of the error
    undone: bool = False  # the message fails after writes, which the host reverts

    def __repr__(self) -> str:  # pytest's id
        return self.name


def setting(**changes: Any) -> Change:
    """Replace fields of the message."""
    return lambda _, message: replace(message, **changes)


def packet_setting(**changes: Any) -> Change:
    """Replace fields of the message's packet."""
    return lambda _, message: replace(message, packet=replace(message.packet, **changes))


def mutating(change: Callable[[WriteContext, Any], None]) -> Change:
    """Change the chain's state instead of the message."""

    def applied(stage: StagedBlock, message: Any) -> Any:
        change(stage.ctx, message)
        return message

    return applied


def expect_refusal(stage: StagedBlock, message: Any, error: type[IbcError], **fields: Any) -> IbcError:
    """Run a message that must fail without any write or event; return the error.

    Raises:
        AssertionError: it succeeded, failed with another error, or left writes or events.
    """
    return _expect_no_trace(stage.attempt(message), error, fields)


def expect_call_refused(
    stage: StagedBlock, call: Callable[[WriteContext], Any], error: type[IbcError], **fields: Any
) -> IbcError:
    """Make a module's call that must fail without any write or event; return the error.

    Raises:
        AssertionError: see `expect_refusal`.
    """
    return _expect_no_trace(stage.call(call), error, fields)


def _expect_no_trace(attempt: Attempt, error: type[IbcError], fields: Mapping[str, Any]) -> IbcError:
    _compare(attempt.error, error, fields)
    if attempt.writes or attempt.events:
        raise AssertionError(f"a refusal wrote {list(attempt.writes)} and emitted {attempt.events}")
    return attempt.error or error()


def expect_undone(stage: StagedBlock, message: Any, error: type[IbcError], **fields: Any) -> IbcError:
    """Run a message that must fail after writes, which the host's branch must revert.

    Raises:
        AssertionError: it succeeded, failed with another error, or its writes remain.
    """
    before, events = stage.writes(), len(stage.ctx.events)
    refusal = None
    try:
        stage.run(message)
    except IbcError as raised:
        refusal = raised
    _compare(refusal, error, fields)
    if stage.writes() != before or len(stage.ctx.events) != events:
        raise AssertionError("the host did not revert the writes of a refused message")
    return refusal or error()


def check_row(stage: StagedBlock, message: Any, row: Row) -> IbcError:
    """Run one row of a table; return the error.

    Raises:
        AssertionError: see `expect_refusal`.
    """
    expect = expect_undone if row.undone else expect_refusal
    return expect(stage, row.change(stage, message), row.error, **row.fields)


def _compare(got: IbcError | None, wanted: type[IbcError], fields: Mapping[str, Any]) -> None:
    if type(got) is not wanted:
        raise AssertionError(f"expected {wanted.__name__}, got {type(got).__name__}: {got}")
    shown = {name: getattr(got, name) for name in fields}
    if shown != fields:
        raise AssertionError(f"{wanted.__name__} says {shown}, expected {fields}")
