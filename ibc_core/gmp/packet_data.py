"""A call, as a packet carries it, and its answer: in JSON, protobuf or Solidity's ABI.

Each has one form in each encoding. Any other is refused, so that a packet says the same to every chain.
"""

from base64 import b64encode
from typing import NamedTuple, TypeVar

from google.protobuf.message import Message

from ibc_core.errors import (
    InvalidAddress,
    InvalidCallEncoding,
    InvalidCallMemo,
    InvalidCallPayload,
    InvalidCallVersion,
    InvalidSalt,
    InvalidType,
    TxDecode,
)
from ibc_core.gmp import names
from ibc_core.identifiers import is_blank
from ibc_core.transfer.encodings import ABI, JSON, PROTOBUF
from ibc_core.value import sealed
from ibc_core.wire.abi import WORD, AbiReader, encode_tuple
from ibc_core.wire.encoding import encode as encode_wire
from ibc_core.wire.gojson import JsonError, decode_base64, marshal_string, parse_flat_object
from ibc_core.wire.strict import parse
from ibc_proto.ibc.applications.gmp.v1 import packet_pb2 as pb

_M = TypeVar("_M", bound=Message)
_WHAT = "GMP packet data"


@sealed
class GmpPacketData(NamedTuple):
    """Who calls, and what is to be executed for him."""

    sender: str  # in chain A's spelling
    receiver: str  # whom chain B is to call; "" here: the messages say it
    salt: bytes  # which of the sender's accounts
    payload: bytes  # a CosmosTx, where the chain that receives it is one
    memo: str

    def check(self) -> None:
        """Checks that there is a sender, and the sizes.

        Raises:
            InvalidAddress, InvalidCallPayload, InvalidSalt, InvalidCallMemo.
        """
        # guard: h166-nobody-calls test_what_cannot_be
        if is_blank(self.sender):
            raise InvalidAddress("sender", "")
        check_length("sender", self.sender, names.MAX_SENDER_SIZE)
        check_sizes(self.receiver, self.payload, self.salt, self.memo)


def check_sizes(receiver: str, payload: bytes, salt: bytes, memo: str) -> None:
    """Checks what a message and a packet have in common.

    Raises:
        InvalidAddress, InvalidCallPayload, InvalidSalt, InvalidCallMemo.
    """
    check_length("receiver", receiver, names.MAX_RECEIVER_SIZE)
    # guard: h166-a-payload-of-any-size test_calls::test_messages_that_cannot_be test_what_cannot_be
    if len(payload) > names.MAX_PAYLOAD_SIZE:
        raise InvalidCallPayload(f"{len(payload)} bytes exceed {names.MAX_PAYLOAD_SIZE}")
    # guard: h166-a-salt-of-any-size test_calls::test_messages_that_cannot_be test_what_cannot_be
    if len(salt) > names.MAX_SALT_SIZE:
        raise InvalidSalt(len(salt), names.MAX_SALT_SIZE)
    size = len(memo.encode())
    # guard: h166-a-memo-of-any-size test_calls::test_messages_that_cannot_be test_what_cannot_be
    if size > names.MAX_MEMO_SIZE:
        raise InvalidCallMemo(size, names.MAX_MEMO_SIZE)


def check_length(field: str, text: str, limit: int) -> None:
    """Checks an address of another chain; raises InvalidAddress."""
    # guard: h166-an-address-of-any-size test_calls::test_messages_that_cannot_be test_what_cannot_be
    if len(text.encode()) > limit:
        raise InvalidAddress(field, text[:64])


def encode(data: GmpPacketData, encoding: str) -> bytes:
    """The data's one form in an encoding; raises InvalidCallEncoding."""
    if encoding == JSON:
        return _encode_json(data._asdict())
    if encoding == PROTOBUF:
        return encode_wire(pb.GMPPacketData(**data._asdict()))
    if encoding == ABI:
        return encode_tuple(*data)
    raise InvalidCallEncoding(encoding[:64])


def decode(raw: bytes, version: str, encoding: str) -> GmpPacketData:
    """Reads what a payload carries, unchecked.

    Raises:
        InvalidCallVersion, InvalidCallEncoding: not ours.
        InvalidType: it is malformed, or not in its one form.
    """
    if version != names.VERSION:
        raise InvalidCallVersion(names.VERSION, version[:64])
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
        raise InvalidType(f"{_WHAT} in its one form", f"{len(raw)} bytes of another")
    return data


def encode_answer(result: bytes, encoding: str) -> bytes:
    """The acknowledgement of a call that was executed; raises InvalidCallEncoding."""
    if encoding == JSON:
        return _encode_json({"result": result})
    if encoding == PROTOBUF:
        return encode_wire(pb.Acknowledgement(result=result))
    if encoding == ABI:
        return encode_tuple(result)
    raise InvalidCallEncoding(encoding[:64])


def decode_answer(raw: bytes, encoding: str) -> bytes:
    """The result in an acknowledgement that is not the sentinel: of a Cosmos chain a `TxMsgData`.

    Raises:
        InvalidCallEncoding: not ours.
        InvalidType: it is malformed, or not in its one form.
    """
    if encoding == JSON:
        result = _bytes_of(_members(raw).get("result"))
    elif encoding == PROTOBUF:
        result = _parse(pb.Acknowledgement, raw).result
    elif encoding == ABI:
        result = AbiReader(raw, _WHAT).inner(0).data(0)
    else:
        raise InvalidCallEncoding(encoding[:64])
    if encode_answer(result, encoding) != raw:
        raise InvalidType("GMP acknowledgement in its one form", f"{len(raw)} bytes of another")
    return result


def _encode_json(members: dict[str, str | bytes]) -> bytes:
    """As json.Marshal writes a message's struct: what is empty is left out."""
    parts = [_quoted(name) + b":" + _quoted(each) for name, each in members.items() if each]
    return b"{" + b",".join(parts) + b"}"


def _quoted(content: str | bytes) -> bytes:
    return marshal_string(content) if isinstance(content, str) else b'"' + b64encode(content) + b'"'


def _members(raw: bytes) -> dict[str, str | None]:
    """Of JSON in its one form there are texts alone, and no name twice: more need not be read."""
    try:
        return dict(parse_flat_object(raw))
    except JsonError as error:
        raise InvalidType(f"{_WHAT} in JSON", str(error)) from None


def _bytes_of(text: str | None) -> bytes:
    found = decode_base64(text or "")
    if found is None:
        raise InvalidType(f"{_WHAT} in JSON", "bytes that are no base64")
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
    body = AbiReader(raw, f"{_WHAT} in ABI").inner(0)
    return GmpPacketData(
        body.text(0), body.text(WORD), body.data(2 * WORD), body.data(3 * WORD), body.text(4 * WORD)
    )


def _parse(cls: type[_M], raw: bytes) -> _M:
    try:
        return parse(cls, raw, non_critical=False)
    except TxDecode as error:
        raise InvalidType(f"{_WHAT} in protobuf", str(error)) from error
