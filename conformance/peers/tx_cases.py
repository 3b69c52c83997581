"""Unusual transactions, with the expected CheckTx result of our host and of ibc-go's `simd`.

`simd` takes no fees (its ante handler has no DeductFee), so it accepts invalid fees; chains that take fees
reject them with our code.
"""

from typing import NamedTuple

from conformance.peers.tx_draft import Draft
from conformance.peers.tx_mutations import (
    PASSING,
    UNKNOWN,
    Mutation,
    body,
    duplicate_signer_info,
    fee,
    gas,
    high_s,
    key,
    many_messages,
    message_tail,
    mode,
    multisig,
    only_message,
    option,
    other_prefix,
    own_key,
    padded,
    payer,
    paying,
    sequence,
    signatures,
    signed_as,
    signed_twice,
    swapped,
    tail,
    two_senders,
    two_signers,
    two_signers_crossed,
    unknown_account,
    until,
    without_auth,
)
from pyibc.chain.bank.send import MSG_SEND
from pyibc.core.errors import (
    IbcError,
    InsufficientBalance,
    InsufficientFee,
    InvalidGasLimit,
    InvalidPubKey,
    InvalidSdkAddress,
    InvalidSdkCoins,
    InvalidSdkRequest,
    MemoTooLarge,
    NoSignatures,
    NotSupported,
    OutOfGas,
    TxDecode,
    TxTimeout,
    TxTimeoutHeight,
    UnauthorizedTx,
    UnknownAccount,
    WrongSequence,
)

ACCEPTED = "taken"
PANIC = "undefined/111222"  # a recovered Go panic
FEES = "simd takes no fees"
STRICT = "our CheckTx rejects what there fails in the block"


class TxCase(NamedTuple):
    """One transaction and the expected results."""

    name: str
    mutate: Mutation
    ours: type[IbcError] | None = None  # error of our CheckTx; None: accepted
    go: str = ""  # `codespace/code` of ibc-go's CheckTx, or ACCEPTED; "": the same as ours
    why: str = ""  # reason for the difference

    def bytes_of(self, draft: Draft) -> bytes:
        """Return the signed transaction."""
        made = self.mutate(draft)
        return made if isinstance(made, bytes) else draft.signed()

    @property
    def expected(self) -> str:
        """Our expected `codespace/code`, or ACCEPTED."""
        return f"{self.ours.codespace}/{self.ours.code}" if self.ours else ACCEPTED

    @property
    def expected_there(self) -> str:
        """ibc-go's expected `codespace/code`, or ACCEPTED."""
        return self.go or self.expected


HUGE = str(2**256)

TX_CASES: tuple[TxCase, ...] = (
    TxCase("as it should be", lambda _: None),
    # sequence, number, chain
    TxCase("a sequence ahead", sequence(3), WrongSequence),
    TxCase("another account number", signed_as(number=99), UnauthorizedTx),
    TxCase("another chain's", lambda draft: setattr(draft, "chain_id", "other-1"), UnauthorizedTx),
    TxCase("no account", unknown_account, UnknownAccount),
    # fee
    TxCase("a fee that is not there", fee(("stake", "1" + "0" * 30)), InsufficientBalance, ACCEPTED, FEES),
    TxCase("a fee of 0", fee(("stake", "0")), InsufficientFee, ACCEPTED, FEES),
    TxCase("a fee without digits", fee(("stake", "")), InsufficientFee),
    TxCase("a fee below 0", fee(("stake", "-1")), InsufficientFee),
    TxCase("a fee that is no number", fee(("stake", "x")), TxDecode),
    TxCase("a fee of 2^256", fee(("stake", HUGE)), TxDecode),
    TxCase("a fee with a plus", fee(("stake", "+1"))),
    TxCase("fees out of order", fee(("stake", "1"), ("aaa", "1")), InsufficientFee, ACCEPTED, FEES),
    TxCase("a fee twice", fee(("stake", "1"), ("stake", "1")), InsufficientFee, ACCEPTED, FEES),
    TxCase("a fee of no name", fee(("!", "1")), InsufficientFee, ACCEPTED, FEES),
    TxCase("no fee at all", lambda draft: draft.auth.ClearField("fee"), OutOfGas, PANIC, "a panic there"),
    TxCase("the payer is the signer", lambda draft: payer(draft.people[0].address)(draft)),
    TxCase("a payer who does not sign", payer(None), UnauthorizedTx),
    TxCase("a payer who signs", payer(None, signs=True)),
    TxCase("a payer who is no address", payer("garbage"), InvalidSdkAddress),
    TxCase(
        "a granter",
        lambda draft: setattr(draft.auth.fee, "granter", draft.people[1].address),
        InvalidSdkRequest,
        ACCEPTED,
        FEES,
    ),
    # gas
    TxCase("gas 0", gas(0), OutOfGas),
    TxCase("gas 1", gas(1), OutOfGas),
    TxCase("gas 2^63-1", gas(2**63 - 1), InvalidGasLimit, ACCEPTED, "`HostConfig.limits`"),
    TxCase("gas 2^63", gas(2**63), InvalidGasLimit, "sdk/18", "`HostConfig.block_gas`"),
    # timeouts
    TxCase("a height that has passed", body(timeout_height=1), TxTimeoutHeight),
    TxCase("a height beyond int64", body(timeout_height=2**63)),
    TxCase("a time that has passed", until(1), TxTimeout),
    TxCase("a time before 1970", until(-5), TxTimeout),
    TxCase("a time to come", until(4_102_444_800)),
    TxCase("the time 0", until(0)),
    TxCase("nanoseconds below 0", until(4_102_444_800, -7), TxDecode),
    TxCase("the year 10000", until(253_402_300_800), TxDecode),
    TxCase("unordered", body(unordered=True), NotSupported),
    # texts
    TxCase("a memo of 256", body(memo="m" * 256)),
    TxCase("a memo of 257", body(memo="m" * 257), MemoTooLarge),
    TxCase("a memo of 258 bytes in 129 characters", body(memo="é" * 129), MemoTooLarge),
    TxCase(
        "a memo that is not UTF-8",
        tail("body", b"\x12\x02\xff\xfe"),
        TxDecode,
        ACCEPTED,
        "Go looks at no text",
    ),
    # signers
    TxCase("two signers", two_signers),
    TxCase("two senders, one signs", two_senders, UnauthorizedTx),
    TxCase("two signers crossed", two_signers_crossed, UnauthorizedTx),
    TxCase("a signer info twice", duplicate_signer_info, TxDecode),
    TxCase("signed twice", signed_twice, UnauthorizedTx),
    TxCase("no signer info", lambda draft: draft.auth.ClearField("signer_infos"), TxDecode),
    TxCase("no signature", signatures(lambda _: []), NoSignatures),
    TxCase("an empty signature", signatures(lambda _: [b""]), UnauthorizedTx),
    TxCase("63 bytes of signature", signatures(lambda good: [good[0][:63]]), UnauthorizedTx),
    TxCase("65 bytes of signature", signatures(lambda good: [good[0] + b"\0"]), UnauthorizedTx),
    TxCase("a signature of zeros", signatures(lambda _: [bytes(64)]), UnauthorizedTx),
    TxCase("high s", signatures(high_s), UnauthorizedTx),
    TxCase("eight signatures", signatures(lambda good: good * 8), UnauthorizedTx),
    # sign modes, keys
    TxCase("no mode", mode(0), UnauthorizedTx),
    TxCase("textual", mode(2), UnauthorizedTx),
    TxCase("auxiliary", mode(3), UnauthorizedTx),
    TxCase("amino, signed direct", mode(127), UnauthorizedTx),
    TxCase("an unknown mode", mode(55), UnauthorizedTx),
    TxCase(
        "no mode info",
        lambda draft: draft.auth.signer_infos[0].ClearField("mode_info"),
        UnauthorizedTx,
        "sdk/14",
        "taken there for a lack of room",
    ),
    TxCase(
        "an empty mode info",
        lambda draft: draft.auth.signer_infos[0].mode_info.ClearField("single"),
        UnauthorizedTx,
        PANIC,
        "a panic there",
    ),
    TxCase("somebody else's key", lambda draft: own_key(draft.people[1].public_key)(draft), InvalidPubKey),
    TxCase("a key of 32 bytes", own_key(b"\2" * 32), InvalidPubKey, PANIC, "a panic there"),
    TxCase("a key off the curve", own_key(b"\2" + b"\xff" * 32), InvalidPubKey),
    TxCase("a key of ed25519", key("/cosmos.crypto.ed25519.PubKey", b"\x0a\x20" + bytes(32)), InvalidPubKey),
    TxCase("a key of a type nobody knows", key("/nobody.PubKey", b""), TxDecode),
    TxCase("a key that is a message", key(MSG_SEND, b""), TxDecode),
    TxCase("a threshold key", multisig, InvalidPubKey),
    # unknown fields and trailing bytes
    TxCase("body, a field unknown", tail("body", UNKNOWN), TxDecode),
    TxCase("body, one that may pass", tail("body", PASSING)),
    TxCase("auth, a field unknown", tail("auth", UNKNOWN), TxDecode),
    TxCase("auth, one with bit 11", tail("auth", PASSING), TxDecode),
    TxCase("tx, a field unknown", tail("tx", b"\x9a\x06\x01\x00"), TxDecode),
    TxCase("tx, one with bit 11", tail("tx", b"\xc2\x40\x01\x00"), TxDecode),
    TxCase("message, a field unknown", message_tail(UNKNOWN), TxDecode),
    TxCase("message, one that may pass", message_tail(PASSING)),
    TxCase("message, a byte too many", message_tail(b"\x0a"), TxDecode),
    TxCase("tx, a byte too many", tail("tx", b"\0"), TxDecode),
    TxCase("body, a byte too many", tail("body", b"\0"), TxDecode),
    TxCase("body, a group", tail("body", b"\x9b\x06\x9c\x06"), TxDecode),
    TxCase("body, a memo twice", tail("body", b"\x12\x01a\x12\x01b")),
    TxCase("body, a long varint", tail("body", b"\x18\x80\x00")),
    TxCase("body, a field of another kind", tail("body", b"\x1a\x00"), TxDecode),
    TxCase("auth, a fee twice", tail("auth", b"\x12\x00")),
    TxCase("tx, fields out of order", swapped, TxDecode),
    TxCase("tx, a length with a byte too many", padded, TxDecode),
    TxCase("tx, no auth info", without_auth, TxDecode, PANIC, "a panic there"),
    TxCase("nothing", lambda _: b"", InvalidSdkRequest),
    TxCase("garbage", lambda _: b"\xff" * 40, TxDecode),
    TxCase("cut", lambda draft: draft.signed()[:-1], TxDecode),
    # extensions
    TxCase("an option of a type unknown", option("extension_options", "/nobody.Option"), TxDecode),
    TxCase("an option that is a message", option("extension_options", MSG_SEND), TxDecode),
    TxCase("an idle option that is a message", option("non_critical_extension_options", MSG_SEND), TxDecode),
    TxCase("an idle option of nothing", option("non_critical_extension_options", ""), TxDecode),
    TxCase(
        "a tip",
        lambda draft: setattr(draft.auth.tip, "tipper", draft.people[1].address),
        NotSupported,
        ACCEPTED,
        "SDK 0.53 pays no tip, and says nothing",
    ),
    # messages
    TxCase("no message", lambda draft: draft.body.ClearField("messages"), InvalidSdkRequest),
    TxCase("an empty body", lambda draft: draft.body.Clear(), InvalidSdkRequest),
    TxCase("1,001 messages", many_messages, InvalidSdkRequest, ACCEPTED, "`HostConfig.limits`"),
    TxCase("a message of a type unknown", only_message("/nobody.Msg"), TxDecode),
    TxCase("a message of no type", only_message(""), TxDecode),
    TxCase("a type without slash", only_message("cosmos.bank.v1beta1.MsgSend"), TxDecode),
    TxCase("a message that is a response", only_message("/cosmos.bank.v1beta1.MsgSendResponse"), TxDecode),
    TxCase("a message that is a Tx", only_message("/cosmos.tx.v1beta1.Tx"), TxDecode),
    TxCase("an empty message", only_message(MSG_SEND), InvalidSdkAddress, "undefined/1", "no code there"),
    TxCase(
        "a sender who is no address",
        paying(("stake", "1"), sender="garbage"),
        InvalidSdkAddress,
        "undefined/1",
        "no code there",
    ),
    TxCase(
        "a sender of another chain", other_prefix, InvalidSdkAddress, "sdk/35", "a fault of its own, it says"
    ),
    TxCase(
        "a receiver who is no address",
        paying(("stake", "1"), receiver="garbage"),
        InvalidSdkAddress,
        ACCEPTED,
        STRICT,
    ),
    TxCase("paying nothing", paying(), InvalidSdkCoins, ACCEPTED, STRICT),
    TxCase("paying 0", paying(("stake", "0")), InvalidSdkCoins, ACCEPTED, STRICT),
    TxCase("paying below 0", paying(("stake", "-1")), InvalidSdkCoins, ACCEPTED, STRICT),
    TxCase("paying no digits", paying(("stake", "")), InvalidSdkCoins, ACCEPTED, STRICT),
    TxCase("paying out of order", paying(("stake", "1"), ("aaa", "1")), InvalidSdkCoins, ACCEPTED, STRICT),
    TxCase(
        "paying twice the same", paying(("stake", "1"), ("stake", "1")), InvalidSdkCoins, ACCEPTED, STRICT
    ),
    TxCase("paying no name", paying(("!", "1")), InvalidSdkCoins, ACCEPTED, STRICT),
    TxCase("paying no number", paying(("stake", "x")), TxDecode),
    TxCase("paying 2^256", paying(("stake", HUGE)), TxDecode),
    TxCase("paying too much", paying(("stake", "1" + "0" * 30))),
    TxCase("paying in hexadecimal", paying(("stake", "0x1"))),
)
