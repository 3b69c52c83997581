"""Errors of the host chain, with the codes of the Cosmos SDK (codespace `sdk`)."""

from typing import ClassVar

from ibc_core.errors.base import IbcError


class SdkError(IbcError):
    """Any error of codespace `sdk`."""

    codespace: ClassVar[str] = "sdk"


class TxDecode(SdkError):
    """A transaction or a message in it cannot be decoded, or is not in its deterministic form (ADR-027).

    Bytes that two decoders could read differently would split consensus.

    `sdk/2`: Cosmos SDK's `ErrTxDecode`.
    """

    reason: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "cannot decode transaction: {reason}"


class InvalidSdkSequence(SdkError):
    """An invalid account sequence, as other chains report it.

    Never raised here: a wrong sequence is a `WrongSequence`.

    `sdk/3`: Cosmos SDK's `ErrInvalidSequence`.
    """

    reason: str
    code: ClassVar[int] = 3
    text: ClassVar[str] = "invalid sequence: {reason}"


class UnauthorizedTx(SdkError):
    """A signature does not verify, a required signer is missing, or the account has no right to do this.

    `sdk/4`: Cosmos SDK's `ErrUnauthorized`.
    """

    reason: str
    code: ClassVar[int] = 4
    text: ClassVar[str] = "unauthorized: {reason}"


class InsufficientBalance(SdkError):
    """The account holds less of the denomination than it is to pay.

    `sdk/5`: Cosmos SDK's `ErrInsufficientFunds`.
    """

    address: str
    balance: str
    needed: str
    code: ClassVar[int] = 5
    text: ClassVar[str] = "{address} has {balance}, needs {needed}: insufficient funds"


class UnknownMessage(SdkError):
    """No plugin handles messages of this type URL, or a query's path names no store.

    `sdk/6`: Cosmos SDK's `ErrUnknownRequest`.
    """

    type_url: str
    code: ClassVar[int] = 6
    text: ClassVar[str] = "no handler for message {type_url!a}"


class InvalidSdkAddress(SdkError):
    """An address in a bank message or the fee payer is not bech32 with this chain's prefix.

    `sdk/7`: Cosmos SDK's `ErrInvalidAddress`.
    """

    value: str
    reason: str
    code: ClassVar[int] = 7
    text: ClassVar[str] = "invalid address {value!a}: {reason}"


class InvalidPubKey(SdkError):
    """A signer's public key is missing, malformed, or not the key of the account.

    `sdk/8`: Cosmos SDK's `ErrInvalidPubKey`.
    """

    reason: str
    code: ClassVar[int] = 8
    text: ClassVar[str] = "invalid public key: {reason}"


class UnknownAccount(SdkError):
    """No account has this address: it never received coins.

    `sdk/9`: Cosmos SDK's `ErrUnknownAddress`.
    """

    address: str
    code: ClassVar[int] = 9
    text: ClassVar[str] = "account {address} not found: unknown address"


class InvalidSdkCoins(SdkError):
    """Coins are malformed, unsorted or doubled, or a supply would exceed 2^256-1.

    `sdk/10`: Cosmos SDK's `ErrInvalidCoins`.
    """

    coins: str
    code: ClassVar[int] = 10
    text: ClassVar[str] = "invalid coins {coins!a}"


class OutOfGas(SdkError):
    """The transaction used more gas than its limit; everything that it did is undone.

    `sdk/11`: Cosmos SDK's `ErrOutOfGas`.
    """

    limit: int
    used: int = 0
    code: ClassVar[int] = 11
    text: ClassVar[str] = "out of gas; gasWanted: {limit}, gasUsed: {used}: out of gas"


class MemoTooLarge(SdkError):
    """The transaction's memo is longer than the chain allows; sizes in bytes.

    `sdk/12`: Cosmos SDK's `ErrMemoTooLarge`.
    """

    size: int
    limit: int
    code: ClassVar[int] = 12
    text: ClassVar[str] = "memo of {size} bytes exceeds {limit}"


class InsufficientFee(SdkError):
    """The fee is below this node's minimum gas price times the gas limit, or is not valid coins.

    `sdk/13`: Cosmos SDK's `ErrInsufficientFee`.
    """

    got: str
    needed: str
    code: ClassVar[int] = 13
    # cosmpy reads it, and the gas of OutOfGas
    text: ClassVar[str] = "insufficient fees; got: {got} required: {needed}: insufficient fee"


class TooManySignatures(SdkError):
    """The transaction has more signatures than the chain verifies.

    `sdk/14`: Cosmos SDK's `ErrTooManySignatures`.
    """

    got: int
    limit: int
    code: ClassVar[int] = 14
    text: ClassVar[str] = "{got} signatures, at most {limit}"


class NoSignatures(SdkError):
    """The transaction has no signature, or its messages name no signer.

    `sdk/15`: Cosmos SDK's `ErrNoSignatures`.
    """

    code: ClassVar[int] = 15
    text: ClassVar[str] = "no signatures supplied"


class InvalidSdkRequest(SdkError):
    """A transaction, upgrade plan or query of the host breaks a rule that has no code of its own.

    `sdk/18`: Cosmos SDK's `ErrInvalidRequest`.
    """

    reason: str
    code: ClassVar[int] = 18
    text: ClassVar[str] = "invalid request: {reason}"


class TxInMempool(SdkError):
    """The mempool holds this very transaction already; a relayer takes that for success.

    `sdk/19`: Cosmos SDK's `ErrTxInMempoolCache`.
    """

    code: ClassVar[int] = 19
    text: ClassVar[str] = "transaction is in the mempool already"


class TxTooLarge(SdkError):
    """The transaction is larger than the chain decodes; sizes in bytes.

    `sdk/21`: Cosmos SDK's `ErrTxTooLarge`.
    """

    size: int
    limit: int
    code: ClassVar[int] = 21
    text: ClassVar[str] = "transaction of {size} bytes exceeds {limit}"


class TxTimeoutHeight(SdkError):
    """The block's height is above the transaction's timeout height.

    `sdk/30`: Cosmos SDK's `ErrTxTimeoutHeight`.
    """

    timeout: int
    height: int
    code: ClassVar[int] = 30
    text: ClassVar[str] = "block height: {height}, timeout height: {timeout}: tx timeout height"


class WrongSequence(SdkError):
    """The signature's sequence is not the account's: the transaction ran already, or came too early.

    `sdk/32`: Cosmos SDK's `ErrWrongSequence`.
    """

    expected: int
    got: int
    code: ClassVar[int] = 32
    text: ClassVar[str] = (  # relayers read the first half, or the second
        "account sequence mismatch, expected {expected}, got {got}: incorrect account sequence"
    )


class NotSupported(SdkError):
    """The transaction uses a feature that this host does not have.

    `sdk/37`: Cosmos SDK's `ErrNotSupported`.
    """

    feature: str
    code: ClassVar[int] = 37
    text: ClassVar[str] = "{feature}: feature not supported"


class TxTimeout(SdkError):
    """The block's time is after the transaction's timeout timestamp; both in unix nanoseconds.

    `sdk/42`: Cosmos SDK's `ErrTxTimeout`.
    """

    timeout_ns: int
    time_ns: int
    code: ClassVar[int] = 42
    text: ClassVar[str] = "block time: {time_ns}, timeout timestamp: {timeout_ns}: tx timeout"


class InvalidGasLimit(SdkError):
    """The transaction's gas limit exceeds that of a block, so no block could hold it.

    `sdk/41`: Cosmos SDK's `ErrInvalidGasLimit`.
    """

    got: int
    code: ClassVar[int] = 41
    text: ClassVar[str] = "invalid gas limit {got}"
