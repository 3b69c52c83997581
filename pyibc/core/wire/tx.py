"""Transactions (cosmos.tx.v1beta1): decoding as strict as the SDK's, and encoding of signed transactions.

`decode_tx` leaves each message in its Any; the decoder of messages (`message.py`) is as strict. A host
decodes all messages of a transaction before it executes the first.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pyibc.codec.anys import AnyMessage
from pyibc.codec.budget import Budget
from pyibc.codec.encoding import encode
from pyibc.codec.gotime import GO_ZERO_SECONDS, NANOSECONDS, is_timestamp
from pyibc.codec.strict import check_any, parse, parse_outer
from pyibc.codec.walk import LENGTH, read_field
from pyibc.core.coin import Coin, coin, parse_amount
from pyibc.core.errors import TxDecode
from pyibc.core.value import sealed
from pyibc.proto.cosmos.base.v1beta1 import coin_pb2
from pyibc.proto.cosmos.tx.signing.v1beta1.signing_pb2 import SIGN_MODE_DIRECT, SIGN_MODE_LEGACY_AMINO_JSON
from pyibc.proto.cosmos.tx.v1beta1 import tx_pb2
from pyibc.proto.google.protobuf.timestamp_pb2 import Timestamp
from pyibc.proto.varint import encode_varint, read_varint

DIRECT = int(SIGN_MODE_DIRECT)
LEGACY_AMINO_JSON = int(SIGN_MODE_LEGACY_AMINO_JSON)

MAX_SIGNERS = 256
"""Maximum number of signers of a transaction; hosts allow seven."""

MAX_FEE_COINS = 64
"""Maximum number of coins in a fee."""


@sealed
class SignerInfo(NamedTuple):
    """One signer of a transaction."""

    public_key: AnyMessage | None  # None: the account's stored key
    mode: int | None  # a SignMode; None: a multisignature, or nothing
    sequence: int


@sealed
class Fee(NamedTuple):
    """Fee and gas limit of a transaction."""

    amount: tuple[Coin, ...]
    gas_limit: int
    payer: str = ""  # "": the first signer
    granter: str = ""


@sealed
class Tx(NamedTuple):
    """A decoded transaction; only its encoding has been checked."""

    body_bytes: bytes  # as signed
    auth_info_bytes: bytes  # as signed
    signatures: tuple[bytes, ...]
    messages: tuple[AnyMessage, ...]
    memo: str
    timeout_height: int  # 0: none
    timeout_ns: int  # latest block time in Unix nanoseconds; 0: none
    unordered: bool
    extension_options: tuple[str, ...]  # type URLs, those of critical options first
    signer_infos: tuple[SignerInfo, ...]
    fee: Fee
    has_tip: bool


def decode_tx(raw: bytes, budget: Budget | None = None) -> Tx:
    """Return the transaction encoded in `raw`.

    Args:
        raw: The encoded `TxRaw`.
        budget: Budget of decoding, `Budget(len(raw))`, whose rest is for the messages
            (`MessageRoute.decode_within`); a new one if it is None.

    Raises:
        TxDecode: the bytes are malformed or not in ADR-027's form; a field is unknown (in TxBody, fields with
            bit 11 of their number set are allowed); an extension or public key has an unknown type; a fee
            amount is no number; there are more than `MAX_FEE_COINS` coins or `MAX_SIGNERS` signers; the
            timeout is outside the years 1 to 9999; or the budget is exhausted (`pyibc/codec/budget.py`).
    """
    budget = Budget(len(raw)) if budget is None else budget
    outer = parse_outer(tx_pb2.TxRaw, raw, non_critical=False, budget=budget)
    if outer.SerializeToString() != raw:
        _require_adr027(raw)
    body = parse_outer(tx_pb2.TxBody, outer.body_bytes, non_critical=True, budget=budget)
    options = (*body.extension_options, *body.non_critical_extension_options)
    for option in options:
        check_any(option.type_url, option.value, budget)
    auth = parse(
        tx_pb2.AuthInfo, outer.auth_info_bytes, non_critical=False, budget=budget, by_gogoproto=False
    )
    return Tx(
        outer.body_bytes,
        outer.auth_info_bytes,
        tuple(outer.signatures),
        tuple([AnyMessage(each.type_url, each.value) for each in body.messages]),
        body.memo,
        body.timeout_height,
        _timeout_ns(body.timeout_timestamp),
        body.unordered,
        tuple([option.type_url for option in options]),
        _signer_infos(auth),
        _fee(auth.fee),
        auth.HasField("tip"),
    )


def _require_adr027(raw: bytes) -> None:
    """Check that TxRaw has its fields in ascending order, with shortest lengths (ADR-027)."""
    at = before = 0
    while at < len(raw):
        begin = at
        number, wire_type, start, at = read_field(raw, at, len(raw))
        if wire_type != LENGTH or number < before:
            raise TxDecode("TxRaw fields out of order")
        tag_end = read_varint(raw, begin, start)[1]
        if raw[tag_end:start] != encode_varint(at - start):
            raise TxDecode(f"TxRaw field {number}: length not in its shortest form")
        before = number


def _timeout_ns(given: Timestamp) -> int:
    """Return Unix nanoseconds; 0, no timeout, for 1970-01-01T00:00:00 and the start of the year 1."""
    if not is_timestamp(given.seconds, given.nanos):
        raise TxDecode(f"timeout timestamp {given.seconds} s {given.nanos} ns")
    none = not given.seconds or (given.seconds == GO_ZERO_SECONDS and not given.nanos)
    return 0 if none else given.seconds * NANOSECONDS + given.nanos


def _signer_infos(auth: tx_pb2.AuthInfo) -> tuple[SignerInfo, ...]:
    # guard: h75-any-number-of-signers test_h75_a_transaction_has_so_many_signers_and_no_more
    if len(auth.signer_infos) > MAX_SIGNERS:
        raise TxDecode(f"{len(auth.signer_infos)} signer infos, at most {MAX_SIGNERS}")
    return tuple([_signer_info(info) for info in auth.signer_infos])


def _signer_info(info: tx_pb2.SignerInfo) -> SignerInfo:
    key = info.public_key
    return SignerInfo(
        AnyMessage(key.type_url, key.value) if info.HasField("public_key") else None,
        int(info.mode_info.single.mode) if info.mode_info.HasField("single") else None,
        info.sequence,
    )


def _fee(fee: tx_pb2.Fee) -> Fee:
    # guard: h75-any-number-of-coins-in-a-fee test_h75_a_fee_has_so_many_coins_and_no_more
    if len(fee.amount) > MAX_FEE_COINS:
        raise TxDecode(f"a fee of {len(fee.amount)} coins, at most {MAX_FEE_COINS}")
    return Fee(tuple([_coin(each) for each in fee.amount]), fee.gas_limit, fee.payer, fee.granter)


def _coin(each: coin_pb2.Coin) -> Coin:
    amount = parse_amount(each.amount or "0")  # Go reads an empty amount as 0
    if amount is None:
        raise TxDecode(f"fee amount {each.amount[:100]!a}")
    return coin(each.denom, amount)


def encode_body(messages: Iterable[AnyMessage], memo: str = "", timeout_height: int = 0) -> bytes:
    """Return the encoded `TxBody`."""
    body = tx_pb2.TxBody(memo=memo, timeout_height=timeout_height)
    for message in messages:
        body.messages.add(type_url=message.type_url, value=message.value)
    return encode(body)


def encode_auth_info(signers: Iterable[SignerInfo], fee: Fee) -> bytes:
    """Return the encoded `AuthInfo` of single signers, without multisignatures."""
    auth = tx_pb2.AuthInfo()
    for info in signers:
        signer = auth.signer_infos.add(sequence=info.sequence)
        if info.public_key is not None:
            signer.public_key.type_url = info.public_key.type_url
            signer.public_key.value = info.public_key.value
        if info.mode is not None:
            signer.mode_info.single.CopyFrom(tx_pb2.ModeInfo.Single(mode=info.mode))
    auth.fee.gas_limit = fee.gas_limit
    auth.fee.payer = fee.payer
    auth.fee.granter = fee.granter
    for each in fee.amount:
        auth.fee.amount.add(denom=each.denom, amount=str(each.amount))
    return encode(auth)


def sign_bytes(body_bytes: bytes, auth_info_bytes: bytes, chain_id: str, account_number: int) -> bytes:
    """Return the encoded `SignDoc`, the bytes to sign in SIGN_MODE_DIRECT."""
    return encode(
        tx_pb2.SignDoc(
            body_bytes=body_bytes,
            auth_info_bytes=auth_info_bytes,
            chain_id=chain_id,
            account_number=account_number,
        )
    )


def encode_tx(body_bytes: bytes, auth_info_bytes: bytes, signatures: Sequence[bytes]) -> bytes:
    """Return the encoded `TxRaw` for a block; its SHA-256 is the transaction's hash."""
    return encode(tx_pb2.TxRaw(body_bytes=body_bytes, auth_info_bytes=auth_info_bytes, signatures=signatures))
