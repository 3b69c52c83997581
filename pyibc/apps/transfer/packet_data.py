"""Packet data of ICS-20 (ics20-1) as ibc-go reads it: JSON in v1; JSON, protobuf or Solidity ABI in v2.

msgspec decodes the common form; if it refuses, a slower decoder with Go's exact rules decides. Both agree on
everything that msgspec accepts: chains that disagree on a packet disagree on the owner of a coin.
"""

import re
from functools import lru_cache
from typing import NamedTuple

import msgspec

from pyibc.apps.transfer.denom import MAX_CACHED_PATH, Denom
from pyibc.apps.transfer.denom import parse_denom as parse_denom  # for off-chain programs too
from pyibc.codec.abi import WORD, AbiReader, encode_tuple
from pyibc.codec.gojson import JsonError, marshal_string, match_field, parse_flat_object, unquote
from pyibc.codec.gojson_members import BLANKS, first_object
from pyibc.codec.strict import parse
from pyibc.core.application.packet_data import PacketData
from pyibc.core.coin import parse_amount
from pyibc.core.errors import InvalidAddress, InvalidAmount, InvalidTransferVersion, InvalidType, TxDecode
from pyibc.core.identifiers import GO_SPACES
from pyibc.core.packet_v2.types import ABI, JSON, PROTOBUF, Payload
from pyibc.core.value import sealed, value
from pyibc.proto.ibc.applications.transfer.v1 import packet_pb2

VERSION = "ics20-1"
PORT_ID = "transfer"


@value
class TransferData:
    """Transfer that passed ibc-go's ValidateBasic."""

    denom: Denom  # as on chain A
    amount: int  # 1 to 2^256-1
    amount_text: str  # as in the packet: `0x10` and `16` are the same amount
    sender: str  # in chain A's address format, unchecked
    receiver: str  # in chain B's address format, unchecked
    memo: str


class WireFields(msgspec.Struct, forbid_unknown_fields=True):
    """Fields of the packet data, unchecked."""

    denom: str = ""
    amount: str = ""
    sender: str = ""
    receiver: str = ""
    memo: str = ""


_decoder = msgspec.json.Decoder(WireFields)
_FIELDS = frozenset(WireFields.__struct_fields__)


MAX_CACHED_DATA = 1024
"""Maximal size, in bytes, of packet data whose decoded form is cached."""


def decode(raw: bytes) -> TransferData:
    """Decode and check packet data in JSON; cached if short.

    Raises:
        InvalidType: it is not the JSON of a transfer.
        InvalidAmount: the amount is not a number between 1 and 2^256-1.
        InvalidAddress: sender or receiver is blank.
        InvalidDenomForTransfer: the base denomination is blank.
        InvalidIdentifier: a hop of the denomination is malformed.
    """
    return _cached_data(raw) if len(raw) <= MAX_CACHED_DATA else _decoded(raw)


def read_fields(raw: bytes) -> WireFields:
    """Decode packet data in JSON without checking the fields; rate limits count transfers before ICS-20.

    Raises:
        InvalidType: it is not the JSON of a transfer.
    """
    try:
        return _decoder.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return _decode_slowly(raw)


def _decoded(raw: bytes) -> TransferData:
    wire = read_fields(raw)
    return check(wire.denom, wire.amount, wire.sender, wire.receiver, wire.memo)


_cached_data = lru_cache(16)(_decoded)


def check(denom: str, amount_text: str, sender: str, receiver: str, memo: str) -> TransferData:
    """Check the five fields of a transfer and build it; for all encodings.

    Raises:
        InvalidAmount, InvalidAddress, InvalidDenomForTransfer, InvalidIdentifier: see `decode`.
    """
    amount = parse_amount(amount_text)
    if amount is None or amount <= 0:
        raise InvalidAmount(amount_text[:64])
    if not sender.strip(GO_SPACES):
        raise InvalidAddress("sender", sender[:64])
    if not receiver.strip(GO_SPACES):
        raise InvalidAddress("receiver", receiver[:64])
    return TransferData(parse_valid_denom(denom), amount, amount_text, sender, receiver, memo)


def parse_valid_denom(path: str) -> Denom:
    """Parse and validate a denomination's path; cached if short.

    Raises:
        InvalidDenomForTransfer: the base is blank.
        InvalidIdentifier: a hop's port or channel is malformed.
    """
    return _cached(path) if len(path) <= MAX_CACHED_PATH else _parsed(path)


def _parsed(path: str) -> Denom:
    denom = parse_denom(path)
    denom.validate()
    return denom


_cached = lru_cache(4096)(_parsed)


def _decode_slowly(raw: bytes) -> WireFields:
    """Decode with Go's rules: keys match in any case, the last duplicate wins, null leaves a field unset."""
    wire = WireFields()
    try:
        members = parse_flat_object(raw)
    except JsonError as error:
        raise InvalidType("ICS-20 packet data", str(error)) from error
    for key, text in members:
        field = match_field(key, _FIELDS)
        if field is None:
            raise InvalidType("ICS-20 packet data", f"unknown field {key[:64]!a}")
        if text is not None:
            setattr(wire, field, text)
    return wire


def decode_jsonpb(raw: bytes) -> TransferData:
    """Decode and check packet data as ibc-go's packet forwarding does, with gogoproto's jsonpb.

    Unlike in `decode`, field names are exact, null means empty, and bytes after the object are ignored.

    Raises:
        InvalidType, InvalidAmount, InvalidAddress, InvalidDenomForTransfer, InvalidIdentifier: see `decode`.
    """
    try:
        wire = _decoder.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        wire = _decode_jsonpb(raw)
    return check(wire.denom, wire.amount, wire.sender, wire.receiver, wire.memo)


_begins_with_null = re.compile(rb"[ \t\r\n]*+null").match


def _decode_jsonpb(raw: bytes) -> WireFields:
    wire = WireFields()
    if _begins_with_null(raw):
        return wire
    places = {}
    try:
        for name, place in first_object(raw):
            if name not in _FIELDS:
                raise InvalidType("ICS-20 packet data", f"unknown field {name[:64]!a}")
            places[name] = place  # the last duplicate wins
    except JsonError as error:
        raise InvalidType("ICS-20 packet data", str(error)) from error
    for name, (start, end) in places.items():
        text = raw[start:end].rstrip(BLANKS)
        if text[:1] == b'"':
            setattr(wire, name, unquote(text[1:-1]))
        elif text != b"null":
            raise InvalidType("ICS-20 packet data", f"{name} is not a string")
    return wire


def make(denom: Denom, amount: int, sender: str, receiver: str, memo: str) -> TransferData:
    """Build a transfer sent by this chain."""
    return TransferData(denom, amount, str(amount), sender, receiver, memo)


def to_packet_data(data: TransferData) -> PacketData:
    """Convert a transfer to the form that middleware reads."""
    return PacketData(data.sender, data.receiver, data.memo, data)


def encode(data: TransferData) -> bytes:
    """Encode as ibc-go v9 and later do: fixed order of fields, an empty memo left out."""
    memo = b',"memo":' + marshal_string(data.memo) if data.memo else b""
    return b'{"denom":%b,"amount":%b,"sender":%b,"receiver":%b%b}' % (
        marshal_string(data.denom.path),
        marshal_string(data.amount_text),
        marshal_string(data.sender),
        marshal_string(data.receiver),
        memo,
    )


@sealed
class AbiTransfer(NamedTuple):
    """Fields of the Solidity tuple, in order."""

    denom: str
    sender: str
    receiver: str
    amount: int  # below 2^256
    memo: str


def encode_abi(transfer: AbiTransfer) -> bytes:
    """Encode in canonical ABI form."""
    return encode_tuple(*transfer)


def decode_abi(raw: bytes) -> AbiTransfer:
    """Decode the ABI tuple.

    Raises:
        InvalidType: an offset or a length points outside, or a string is not UTF-8.
    """
    body = AbiReader(raw, "ICS-20 packet data in ABI").inner(0)
    return AbiTransfer(
        body.text(0), body.text(WORD), body.text(2 * WORD), body.word(3 * WORD), body.text(4 * WORD)
    )


def encode_payload(data: TransferData, encoding: str) -> bytes:
    """Encode a transfer for IBC v2; an empty encoding means JSON.

    Raises:
        InvalidType: the encoding is unknown.
    """
    if encoding in {"", JSON}:
        return encode(data)
    denom, sender, receiver, memo = data.denom.path, data.sender, data.receiver, data.memo
    if encoding == PROTOBUF:
        wire = packet_pb2.FungibleTokenPacketData(
            denom=denom, amount=data.amount_text, sender=sender, receiver=receiver, memo=memo
        )
        return wire.SerializeToString(deterministic=True)
    if encoding == ABI:
        return encode_abi(AbiTransfer(denom, sender, receiver, data.amount, memo))
    raise InvalidType(f"{JSON}, {PROTOBUF} or {ABI}", encoding[:64])


def decode_payload(payload: Payload) -> TransferData:
    """Decode and check the value of an IBC v2 payload.

    Raises:
        InvalidTransferVersion: the version is not ics20-1.
        InvalidType: the encoding is unknown, or the value is malformed.
        InvalidAmount, InvalidAddress, InvalidDenomForTransfer, InvalidIdentifier: see `decode`.
    """
    if payload.version != VERSION:
        raise InvalidTransferVersion(VERSION, payload.version[:64])
    if payload.encoding == JSON:
        return decode(payload.value)
    if payload.encoding == PROTOBUF:
        return _decode_protobuf(payload.value)
    if payload.encoding == ABI:
        found = decode_abi(payload.value)
        return check(found.denom, str(found.amount), found.sender, found.receiver, found.memo)
    raise InvalidType(f"{JSON}, {PROTOBUF} or {ABI}", payload.encoding[:64])


def _decode_protobuf(raw: bytes) -> TransferData:
    try:
        wire = parse(packet_pb2.FungibleTokenPacketData, raw, non_critical=False)
    except TxDecode as error:
        raise InvalidType("ICS-20 packet data in protobuf", str(error)) from error
    return check(wire.denom, wire.amount, wire.sender, wire.receiver, wire.memo)
