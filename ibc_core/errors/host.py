"""Errors of ICS-24: identifiers and paths (codespace `host`)."""

from ibc_core.errors.base import IbcError


class HostError(IbcError):
    """Any error of codespace `host`."""

    codespace = "host"


class InvalidIdentifier(HostError, code=2, source="ICS-24, ibc-go's `ErrInvalidID`"):
    """An identifier has a forbidden length or character, or a client identifier is not `{type}-{N}`.

    Identifiers are parts of store keys: a slash in one would let it name the key of another.
    """

    kind: str
    value: str
    reason: str
    text = "invalid {kind} identifier {value!a}: {reason}"


class InvalidPath(HostError, code=3, source="ICS-24, ibc-go's `ErrInvalidPath`"):
    """A Merkle path does not consist of a store's name and a key."""

    path: str
    text = "invalid path {path!a}"
