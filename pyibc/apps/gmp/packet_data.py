"""Packet data and acknowledgement of GMP, and account identifiers (ICS-27 v2).

Data and acknowledgement have a canonical form in each encoding: JSON, protobuf, Solidity ABI. Any other form
is refused, so that all chains decode a packet alike. Each (client, sender, salt) has one account; its address
has 32 bytes and no private key.
"""

from base64 import b64encode
from hashlib import sha256
from typing import NamedTuple, TypeVar

from google.protobuf.message import Message

from pyibc.codec.abi import WORD, AbiReader, encode_tuple
from pyibc.codec.encoding import encode as encode_wire
from pyibc.codec.gojson import JsonError, decode_base64, marshal_string, parse_flat_object
from pyibc.codec.strict import parse
from pyibc.core.errors import (
    InvalidAddress,
    InvalidCallEncoding,
    InvalidCallMemo,
    InvalidCallPayload,
    InvalidCallVersion,
    InvalidSalt,
    InvalidType,
    TxDecode,
)
from pyibc.core.identifiers import is_blank, validate_client_id
from pyibc.core.numbers import be8
from pyibc.core.packet_v2.types import ABI, JSON, PROTOBUF
from pyibc.core.value import sealed
from pyibc.proto.ibc.applications.gmp.v1 import account_pb2
from pyibc.proto.ibc.applications.gmp.v1 import packet_pb2 as pb

PORT_ID = "gmpport"
VERSION = "ics27-2"

MAX_SENDER_SIZE = 2048
MAX_RECEIVER_SIZE = 2048
MAX_MEMO_SIZE = 32_768
MAX_PAYLOAD_SIZE = 32_768
MAX_SALT_SIZE = 32
"""Limits in bytes."""

_M = TypeVar("_M", bound=Message)
_NAME = "GMP packet data"


@sealed
class GmpPacketData(NamedTuple):
    """Sender of a call and the messages to execute."""

    sender: str  # in chain A's address format
    receiver: str  # call target on an EVM chain; "" for a Cosmos chain
    salt: bytes  # distinguishes several accounts of one sender
    payload: bytes  # a CosmosTx, if chain B is a Cosmos chain
    memo: str

    def check(self) -> None:
        """Check that there is a sender, and the sizes of all fields.

        Raises:
            InvalidAddress, InvalidCallPayload, InvalidSalt, InvalidCallMemo: a field is missing or too long.
        """
        # guard: h166-nobody-calls test_what_cannot_be
        if is_blank(self.sender):
            raise InvalidAddress("sender", "")
        check_length("sender", self.sender, MAX_SENDER_SIZE)
        check_sizes(self.receiver, self.payload, self.salt, self.memo)


def check_sizes(receiver: str, payload: bytes, salt: bytes, memo: str) -> None:
    """Check the sizes that apply to the message and to the packet.

    Raises:
        InvalidAddress, InvalidCallPayload, InvalidSalt, InvalidCallMemo: a field is too long.
    """
    check_length("receiver", receiver, MAX_RECEIVER_SIZE)
    # guard: h166-a-payload-of-any-size test_calls::test_messages_that_cannot_be test_what_cannot_be
    if len(payload) > MAX_PAYLOAD_SIZE:
        raise InvalidCallPayload(f"{len(payload)} bytes exceed {MAX_PAYLOAD_SIZE}")
    # guard: h166-a-salt-of-any-size test_calls::test_messages_that_cannot_be test_what_cannot_be
    if len(salt) > MAX_SALT_SIZE:
        raise InvalidSalt(len(salt), MAX_SALT_SIZE)
    size = len(memo.encode())
    # guard: h166-a-memo-of-any-size test_calls::test_messages_that_cannot_be test_what_cannot_be
    if size > MAX_MEMO_SIZE:
        raise InvalidCallMemo(size, MAX_MEMO_SIZE)


def check_length(field: str, text: str, limit: int) -> None:
    """Check the length of another chain's address; raise InvalidAddress."""
    # guard: h166-an-address-of-any-size test_calls::test_messages_that_cannot_be test_what_cannot_be
    if len(text.encode()) > limit:
        raise InvalidAddress(field, text[:64])


def encode(data: GmpPacketData, encoding: str) -> bytes:
    """Encode in canonical form; raise InvalidCallEncoding."""
    if encoding == JSON:
        return _encode_json(data._asdict())
    if encoding == PROTOBUF:
        return encode_wire(pb.GMPPacketData(**data._asdict()))
    if encoding == ABI:
        return encode_tuple(*data)
    raise InvalidCallEncoding(encoding[:64])


def decode(raw: bytes, version: str, encoding: str) -> GmpPacketData:
    """Decode a payload's value without checking the fields.

    Raises:
        InvalidCallVersion, InvalidCallEncoding: version or encoding is unknown.
        InvalidType: it is malformed, or not in canonical form.
    """
    if version != VERSION:
        raise InvalidCallVersion(VERSION, version[:64])
    if encoding == JSON:
        data = _decode_json(raw)
    elif encoding == PROTOBUF:
        data = _decode_protobuf(raw)
    elif encoding == ABI:
        data = _decode_abi(raw)
    else:
        raise InvalidCallEncoding(encoding[:64])
    # guard: h168-any-form test_h168_every_other_form_is_refused
    if encode(data, encoding) != raw:
        raise InvalidType(f"{_NAME} in canonical form", f"{len(raw)} bytes of another")
    return data


def encode_acknowledgement(result: bytes, encoding: str) -> bytes:
    """Encode the acknowledgement of an executed call; raise InvalidCallEncoding."""
    if encoding == JSON:
        return _encode_json({"result": result})
    if encoding == PROTOBUF:
        return encode_wire(pb.Acknowledgement(result=result))
    if encoding == ABI:
        return encode_tuple(result)
    raise InvalidCallEncoding(encoding[:64])


def decode_acknowledgement(raw: bytes, encoding: str) -> bytes:
    """Decode the result of an acknowledgement other than the sentinel; a Cosmos chain's is a `TxMsgData`.

    Raises:
        InvalidCallEncoding: the encoding is unknown.
        InvalidType: it is malformed, or not in canonical form.
    """
    if encoding == JSON:
        result = _bytes_of(_members(raw).get("result"))
    elif encoding == PROTOBUF:
        result = _parse(pb.Acknowledgement, raw).result
    elif encoding == ABI:
        result = AbiReader(raw, _NAME).inner(0).data(0)
    else:
        raise InvalidCallEncoding(encoding[:64])
    if encode_acknowledgement(result, encoding) != raw:
        raise InvalidType("GMP acknowledgement in canonical form", f"{len(raw)} bytes of another")
    return result


def _encode_json(members: dict[str, str | bytes]) -> bytes:
    """Encode as Go's json.Marshal does a protobuf struct: empty fields are left out."""
    parts = [_quoted(name) + b":" + _quoted(each) for name, each in members.items() if each]
    return b"{" + b",".join(parts) + b"}"


def _quoted(content: str | bytes) -> bytes:
    return marshal_string(content) if isinstance(content, str) else b'"' + b64encode(content) + b'"'


def _members(raw: bytes) -> dict[str, str | None]:
    """Parse the canonical JSON form, which has only string values and no duplicates."""
    try:
        return dict(parse_flat_object(raw))
    except JsonError as error:
        raise InvalidType(f"{_NAME} in JSON", str(error)) from None


def _bytes_of(text: str | None) -> bytes:
    found = decode_base64(text or "")
    if found is None:
        raise InvalidType(f"{_NAME} in JSON", "a value that is not base64")
    return found


def _decode_json(raw: bytes) -> GmpPacketData:
    members = _members(raw)
    texts = {name: members.get(name) or "" for name in ("sender", "receiver", "memo")}
    return GmpPacketData(
        salt=_bytes_of(members.get("salt")), payload=_bytes_of(members.get("payload")), **texts
    )


def _decode_protobuf(raw: bytes) -> GmpPacketData:
    wire = _parse(pb.GMPPacketData, raw)
    return GmpPacketData(wire.sender, wire.receiver, wire.salt, wire.payload, wire.memo)


def _decode_abi(raw: bytes) -> GmpPacketData:
    body = AbiReader(raw, f"{_NAME} in ABI").inner(0)
    return GmpPacketData(
        body.text(0), body.text(WORD), body.data(2 * WORD), body.data(3 * WORD), body.text(4 * WORD)
    )


def _parse(cls: type[_M], raw: bytes) -> _M:
    try:
        return parse(cls, raw, non_critical=False)
    except TxDecode as error:
        raise InvalidType(f"{_NAME} in protobuf", str(error)) from error


_KIND = sha256(b"module").digest()
_MODULE = b"gmp-accounts\x00"


@sealed
class AccountIdentifier(NamedTuple):
    """Owner of an account on this chain."""

    client_id: str  # on this chain; identifies the sender's chain
    sender: str  # in that chain's address format
    salt: bytes  # distinguishes several accounts of one sender

    @property
    def address(self) -> bytes:
        """Address of the account, 32 bytes (the SDK's `address.Module` of length-prefixed parts).

        Raises:
            InvalidIdentifier, InvalidAddress: the client identifier is malformed, or the sender blank.
        """
        validate_client_id(self.client_id)
        if is_blank(self.sender):
            raise InvalidAddress("sender", "")
        parts = self.client_id.encode(), self.sender.encode(), self.salt
        key = b"".join(be8(len(part)) + part for part in parts)
        return sha256(_KIND + _MODULE + key).digest()


@sealed
class CallAccount(NamedTuple):
    """Account of a remote sender (ibc-go's `ICS27Account`)."""

    address: str  # in this chain's address format
    identifier: AccountIdentifier


def encode_account(account: CallAccount) -> bytes:
    """Encode an account for the store."""
    return encode_wire(
        account_pb2.ICS27Account(address=account.address, account_id=pack_identifier(account.identifier))
    )


def decode_account(raw: bytes) -> CallAccount:
    """Decode an account of the store."""
    wire = account_pb2.ICS27Account.FromString(raw)
    return CallAccount(wire.address, unpack_identifier(wire.account_id))


def pack_identifier(identifier: AccountIdentifier) -> account_pb2.AccountIdentifier:
    """Convert an identifier to protobuf."""
    return account_pb2.AccountIdentifier(**identifier._asdict())


def unpack_identifier(wire: account_pb2.AccountIdentifier) -> AccountIdentifier:
    """Convert an identifier from protobuf."""
    return AccountIdentifier(wire.client_id, wire.sender, wire.salt)
