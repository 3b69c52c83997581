"""Errors of applications: left out or no answer (codespace `app`, our own), or broken (`undefined`)."""

from typing import ClassVar

from ibc_core.errors.base import IbcError


class AppError(IbcError):
    """Any error of codespace `app`."""

    codespace: ClassVar[str] = "app"


class CallbackNotImplemented(AppError):
    """The application on this port has no such callback: the handshake, the close or the packet is refused.

    An application that says nothing would otherwise let anybody close its channels.

    `app/2`: ICS-26; ibc-go has no code.
    """

    application: str
    callback: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "{application} does not implement {callback}"


class InvalidCallbackAnswer(AppError):
    """A callback returned a value of another type than the protocol expects.

    The message fails: whatever the value means, it is not written into the state.

    `app/3`: ICS-26; ibc-go has no code.
    """

    application: str
    callback: str
    expected: str
    got: str  # the type of the value, never the value
    code: ClassVar[int] = 3
    text: ClassVar[str] = "{application}.{callback} returned {got}, expected {expected}"


class InvalidEvent(AppError):
    """An application emitted what is no event: `(type, ((key, value), ...))`, tuples of text.

    `app/4`: ICS-26; ibc-go has no code, Go's compiler refuses it.
    """

    got: str  # the type of what is wrong, never its value
    code: ClassVar[int] = 4
    text: ClassVar[str] = "an event is (type, ((key, value), ...)), tuples of text; found {got}"


class ApplicationFault(IbcError):
    """An application, middleware, light client or decoder raised what is no `IbcError`, or called too deep.

    The transaction fails, and may succeed once the application is mended: nothing of it remains but its fee.
    What was raised stands in the node's log.

    `undefined/111222`: the SDK's `ErrPanic`, with which it answers a panic that it recovered from.
    """

    where: str  # which callback or message; not what was raised
    codespace: ClassVar[str] = "undefined"
    code: ClassVar[int] = 111_222
    text: ClassVar[str] = "panic in {where}; the node's log has the error"
