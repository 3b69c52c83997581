"""Transactions that are odd in one way each, and what two hosts say of them: ours, and ibc-go's `simd`.

`simd` takes no fees (its ante has no DeductFee), so that a fee which is none is nothing to it; every chain
that takes fees refuses it with our code.
"""

from typing import NamedTuple

from conformance.peers.odd_draft import Draft
from conformance.peers.odd_spoils import (
    PASSING,
    UNKNOWN,
    Spoil,
    body,
    fee,
    gas,
    high_s,
    info_twice,
    key,
    many_messages,
    message_tail,
    mode,
    multisig,
    only,
    option,
    other_prefix,
    own_key,
    padded,
    payer,
    pays,
    sequence,
    signatures,
    signed_as,
    signed_twice,
    stranger,
    swapped,
    tail,
    two_senders,
    two_signers,
    two_signers_crossed,
    until,
    without_auth,
)
from ibc_core.errors import (
    IbcError,
    InsufficientBalance,
    InsufficientFee,
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
from localnet.host.bank_send import MSG_SEND

TAKEN = "taken"
PANIC = "undefined/111222"  # Go's, recovered
FEES = "simd takes no fees"
STRICT = "ours refuses at the door what there fails in its block"


class Odd(NamedTuple):
    """One of them."""

    name: str
    spoil: Spoil
    ours: type[IbcError] | None = None  # what CheckTx refuses it with; None: it is taken
    go: str = ""  # `codespace/code` of ibc-go's CheckTx, or TAKEN; "": the same
    why: str = ""  # of the difference

    def bytes_of(self, draft: Draft) -> bytes:
        """The transaction, signed."""
        made = self.spoil(draft)
        return made if isinstance(made, bytes) else draft.signed()

    @property
    def said(self) -> str:
        """`codespace/code` of ours, or TAKEN."""
        return f"{self.ours.codespace}/{self.ours.code}" if self.ours else TAKEN

    @property
    def said_there(self) -> str:
        """The same of ibc-go's."""
        return self.go or self.said


HUGE = str(2**256)

ODD: tuple[Odd, ...] = (
    Odd("as it should be", lambda _: None),
    # sequence, number, chain
    Odd("a sequence ahead", sequence(3), WrongSequence),
    Odd("another account number", signed_as(number=99), UnauthorizedTx),
    Odd("another chain's", lambda draft: setattr(draft, "chain_id", "other-1"), UnauthorizedTx),
    Odd("no account", stranger, UnknownAccount),
    # fee
    Odd("a fee that is not there", fee(("stake", "1" + "0" * 30)), InsufficientBalance, TAKEN, FEES),
    Odd("a fee of 0", fee(("stake", "0")), InsufficientFee, TAKEN, FEES),
    Odd("a fee without digits", fee(("stake", "")), InsufficientFee),
    Odd("a fee below 0", fee(("stake", "-1")), InsufficientFee),
    Odd("a fee that is no number", fee(("stake", "x")), TxDecode),
    Odd("a fee of 2^256", fee(("stake", HUGE)), TxDecode),
    Odd("a fee with a plus", fee(("stake", "+1"))),
    Odd("fees out of order", fee(("stake", "1"), ("aaa", "1")), InsufficientFee, TAKEN, FEES),
    Odd("a fee twice", fee(("stake", "1"), ("stake", "1")), InsufficientFee, TAKEN, FEES),
    Odd("a fee of no name", fee(("!", "1")), InsufficientFee, TAKEN, FEES),
    Odd("no fee at all", lambda draft: draft.auth.ClearField("fee"), OutOfGas, PANIC, "a panic there"),
    Odd("the payer is the signer", lambda draft: payer(draft.people[0].address)(draft)),
    Odd("a payer who does not sign", payer(None), UnauthorizedTx),
    Odd("a payer who signs", payer(None, signs=True)),
    Odd("a payer who is no address", payer("garbage"), InvalidSdkAddress),
    Odd(
        "a granter",
        lambda draft: setattr(draft.auth.fee, "granter", draft.people[1].address),
        InvalidSdkRequest,
        TAKEN,
        FEES,
    ),
    # gas
    Odd("gas 0", gas(0), OutOfGas),
    Odd("gas 1", gas(1), OutOfGas),
    Odd("gas 2^63-1", gas(2**63 - 1)),
    Odd("gas 2^63", gas(2**63), InvalidSdkRequest),
    # timeouts
    Odd("a height that has passed", body(timeout_height=1), TxTimeoutHeight),
    Odd("a height beyond int64", body(timeout_height=2**63)),
    Odd("a time that has passed", until(1), TxTimeout),
    Odd("a time before 1970", until(-5), TxTimeout),
    Odd("a time to come", until(4_102_444_800)),
    Odd("the time 0", until(0)),
    Odd("nanoseconds below 0", until(4_102_444_800, -7), TxDecode),
    Odd("the year 10000", until(253_402_300_800), TxDecode),
    Odd("unordered", body(unordered=True), NotSupported),
    # texts
    Odd("a memo of 256", body(memo="m" * 256)),
    Odd("a memo of 257", body(memo="m" * 257), MemoTooLarge),
    Odd("a memo of 258 bytes in 129 characters", body(memo="é" * 129), MemoTooLarge),
    Odd(
        "a memo that is not UTF-8", tail("body", b"\x12\x02\xff\xfe"), TxDecode, TAKEN, "Go looks at no text"
    ),
    # signers
    Odd("two signers", two_signers),
    Odd("two senders, one signs", two_senders, UnauthorizedTx),
    Odd("two signers crossed", two_signers_crossed, UnauthorizedTx),
    Odd("a signer info twice", info_twice, TxDecode),
    Odd("signed twice", signed_twice, UnauthorizedTx),
    Odd("no signer info", lambda draft: draft.auth.ClearField("signer_infos"), TxDecode),
    Odd("no signature", signatures(lambda _: []), NoSignatures),
    Odd("an empty signature", signatures(lambda _: [b""]), UnauthorizedTx),
    Odd("63 bytes of signature", signatures(lambda good: [good[0][:63]]), UnauthorizedTx),
    Odd("65 bytes of signature", signatures(lambda good: [good[0] + b"\0"]), UnauthorizedTx),
    Odd("a signature of zeros", signatures(lambda _: [bytes(64)]), UnauthorizedTx),
    Odd("high s", signatures(high_s), UnauthorizedTx),
    Odd("eight signatures", signatures(lambda good: good * 8), UnauthorizedTx),
    # sign modes, keys
    Odd("no mode", mode(0), UnauthorizedTx),
    Odd("textual", mode(2), UnauthorizedTx),
    Odd("auxiliary", mode(3), UnauthorizedTx),
    Odd("amino, signed direct", mode(127), UnauthorizedTx),
    Odd("an unknown mode", mode(55), UnauthorizedTx),
    Odd(
        "no mode info",
        lambda draft: draft.auth.signer_infos[0].ClearField("mode_info"),
        UnauthorizedTx,
        "sdk/14",
        "taken there for a lack of room",
    ),
    Odd(
        "an empty mode info",
        lambda draft: draft.auth.signer_infos[0].mode_info.ClearField("single"),
        UnauthorizedTx,
        PANIC,
        "a panic there",
    ),
    Odd("somebody else's key", lambda draft: own_key(draft.people[1].public_key)(draft), InvalidPubKey),
    Odd("a key of 32 bytes", own_key(b"\2" * 32), InvalidPubKey, PANIC, "a panic there"),
    Odd("a key off the curve", own_key(b"\2" + b"\xff" * 32), InvalidPubKey),
    Odd("a key of ed25519", key("/cosmos.crypto.ed25519.PubKey", b"\x0a\x20" + bytes(32)), InvalidPubKey),
    Odd("a key of a type nobody knows", key("/nobody.PubKey", b""), TxDecode),
    Odd("a key that is a message", key(MSG_SEND, b""), TxDecode),
    Odd("a threshold key", multisig, InvalidPubKey),
    # fields nobody knows, and bytes
    Odd("body, a field unknown", tail("body", UNKNOWN), TxDecode),
    Odd("body, one that may pass", tail("body", PASSING)),
    Odd("auth, a field unknown", tail("auth", UNKNOWN), TxDecode),
    Odd("auth, one with bit 11", tail("auth", PASSING), TxDecode),
    Odd("tx, a field unknown", tail("tx", b"\x9a\x06\x01\x00"), TxDecode),
    Odd("tx, one with bit 11", tail("tx", b"\xc2\x40\x01\x00"), TxDecode),
    Odd("message, a field unknown", message_tail(UNKNOWN), TxDecode),
    Odd("message, one that may pass", message_tail(PASSING)),
    Odd("message, a byte too many", message_tail(b"\x0a"), TxDecode),
    Odd("tx, a byte too many", tail("tx", b"\0"), TxDecode),
    Odd("body, a byte too many", tail("body", b"\0"), TxDecode),
    Odd("body, a group", tail("body", b"\x9b\x06\x9c\x06"), TxDecode),
    Odd("body, a memo twice", tail("body", b"\x12\x01a\x12\x01b")),
    Odd("body, a long varint", tail("body", b"\x18\x80\x00")),
    Odd("body, a field of another kind", tail("body", b"\x1a\x00"), TxDecode),
    Odd("auth, a fee twice", tail("auth", b"\x12\x00")),
    Odd("tx, fields out of order", swapped, TxDecode),
    Odd("tx, a length with a byte too many", padded, TxDecode),
    Odd("tx, no auth info", without_auth, TxDecode, PANIC, "a panic there"),
    Odd("nothing", lambda _: b"", InvalidSdkRequest),
    Odd("garbage", lambda _: b"\xff" * 40, TxDecode),
    Odd("cut", lambda draft: draft.signed()[:-1], TxDecode),
    # extensions
    Odd("an option of a type unknown", option("extension_options", "/nobody.Option"), TxDecode),
    Odd("an option that is a message", option("extension_options", MSG_SEND), TxDecode),
    Odd("an idle option that is a message", option("non_critical_extension_options", MSG_SEND), TxDecode),
    Odd("an idle option of nothing", option("non_critical_extension_options", ""), TxDecode),
    Odd(
        "a tip",
        lambda draft: setattr(draft.auth.tip, "tipper", draft.people[1].address),
        NotSupported,
        TAKEN,
        "SDK 0.53 pays no tip, and says nothing",
    ),
    # messages
    Odd("no message", lambda draft: draft.body.ClearField("messages"), InvalidSdkRequest),
    Odd("an empty body", lambda draft: draft.body.Clear(), InvalidSdkRequest),
    Odd("1,001 messages", many_messages, InvalidSdkRequest, TAKEN, "`HostConfig.limits`"),
    Odd("a message of a type unknown", only("/nobody.Msg"), TxDecode),
    Odd("a message of no type", only(""), TxDecode),
    Odd("a type without slash", only("cosmos.bank.v1beta1.MsgSend"), TxDecode),
    Odd("a message that is a response", only("/cosmos.bank.v1beta1.MsgSendResponse"), TxDecode),
    Odd("a message that is a Tx", only("/cosmos.tx.v1beta1.Tx"), TxDecode),
    Odd("an empty message", only(MSG_SEND), InvalidSdkAddress, "undefined/1", "no code there"),
    Odd(
        "a sender who is no address",
        pays(("stake", "1"), sender="garbage"),
        InvalidSdkAddress,
        "undefined/1",
        "no code there",
    ),
    Odd(
        "a sender of another chain", other_prefix, InvalidSdkAddress, "sdk/35", "a fault of its own, it says"
    ),
    Odd(
        "a receiver who is no address",
        pays(("stake", "1"), receiver="garbage"),
        InvalidSdkAddress,
        TAKEN,
        STRICT,
    ),
    Odd("paying nothing", pays(), InvalidSdkCoins, TAKEN, STRICT),
    Odd("paying 0", pays(("stake", "0")), InvalidSdkCoins, TAKEN, STRICT),
    Odd("paying below 0", pays(("stake", "-1")), InvalidSdkCoins, TAKEN, STRICT),
    Odd("paying no digits", pays(("stake", "")), InvalidSdkCoins, TAKEN, STRICT),
    Odd("paying out of order", pays(("stake", "1"), ("aaa", "1")), InvalidSdkCoins, TAKEN, STRICT),
    Odd("paying twice the same", pays(("stake", "1"), ("stake", "1")), InvalidSdkCoins, TAKEN, STRICT),
    Odd("paying no name", pays(("!", "1")), InvalidSdkCoins, TAKEN, STRICT),
    Odd("paying no number", pays(("stake", "x")), TxDecode),
    Odd("paying 2^256", pays(("stake", HUGE)), TxDecode),
    Odd("paying too much", pays(("stake", "1" + "0" * 30))),
    Odd("paying in hexadecimal", pays(("stake", "0x1"))),
)
