"""Errors of ICS-24: identifiers and paths (codespace `host`)."""

from dataclasses import dataclass
from typing import ClassVar

from ibc_core.errors.base import IbcError


@dataclass(eq=False)
class HostError(IbcError):
    """Any error of codespace `host`."""

    codespace: ClassVar[str] = "host"


@dataclass(eq=False)
class InvalidIdentifier(HostError):
    """ICS-24: `host/2`."""

    kind: str
    value: str
    reason: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "invalid {kind} identifier {value!a}: {reason}"


@dataclass(eq=False)
class InvalidPath(HostError):
    """ICS-24: `host/3`."""

    path: str
    code: ClassVar[int] = 3
    text: ClassVar[str] = "invalid path {path!a}"
