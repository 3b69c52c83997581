"""Faults of applications, and the error that each must cause: never a halt, never different verdicts.

    for name, broken in FAULTS.items():
        assert outcome_of(broken.run) is one of broken.errors

Each fault occurs in a callback or message of `conformance.kit.tampering_apps`, after a write to a store.
"""

import asyncio
import json
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

from conformance.kit.tampering import STORE
from pyibc.core.application.classic import AppAcknowledgement
from pyibc.core.errors import (
    ApplicationFault,
    IbcError,
    InvalidCallbackAnswer,
    InvalidEvent,
    LogicFault,
    OutOfGas,
    TooLarge,
)
from pyibc.core.host.context import WriteContext
from pyibc.isolation.limits import MAX_ACKNOWLEDGEMENT, MAX_EVENT_BYTES, MAX_EVENTS


class Fault(NamedTuple):
    """One fault."""

    run: Callable[[WriteContext, Any], Any]
    """Called with the context and the callback's value; its result becomes the callback's result."""
    errors: tuple[type[IbcError], ...] = (ApplicationFault,)


class OwnBaseException(BaseException):
    """A BaseException that is neither an `Exception` nor one of Python's own."""


class TextlessRefusal(IbcError):
    """An error whose text cannot be rendered."""

    codespace: ClassVar[str] = STORE
    code: ClassVar[int] = 2
    text: ClassVar[str] = "{there_is_no_such_field}"


class SuccessfulRefusal(IbcError):
    """An error with the success code 0."""

    codespace: ClassVar[str] = STORE
    code: ClassVar[int] = 0


def raising(kind: type[BaseException], *details: Any) -> Callable[[WriteContext, Any], Any]:
    """Return a fault that raises a `kind`."""

    def run(_ctx: WriteContext, _value: Any) -> Any:
        raise kind(*details)

    return run


_MADE_ONCE = KeyError("made once")


def _raises_again(_ctx: WriteContext, _value: Any) -> Any:
    raise _MADE_ONCE


def _decodes_ascii(_ctx: WriteContext, _value: Any) -> Any:
    return "é".encode().decode("ascii")


def _recurses(_ctx: WriteContext, value: Any, levels: int = 100_000) -> Any:
    return _recurses(_ctx, value, levels - 1) if levels else None


def _recurses_and_swallows(ctx: WriteContext, value: Any) -> Any:
    try:
        return _recurses(ctx, value)
    except BaseException:  # noqa: BLE001 - what it is here for
        ctx.store(STORE).set(b"went on", b"1")
        return None


def _reads_deep_json(_ctx: WriteContext, _value: Any) -> Any:
    return json.loads("[" * 100_000)


def _swallows_out_of_gas(ctx: WriteContext, _value: Any) -> Any:
    for _ in range(10_000):
        try:
            ctx.store(STORE).set(b"endless", b"x" * 100_000)
        except OutOfGas:
            return None
    raise OutOfGas(0)  # gas is unlimited in simulations


def _emits(*events: Any) -> Callable[[WriteContext, Any], Any]:
    def run(ctx: WriteContext, _value: Any) -> Any:
        for event in events:
            ctx.emit(event)

    return run


def _stores(key: Any, value: Any) -> Callable[[WriteContext, Any], Any]:
    return lambda ctx, _: ctx.store(STORE).set(key, value)


def _mutates(_ctx: WriteContext, value: Any) -> Any:
    value[0] = "another"


def _chained(_ctx: WriteContext, _value: Any) -> Any:
    try:
        return int("first")
    except ValueError as first:
        raise KeyError("then") from first


FAULTS: dict[str, Fault] = {
    "key error": Fault(raising(KeyError, "secret")),
    "the same error again": Fault(_raises_again),
    "not ascii": Fault(_decodes_ascii),
    "assertion": Fault(raising(AssertionError)),
    "division": Fault(lambda *_: 1 // 0),
    "attribute": Fault(lambda _, value: value.no_such_field),
    "chained": Fault(_chained),
    "stop iteration": Fault(raising(StopIteration)),
    "generator exit": Fault(raising(GeneratorExit)),
    "cancelled": Fault(raising(asyncio.CancelledError)),
    "own base exception": Fault(raising(OwnBaseException)),
    "group": Fault(raising(BaseExceptionGroup, "many", [KeyError(), OwnBaseException()])),
    "error without text": Fault(raising(TextlessRefusal)),
    "error with code 0": Fault(raising(SuccessfulRefusal)),
    "recursion": Fault(_recurses),
    "recursion, swallowed": Fault(_recurses_and_swallows),
    "deep json": Fault(_reads_deep_json),
    "gas, swallowed": Fault(_swallows_out_of_gas, (OutOfGas,)),
    "an error for an answer": Fault(lambda *_: KeyError(), (InvalidCallbackAnswer,)),
    "another answer": Fault(lambda *_: 5, (InvalidCallbackAnswer,)),
    "endless answer": Fault(
        lambda *_: AppAcknowledgement(success=True, data=bytes(MAX_ACKNOWLEDGEMENT + 1)),
        (TooLarge, InvalidCallbackAnswer),
    ),
    "endless events": Fault(_emits(*[("zoo", ())] * (MAX_EVENTS + 1)), (TooLarge,)),
    "endless event": Fault(_emits(("zoo", (("key", "x" * MAX_EVENT_BYTES),))), (TooLarge,)),
    "event of a number": Fault(_emits(("zoo", (("key", 1),))), (InvalidEvent, LogicFault)),
    "event of half a character": Fault(_emits(("zoo", (("key", "\ud800"),))), (InvalidEvent, LogicFault)),
    "no event": Fault(_emits(None), (InvalidEvent, LogicFault)),
    "stores text": Fault(_stores(b"key", "text"), (LogicFault,)),
    "stores nothing": Fault(_stores(b"key", None), (LogicFault,)),
    "stores at no key": Fault(_stores(b"", b"value"), (LogicFault,)),
    "mutates its arguments": Fault(_mutates),
}
"""Faults by name; a message names the fault it asks for."""
