"""Errors of the host chain, with the codes of the Cosmos SDK and of ICS-24."""

from pyibc.core.errors.base import IbcError, LogicFault

# -- transactions (codespace `sdk`)


class SdkError(IbcError):
    """Any error of codespace `sdk`."""

    codespace = "sdk"


class TxDecode(SdkError, code=2, source="Cosmos SDK's `ErrTxDecode`"):
    """A transaction or a message in it is malformed, or not in the deterministic encoding (ADR-027).

    Bytes that two decoders read differently would break consensus.
    """

    reason: str
    text = "cannot decode transaction: {reason}"


class InvalidSdkSequence(SdkError, code=3, source="Cosmos SDK's `ErrInvalidSequence`"):
    """An invalid account sequence, as reported by other chains.

    Never raised here: a wrong sequence is a `WrongSequence`.
    """

    reason: str
    text = "invalid sequence: {reason}"


class UnauthorizedTx(SdkError, code=4, source="Cosmos SDK's `ErrUnauthorized`"):
    """A signature does not verify, a required signer is missing, or the account is not authorized."""

    reason: str
    text = "unauthorized: {reason}"


class InsufficientBalance(SdkError, code=5, source="Cosmos SDK's `ErrInsufficientFunds`"):
    """The account's balance of the denomination is too low."""

    address: str
    balance: str
    needed: str
    text = "{address} has {balance}, needs {needed}: insufficient funds"


class UnknownMessage(SdkError, code=6, source="Cosmos SDK's `ErrUnknownRequest`"):
    """A message type, a query path or an acknowledgement is unknown.

    No plugin handles messages of this type URL, a query's path has no valid store, or rate limits or packet
    forwarding cannot decode the acknowledgement of a transfer.
    """

    what: str  # a type URL, a path or a description
    text = "unknown request: {what!a}"


class InvalidSdkAddress(SdkError, code=7, source="Cosmos SDK's `ErrInvalidAddress`"):
    """An address in a bank message, or the fee payer, is not bech32 with this chain's prefix."""

    value: str
    reason: str
    text = "invalid address {value!a}: {reason}"


class InvalidPubKey(SdkError, code=8, source="Cosmos SDK's `ErrInvalidPubKey`"):
    """A signer's public key is missing, malformed, or not that of the account."""

    reason: str
    text = "invalid public key: {reason}"


class UnknownAccount(SdkError, code=9, source="Cosmos SDK's `ErrUnknownAddress`"):
    """No account with this address exists; it never received coins."""

    address: str
    text = "account {address} not found: unknown address"


class InvalidSdkCoins(SdkError, code=10, source="Cosmos SDK's `ErrInvalidCoins`"):
    """Coins are malformed, unsorted or duplicate, or a supply would exceed 2^256-1."""

    coins: str
    text = "invalid coins {coins!a}"


class OutOfGas(SdkError, code=11, source="Cosmos SDK's `ErrOutOfGas`"):
    """The transaction exceeded its gas limit, and is reverted."""

    limit: int
    used: int = 0
    text = "out of gas; gasWanted: {limit}, gasUsed: {used}: out of gas"


class MemoTooLarge(SdkError, code=12, source="Cosmos SDK's `ErrMemoTooLarge`"):
    """The transaction's memo is longer than the chain allows; sizes in bytes."""

    size: int
    limit: int
    text = "memo of {size} bytes exceeds {limit}"


class InsufficientFee(SdkError, code=13, source="Cosmos SDK's `ErrInsufficientFee`"):
    """The fee is below this node's minimum gas price times the gas limit, or is no valid coins."""

    got: str
    needed: str
    # parsed by cosmpy, as the text of OutOfGas
    text = "insufficient fees; got: {got} required: {needed}: insufficient fee"


class TooManySignatures(SdkError, code=14, source="Cosmos SDK's `ErrTooManySignatures`"):
    """The transaction has more signatures than the chain verifies."""

    got: int
    limit: int
    text = "{got} signatures, at most {limit}"


class NoSignatures(SdkError, code=15, source="Cosmos SDK's `ErrNoSignatures`"):
    """The transaction has no signature, or its messages have no signer."""

    text = "no signatures supplied"


class InvalidSdkRequest(SdkError, code=18, source="Cosmos SDK's `ErrInvalidRequest`"):
    """A transaction, an upgrade plan or a query is invalid by a rule without its own code."""

    reason: str
    text = "invalid request: {reason}"


class TxInMempool(SdkError, code=19, source="Cosmos SDK's `ErrTxInMempoolCache`"):
    """The transaction is already in the mempool, which relayers treat as success."""

    text = "transaction is in the mempool already"


class TxTooLarge(SdkError, code=21, source="Cosmos SDK's `ErrTxTooLarge`"):
    """The transaction is larger than the chain accepts; sizes in bytes."""

    size: int
    limit: int
    text = "transaction of {size} bytes exceeds {limit}"


class InvalidSdkHeight(SdkError, code=26, source="Cosmos SDK's `ErrInvalidHeight`"):
    """A query for the state at a future height."""

    asked: int
    last: int
    text = (  # relayers parse the first part
        "cannot query with height in the future; please provide a valid height: {asked} asked for, "
        "the last is {last}: invalid height"
    )


class TxTimeoutHeight(SdkError, code=30, source="Cosmos SDK's `ErrTxTimeoutHeight`"):
    """The block's height is above the transaction's timeout height."""

    timeout: int
    height: int
    text = "block height: {height}, timeout height: {timeout}: tx timeout height"


class WrongSequence(SdkError, code=32, source="Cosmos SDK's `ErrWrongSequence`"):
    """The signature's sequence is not the account's: the transaction was already executed or is too early."""

    expected: int
    got: int
    text = (  # relayers parse the first or the second half
        "account sequence mismatch, expected {expected}, got {got}: incorrect account sequence"
    )


class NotSupported(SdkError, code=37, source="Cosmos SDK's `ErrNotSupported`"):
    """The transaction uses a feature that this host does not have."""

    feature: str
    text = "{feature}: feature not supported"


class StateNotFound(SdkError, code=38, source="Cosmos SDK's `ErrNotFound`"):
    """A query for a state that is pruned, or that lacks the requested data."""

    height: int
    reason: str
    last: int
    text = (  # relayers parse the first part
        "failed to load state at height {height}; {reason} (latest height: {last}): not found"
    )


class TxTimeout(SdkError, code=42, source="Cosmos SDK's `ErrTxTimeout`"):
    """The block's time is after the transaction's timeout timestamp, both in Unix nanoseconds."""

    timeout_ns: int
    time_ns: int
    text = "block time: {time_ns}, timeout timestamp: {timeout_ns}: tx timeout"


class InvalidGasLimit(SdkError, code=41, source="Cosmos SDK's `ErrInvalidGasLimit`"):
    """The transaction's gas limit exceeds the maximum gas of a block or of a transaction."""

    got: int
    limit: int
    text = "tx gas limit {got} exceeds {limit}: invalid gas limit"


# -- bank (codespace `bank`)


class BankError(IbcError):
    """Any error of codespace `bank`."""

    codespace = "bank"


class NoInputs(BankError, code=2, source="Cosmos SDK's `ErrNoInputs`"):
    """A multi-send has no inputs, so there is no payer."""

    text = "no inputs to send transaction"


class NoOutputs(BankError, code=3, source="Cosmos SDK's `ErrNoOutputs`"):
    """A multi-send has no outputs, so there is no payee."""

    text = "no outputs to send transaction"


class InputOutputMismatch(BankError, code=4, source="Cosmos SDK's `ErrInputOutputMismatch`"):
    """The sums of inputs and outputs of a multi-send differ."""

    text = "sum inputs != sum outputs"


class MultipleSenders(BankError, code=9, source="Cosmos SDK's `ErrMultipleSenders`"):
    """A multi-send has several inputs, which is not supported."""

    text = "multiple senders not allowed"


# -- identifiers and paths (ICS-24, codespace `host`)


class HostError(IbcError):
    """Any error of codespace `host`."""

    codespace = "host"


class InvalidIdentifier(HostError, code=2, source="ICS-24, ibc-go's `ErrInvalidID`"):
    """An identifier has an invalid length or character, or a client identifier is not `{type}-{N}`.

    Identifiers are parts of store keys: one with a slash could address the key of another.
    """

    kind: str
    value: str
    reason: str
    text = "invalid {kind} identifier {value!a}: {reason}"


class InvalidPath(HostError, code=3, source="ICS-24, ibc-go's `ErrInvalidPath`"):
    """A Merkle path does not consist of a store's name and a key."""

    path: str
    text = "invalid path {path!a}"


# -- panics (codespace `undefined`)


class ApplicationFault(
    IbcError,
    code=111_222,
    source="the SDK's `ErrPanic`, with which it answers a panic that it recovered from",
):
    """An application, middleware, light client or decoder raised another exception, or nested too deep.

    The transaction fails except for its fee, and may succeed after a fix of the application. The exception
    is in the node's log.
    """

    where: str  # the callback or message, not the exception
    codespace = "undefined"
    text = "panic in {where}; the node's log has the error"


NO_VERDICT = (OutOfGas, LogicFault, ApplicationFault)
"""Errors that are no result of a packet or message: the transaction fails, and may be submitted again.

Code that turns errors into acknowledgements or responses must raise these again. ibc-go panics instead.
"""
