"""Errors of applications that leave something out, or answer what is no answer (codespace `app`, our own)."""

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
