"""Errors of applications that leave something out, or answer what is no answer (codespace `app`, our own)."""

from dataclasses import dataclass
from typing import ClassVar

from ibc_core.errors.base import IbcError


@dataclass(eq=False)
class AppError(IbcError):
    """Any error of codespace `app`."""

    codespace: ClassVar[str] = "app"


@dataclass(eq=False)
class CallbackNotImplemented(AppError):
    """ICS-26: `app/2`."""

    application: str
    callback: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "{application} has no {callback}: it is refused"


@dataclass(eq=False)
class InvalidCallbackAnswer(AppError):
    """ICS-26: `app/3`."""

    application: str
    callback: str
    expected: str
    got: str  # the type of what it answered, never its text
    code: ClassVar[int] = 3
    text: ClassVar[str] = "{application}.{callback} answers {got}, expected {expected}"
