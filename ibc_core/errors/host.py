"""Errors of ICS-24: identifiers and paths (codespace `host`)."""

from typing import ClassVar

from ibc_core.errors.base import IbcError


class HostError(IbcError):
    """Any error of codespace `host`."""

    codespace: ClassVar[str] = "host"


class InvalidIdentifier(HostError):
    """An identifier has a forbidden length or character, or a client identifier is not `{type}-{N}`.

    Identifiers are parts of store keys: a slash in one would let it name the key of another.

    `host/2`: ICS-24, ibc-go's `ErrInvalidID`.
    """

    kind: str
    value: str
    reason: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "invalid {kind} identifier {value!a}: {reason}"


class InvalidPath(HostError):
    """A Merkle path does not consist of a store's name and a key.

    `host/3`: ICS-24, ibc-go's `ErrInvalidPath`.
    """

    path: str
    code: ClassVar[int] = 3
    text: ClassVar[str] = "invalid path {path!a}"
