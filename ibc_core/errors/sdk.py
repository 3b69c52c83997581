"""Errors of the host chain, with the codes of the Cosmos SDK (codespace `sdk`)."""

from ibc_core.errors.base import IbcError


class SdkError(IbcError):
    """Any error of codespace `sdk`."""

    codespace = "sdk"


class TxDecode(SdkError, code=2, source="Cosmos SDK's `ErrTxDecode`"):
    """A transaction or a message in it cannot be decoded, or is not in its deterministic form (ADR-027).

    Bytes that two decoders could read differently would split consensus.
    """

    reason: str
    text = "cannot decode transaction: {reason}"


class InvalidSdkSequence(SdkError, code=3, source="Cosmos SDK's `ErrInvalidSequence`"):
    """An invalid account sequence, as other chains report it.

    Never raised here: a wrong sequence is a `WrongSequence`.
    """

    reason: str
    text = "invalid sequence: {reason}"


class UnauthorizedTx(SdkError, code=4, source="Cosmos SDK's `ErrUnauthorized`"):
    """A signature does not verify, a required signer is missing, or the account has no right to do this."""

    reason: str
    text = "unauthorized: {reason}"


class InsufficientBalance(SdkError, code=5, source="Cosmos SDK's `ErrInsufficientFunds`"):
    """The account holds less of the denomination than it is to pay."""

    address: str
    balance: str
    needed: str
    text = "{address} has {balance}, needs {needed}: insufficient funds"


class UnknownMessage(SdkError, code=6, source="Cosmos SDK's `ErrUnknownRequest`"):
    """What is asked or answered is nothing known.

    No plugin handles messages of this type URL, a query's path names no store, or rate limits or packet
    forwarding cannot read the acknowledgement of a transfer.
    """

    what: str  # a type URL, a path, or what it is about
    text = "unknown request: {what!a}"


class InvalidSdkAddress(SdkError, code=7, source="Cosmos SDK's `ErrInvalidAddress`"):
    """An address in a bank message or the fee payer is not bech32 with this chain's prefix."""

    value: str
    reason: str
    text = "invalid address {value!a}: {reason}"


class InvalidPubKey(SdkError, code=8, source="Cosmos SDK's `ErrInvalidPubKey`"):
    """A signer's public key is missing, malformed, or not the key of the account."""

    reason: str
    text = "invalid public key: {reason}"


class UnknownAccount(SdkError, code=9, source="Cosmos SDK's `ErrUnknownAddress`"):
    """No account has this address: it never received coins."""

    address: str
    text = "account {address} not found: unknown address"


class InvalidSdkCoins(SdkError, code=10, source="Cosmos SDK's `ErrInvalidCoins`"):
    """Coins are malformed, unsorted or doubled, or a supply would exceed 2^256-1."""

    coins: str
    text = "invalid coins {coins!a}"


class OutOfGas(SdkError, code=11, source="Cosmos SDK's `ErrOutOfGas`"):
    """The transaction used more gas than its limit; everything that it did is undone."""

    limit: int
    used: int = 0
    text = "out of gas; gasWanted: {limit}, gasUsed: {used}: out of gas"


class MemoTooLarge(SdkError, code=12, source="Cosmos SDK's `ErrMemoTooLarge`"):
    """The transaction's memo is longer than the chain allows; sizes in bytes."""

    size: int
    limit: int
    text = "memo of {size} bytes exceeds {limit}"


class InsufficientFee(SdkError, code=13, source="Cosmos SDK's `ErrInsufficientFee`"):
    """The fee is below this node's minimum gas price times the gas limit, or is not valid coins."""

    got: str
    needed: str
    # cosmpy reads it, and the gas of OutOfGas
    text = "insufficient fees; got: {got} required: {needed}: insufficient fee"


class TooManySignatures(SdkError, code=14, source="Cosmos SDK's `ErrTooManySignatures`"):
    """The transaction has more signatures than the chain verifies."""

    got: int
    limit: int
    text = "{got} signatures, at most {limit}"


class NoSignatures(SdkError, code=15, source="Cosmos SDK's `ErrNoSignatures`"):
    """The transaction has no signature, or its messages name no signer."""

    text = "no signatures supplied"


class InvalidSdkRequest(SdkError, code=18, source="Cosmos SDK's `ErrInvalidRequest`"):
    """A transaction, upgrade plan or query of the host breaks a rule that has no code of its own."""

    reason: str
    text = "invalid request: {reason}"


class TxInMempool(SdkError, code=19, source="Cosmos SDK's `ErrTxInMempoolCache`"):
    """The mempool holds this very transaction already; a relayer takes that for success."""

    text = "transaction is in the mempool already"


class TxTooLarge(SdkError, code=21, source="Cosmos SDK's `ErrTxTooLarge`"):
    """The transaction is larger than the chain decodes; sizes in bytes."""

    size: int
    limit: int
    text = "transaction of {size} bytes exceeds {limit}"


class TxTimeoutHeight(SdkError, code=30, source="Cosmos SDK's `ErrTxTimeoutHeight`"):
    """The block's height is above the transaction's timeout height."""

    timeout: int
    height: int
    text = "block height: {height}, timeout height: {timeout}: tx timeout height"


class WrongSequence(SdkError, code=32, source="Cosmos SDK's `ErrWrongSequence`"):
    """The signature's sequence is not the account's: the transaction ran already, or came too early."""

    expected: int
    got: int
    text = (  # relayers read the first half, or the second
        "account sequence mismatch, expected {expected}, got {got}: incorrect account sequence"
    )


class NotSupported(SdkError, code=37, source="Cosmos SDK's `ErrNotSupported`"):
    """The transaction uses a feature that this host does not have."""

    feature: str
    text = "{feature}: feature not supported"


class TxTimeout(SdkError, code=42, source="Cosmos SDK's `ErrTxTimeout`"):
    """The block's time is after the transaction's timeout timestamp; both in unix nanoseconds."""

    timeout_ns: int
    time_ns: int
    text = "block time: {time_ns}, timeout timestamp: {timeout_ns}: tx timeout"


class InvalidGasLimit(SdkError, code=41, source="Cosmos SDK's `ErrInvalidGasLimit`"):
    """The transaction's gas limit exceeds that of a block, so no block could hold it."""

    got: int
    text = "invalid gas limit {got}"
