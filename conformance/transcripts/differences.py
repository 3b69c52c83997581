"""Intended differences from ibc-go's error codes (docs/adr/0010-differences-to-ibc-go.md).

ibc-go reports unregistered errors as `undefined/1`, and panics as `undefined/111222`. In these cases we must
fail as well, for one of the reasons below; every other code must be identical. Invalid UTF-8 is a special
case: ibc-go detects it only after other checks of a message.
"""

from typing import NamedTuple

from pyibc.codec.strict import NOT_UTF8
from pyibc.core.errors import (
    ClientNotActive,
    HeaderVerificationError,
    IbcError,
    InsufficientBalance,
    InvalidAddress,
    InvalidClient,
    InvalidClientHeader,
    InvalidClientHeight,
    InvalidConsensus,
    InvalidIdentifier,
    InvalidMisbehaviour,
    InvalidRequest,
    InvalidRoute,
    InvalidSdkAddress,
    InvalidSignatureAndData,
    InvalidSolomachineHeader,
    InvalidSolomachineProof,
    InvalidTendermintChainId,
    InvalidValidatorSet,
    LogicFault,
    SignatureVerificationFailed,
    TooLarge,
    TxDecode,
    UnpackAny,
    ZeroChannelValue,
)

UNREGISTERED = ("undefined", 1)
"""Codespace and code of an unregistered Go error."""
PANIC = ("undefined", 111222)
ANYTHING = ""
"""Text contained in every text."""


class Difference(NamedTuple):
    """A kind of error that has a code here but not in ibc-go."""

    text: str  # part of the recorded error text
    ours: tuple[type[IbcError], ...]
    reason: str
    recorded: tuple[str, int] | None = UNREGISTERED  # codespace, code; None: any
    says: str = ANYTHING  # part of our error text


_VERIFIER = (HeaderVerificationError, InvalidClientHeader)
_SIGNED = (SignatureVerificationFailed, InvalidSolomachineHeader)

DIFFERENCES = (
    Difference("MaxExpectedTimePerBlock cannot be zero", (InvalidRequest,), "parameters: plain fmt errors"),
    Difference("allow list must have only one", (InvalidRequest,), "parameters: plain fmt errors"),
    Difference("allowed clients length must not", (InvalidRequest,), "parameters: plain fmt errors"),
    Difference("cannot be blank", (InvalidRequest,), "parameters: plain fmt errors"),
    Difference("duplicate client type", (InvalidRequest,), "parameters: plain fmt errors"),
    Difference("hash is invalid", (InvalidConsensus,), "CometBFT: hash of a wrong size"),
    Difference(
        "trusted validator set i",
        (InvalidValidatorSet, HeaderVerificationError),
        "CometBFT: validators from protobuf",
    ),
    Difference("header is not a tendermint header", _VERIFIER, "CometBFT: header from protobuf"),
    Difference("header failed basic validation", _VERIFIER, "CometBFT: header and commit by themselves"),
    Difference("validator set is not tendermint", _VERIFIER, "CometBFT: validators from protobuf"),
    Difference("failed to verify header", _VERIFIER, "CometBFT: light client verifier"),
    Difference(
        "in Misbehaviour failed",
        (InvalidMisbehaviour, HeaderVerificationError),
        "CometBFT: validators from protobuf",
    ),
    Difference(
        "recovered: no route for", (InvalidRoute,), "IBC v2: no application on the port; a panic", PANIC
    ),
    Difference("allowed relayers length must", (TooLarge,), "IBC v2: plain fmt errors"),
    Difference("invalid relayer address", (InvalidAddress,), "IBC v2: plain fmt errors"),
    Difference(
        "failed to unmarshal proof",
        (InvalidSolomachineProof, SignatureVerificationFailed),
        "protobuf: bytes that are no proof",
    ),
    Difference(
        "failed to verify signature", (InvalidSignatureAndData,), "protobuf: bytes that are no Merkle path"
    ),
    Difference(
        "recovered: unexpected case", (SignatureVerificationFailed,), "a signature of no kind; a panic", PANIC
    ),
    Difference("index out of range", _SIGNED, "more bits set than signatures; a panic", PANIC),
    Difference("recovered: not implemented", _SIGNED, "one signature for a threshold key; a panic", PANIC),
    Difference(
        "recovered: cannot convert",
        (InvalidClient, InvalidClientHeight, ClientNotActive),
        "clients of two types; a panic",
        PANIC,
    ),
    Difference("failed to parse client identifier", (InvalidIdentifier,), "a number beyond 64 bits"),
    Difference(
        "invalid memory address",
        (UnpackAny, InvalidSignatureAndData, InvalidMisbehaviour, LogicFault),
        "no client state, signature or header at all, or ICS-20's receive panics; a panic",
        PANIC,
    ),
    Difference(
        "recovered: regex allowed",
        (InvalidTendermintChainId, InvalidMisbehaviour),
        "a revision beyond 64 bits; a panic",
        PANIC,
    ),
    Difference(
        "recovered: invalid denom",
        (InsufficientBalance, ZeroChannelValue, LogicFault),
        "no coin has such a name; a panic",
        PANIC,
    ),
    Difference(
        "recovered: negative coin amount", (LogicFault,), "more than was ever escrowed; a panic", PANIC
    ),
    Difference("recovered: integer overflow", (LogicFault,), "2^256 of a coin and more; a panic", PANIC),
    Difference("decoding bech32 failed", (InvalidAddress, InvalidSdkAddress), "bech32: plain fmt errors"),
    Difference("invalid Bech32 prefix", (InvalidAddress, InvalidSdkAddress), "bech32: plain fmt errors"),
    Difference(
        "rpc error: code = InvalidArgument", (InvalidAddress, InvalidRequest), "queries of the SDK's modules"
    ),
    Difference("proto: ", (InvalidRequest,), "queries of the SDK's modules"),
    Difference(
        ANYTHING, (TxDecode,), "text that is not UTF-8: Go's decoder takes it at first", None, NOT_UTF8
    ),
)


def explain(codespace: str, code: int, text: str | None, ours: type[IbcError], says: str) -> str | None:
    """Return why our error code may differ from ibc-go's, or None if it may not.

    Args:
        codespace: ibc-go's codespace.
        code: ibc-go's code.
        text: ibc-go's error text, or None if it was not recorded.
        ours: Class of our error.
        says: Text of our error.
    """
    for each in DIFFERENCES:
        same = (text is None or each.text in text) and each.says in says and issubclass(ours, each.ours)
        if same and each.recorded in {None, (codespace, code)}:
            return each.reason
    return None
