"""Errors of applications: left out or no answer (codespace `app`, our own), or broken (`undefined`)."""

from ibc_core.errors.base import IbcError


class AppError(IbcError):
    """Any error of codespace `app`."""

    codespace = "app"


class CallbackNotImplemented(AppError, code=2, source="ICS-26; ibc-go has no code"):
    """The application on this port has no such callback: the handshake, the close or the packet is refused.

    An application that says nothing would otherwise let anybody close its channels.
    """

    application: str
    callback: str
    text = "{application} does not implement {callback}"


class InvalidCallbackAnswer(AppError, code=3, source="ICS-26; ibc-go has no code"):
    """A callback returned a value of another type than the protocol expects.

    The message fails: whatever the value means, it is not written into the state.
    """

    application: str
    callback: str
    expected: str
    got: str  # the type of the value, never the value
    text = "{application}.{callback} returned {got}, expected {expected}"


class InvalidEvent(AppError, code=4, source="ICS-26; ibc-go has no code, Go's compiler refuses it"):
    """An application emitted what is no event: `(type, ((key, value), ...))`, tuples of text."""

    got: str  # the type of what is wrong, never its value
    text = "an event is (type, ((key, value), ...)), tuples of text; found {got}"


class ApplicationFault(
    IbcError,
    code=111_222,
    source="the SDK's `ErrPanic`, with which it answers a panic that it recovered from",
):
    """An application, middleware, light client or decoder raised what is no `IbcError`, or called too deep.

    The transaction fails, and may succeed once the application is mended: nothing of it remains but its fee.
    What was raised stands in the node's log.
    """

    where: str  # which callback or message; not what was raised
    codespace = "undefined"
    text = "panic in {where}; the node's log has the error"
