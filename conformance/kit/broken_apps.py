"""What applications do wrong, and the error that each must come to: never a halt, never two verdicts.

    for name, broken in BROKEN.items():
        assert outcome_of(broken.run) is one of broken.errors

Each runs in a callback or message of `conformance.kit.vandal_apps`, after that has written to a store.
"""

import asyncio
import json
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

from conformance.kit.vandal import STORE
from ibc_core.application.answers import MAX_ACKNOWLEDGEMENT, MAX_EVENT_BYTES, MAX_EVENTS
from ibc_core.application.classic import AppAcknowledgement
from ibc_core.errors import (
    ApplicationFault,
    IbcError,
    InvalidCallbackAnswer,
    InvalidEvent,
    LogicFault,
    OutOfGas,
    TooLarge,
)
from ibc_core.host.context import WriteContext


class Broken(NamedTuple):
    """One thing that goes wrong."""

    run: Callable[[WriteContext, Any], Any]
    """Given the context and the value of the callback; what it returns the callback answers."""
    errors: tuple[type[IbcError], ...] = (ApplicationFault,)


class OwnBaseException(BaseException):
    """No `Exception`, and nothing of the machine's."""


class TextlessRefusal(IbcError):
    """An error whose text cannot be made."""

    codespace: ClassVar[str] = STORE
    code: ClassVar[int] = 2
    text: ClassVar[str] = "{there_is_no_such_field}"


class SuccessfulRefusal(IbcError):
    """An error with the code of success."""

    codespace: ClassVar[str] = STORE
    code: ClassVar[int] = 0


def raising(kind: type[BaseException], *details: Any) -> Callable[[WriteContext, Any], Any]:
    """What raises a `kind`."""

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
    raise OutOfGas(0)  # in a simulation gas never runs out


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


BROKEN: dict[str, Broken] = {
    "key error": Broken(raising(KeyError, "secret")),
    "the same error again": Broken(_raises_again),
    "not ascii": Broken(_decodes_ascii),
    "assertion": Broken(raising(AssertionError)),
    "division": Broken(lambda *_: 1 // 0),
    "attribute": Broken(lambda _, value: value.no_such_field),
    "chained": Broken(_chained),
    "stop iteration": Broken(raising(StopIteration)),
    "generator exit": Broken(raising(GeneratorExit)),
    "cancelled": Broken(raising(asyncio.CancelledError)),
    "own base exception": Broken(raising(OwnBaseException)),
    "group": Broken(raising(BaseExceptionGroup, "many", [KeyError(), OwnBaseException()])),
    "error without text": Broken(raising(TextlessRefusal)),
    "error with code 0": Broken(raising(SuccessfulRefusal)),
    "recursion": Broken(_recurses),
    "recursion, swallowed": Broken(_recurses_and_swallows),
    "deep json": Broken(_reads_deep_json),
    "gas, swallowed": Broken(_swallows_out_of_gas, (OutOfGas,)),
    "an error for an answer": Broken(lambda *_: KeyError(), (InvalidCallbackAnswer,)),
    "another answer": Broken(lambda *_: 5, (InvalidCallbackAnswer,)),
    "endless answer": Broken(
        lambda *_: AppAcknowledgement(success=True, data=bytes(MAX_ACKNOWLEDGEMENT + 1)),
        (TooLarge, InvalidCallbackAnswer),
    ),
    "endless events": Broken(_emits(*[("zoo", ())] * (MAX_EVENTS + 1)), (TooLarge,)),
    "endless event": Broken(_emits(("zoo", (("key", "x" * MAX_EVENT_BYTES),))), (TooLarge,)),
    "event of a number": Broken(_emits(("zoo", (("key", 1),))), (InvalidEvent, LogicFault)),
    "event of half a character": Broken(_emits(("zoo", (("key", "\ud800"),))), (InvalidEvent, LogicFault)),
    "no event": Broken(_emits(None), (InvalidEvent, LogicFault)),
    "stores text": Broken(_stores(b"key", "text"), (LogicFault,)),
    "stores nothing": Broken(_stores(b"key", None), (LogicFault,)),
    "stores at no key": Broken(_stores(b"", b"value"), (LogicFault,)),
    "mutates its arguments": Broken(_mutates),
}
"""By name; the name is how a message asks for it."""
