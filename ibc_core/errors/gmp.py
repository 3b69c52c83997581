"""Errors of general message passing (codespace `gmp`, ibc-go's 27-gmp).

Of ibc-go's others nobody hears: `ErrInvalidCodec` (1) is a host set up wrongly, `ErrAbiDecoding` (7) stands
behind `ibc/12`, `ErrInvalidMsgRoute` (11) behind an unknown type, and nothing raises `ErrAbiEncoding` (8) and
`ErrAccountAlreadyExists` (9).
"""

from ibc_core.errors.base import IbcError


class GmpError(IbcError):
    """Any error of codespace `gmp`."""

    codespace = "gmp"


class InvalidCallMemo(GmpError, code=2, source="ICS-27 GMP, ibc-go's `ErrInvalidMemo`"):
    """A call's memo is too long."""

    size: int  # bytes
    limit: int
    text = "memo of {size} bytes exceeds {limit}"


class InvalidSalt(GmpError, code=3, source="ICS-27 GMP, ibc-go's `ErrInvalidSalt`"):
    """A call's salt is too long."""

    size: int  # bytes
    limit: int
    text = "salt of {size} bytes exceeds {limit}"


class InvalidCallPayload(GmpError, code=4, source="ICS-27 GMP, ibc-go's `ErrInvalidPayload`"):
    """A call is too long, is not from port to port of calls, has no messages, or one with several signers."""

    reason: str
    text = "invalid payload: {reason}"


class InvalidCallTimeout(GmpError, code=5, source="ICS-27 GMP, ibc-go's `ErrInvalidTimeoutTimestamp`"):
    """A call without a timeout."""

    text = "timeout timestamp must be greater than 0"


class InvalidCallEncoding(GmpError, code=6, source="ICS-27 GMP, ibc-go's `ErrInvalidEncoding`"):
    """A call in an encoding other than JSON, protobuf or Solidity's ABI."""

    encoding: str
    text = "unsupported encoding {encoding!a}"


class CallAccountNotFound(GmpError, code=10, source="ICS-27 GMP, ibc-go's `ErrAccountNotFound`"):
    """The host has no account where one was registered: a genesis left it out."""

    address: str
    text = "account {address} not found"


class InvalidCallVersion(GmpError, code=12, source="ICS-27 GMP, ibc-go's `ErrInvalidVersion`"):
    """A payload is of another version than `ics27-2`."""

    expected: str
    got: str
    text = "expected version {expected}, got {got!a}"
