"""Packet data of ICS-27, the metadata in a channel's version, and port names."""

import re
from base64 import b64encode
from binascii import a2b_base64
from collections.abc import Mapping
from typing import Annotated, Final, NamedTuple

from pyibc.codec.gojson import Json, JsonError, Number, decode_base64, marshal_string, parse
from pyibc.codec.gojson_members import first_object
from pyibc.core.application.packet_data import PacketData
from pyibc.core.errors import (
    InvalidAccountAddress,
    InvalidAccountsVersion,
    InvalidConnection,
    InvalidOutgoingData,
    InvalidType,
    UnknownDataType,
    UnsupportedEncoding,
)
from pyibc.core.identifiers import is_blank
from pyibc.core.memo import memoize
from pyibc.core.value import sealed, value
from pyibc.core.wire.columns import Wire
from pyibc.core.wire.table import on_wire
from pyibc.proto.ibc.applications.interchain_accounts.v1 import packet_pb2

# -- JSON of ICS-27 metadata and packet data: flat messages, parsed by the rules of ibc-go's jsonpb
#
# Only the first JSON value counts. Of duplicate names the last wins; the lowerCamelCase name takes
# precedence over the original one. `null` is an empty message or field. Unknown fields are errors.

_MAX_ENUM = 2**31
_begins_with_null = re.compile(rb"[ \t\r\n]*+null").match
_BYTE = rb"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9]|null)[ \t\r\n]*+"
_are_bytes = re.compile(
    rb"\[[ \t\r\n]*+(?:" + _BYTE + rb"(?:,[ \t\r\n]*+" + _BYTE + rb")*+)?\][ \t\r\n]*+"
).fullmatch
_integer = re.compile("(-?)[0-9]{1,10}").fullmatch


def json_fields(raw: bytes, names: Mapping[str, str]) -> dict[str, bytes]:
    """Return the JSON value of each field that is present; `names` maps fields to lowerCamelCase names.

    Raises:
        JsonError: it is not an object, or has an unknown field.
    """
    if _begins_with_null(raw):
        return {}
    known = {name for each in names.items() for name in each}
    members: dict[str, bytes] = {}
    for name, (start, end) in first_object(raw):
        # guard: h163-unknown-fields-of-metadata {name not in known => not known}
        #   test_h163_what_is_no_metadata test_h163_what_is_no_packet_data
        if name not in known:
            raise JsonError(f"unknown field {name[:64]!a}", start)
        members[name] = raw[start:end]
    both = {name: members.get(other, members.get(name)) for name, other in names.items()}
    return {name: content for name, content in both.items() if content is not None}


def as_text(given: bytes | None) -> str:
    """Decode a string field.

    Raises:
        JsonError: it is not a string.
    """
    content = _scalar(given)
    if content is None:
        return ""
    if not isinstance(content, str):
        raise JsonError("not a string", 0)
    return content


def as_bytes(given: bytes | None) -> bytes:
    """Decode a bytes field: base64, or a list of numbers, which Go accepts too.

    Raises:
        JsonError: it is neither.
    """
    if given is not None and given[:1] == b"[":
        return _bytes_in(given)
    content = _scalar(given)
    if content is None:
        return b""
    found = decode_base64(content) if isinstance(content, str) else None
    if found is None:
        raise JsonError("not base64", 0)
    return found


def as_enum(given: bytes | None, raw: bytes, known: Mapping[str, int]) -> int:
    """Decode an enum field: a 32-bit number, or a name that occurs in `raw` without escapes.

    Raises:
        JsonError: it is neither.
    """
    content = _scalar(given)
    if content is None:
        return 0
    if isinstance(content, str):
        # guard: h163-an-escaped-name-of-an-enum drop:raw test_h163_what_is_no_packet_data
        if content not in known or b'"%b"' % content.encode() not in raw:
            raise JsonError("unknown name", 0)
        return known[content]
    # guard: h163-numbers-of-any-size {_whole(content, -_MAX_ENUM, _MAX_ENUM) => _whole(content, -_MAX_ENUM, 2
    #   * _MAX_ENUM)} test_h163_what_is_no_packet_data
    return _whole(content, -_MAX_ENUM, _MAX_ENUM)


def _scalar(given: bytes | None) -> Json:
    """Parse a scalar; None for null and for a missing field."""
    if given is None:
        return None
    if given[:1] in {b"[", b"{"}:
        raise JsonError("an array or object", 0)
    return parse(given)


def _bytes_in(given: bytes) -> bytes:
    """Decode a list of numbers from 0 to 255, in which null is 0."""
    if _are_bytes(given) is None:
        raise JsonError("not a list of bytes", 0)
    bare = given.translate(None, b" \t\r\n[]").replace(b"null", b"0")
    return bytes(map(int, bare.split(b","))) if bare else b""


def _whole(content: Json, low: int, high: int) -> int:
    """Return an integer without fraction or exponent, as Go parses it: `low <= number < high`."""
    found = _integer(content.text) if isinstance(content, Number) else None
    if found is None or (found[1] and not low):
        raise JsonError("not an integer in range", 0)
    number = int(found[0])
    if not low <= number < high:
        raise JsonError("not an integer in range", 0)
    return number


# -- ports, metadata and packet data

MODULE_NAME = "interchainaccounts"
HOST_PORT = "icahost"
CONTROLLER = "icacontroller"
CONTROLLER_PREFIX = f"{CONTROLLER}-"
"""Prefix of controller ports, followed by the owner."""

VERSION = "ics27-1"


def controller_port(owner: str) -> str:
    """Return the controller port of an owner.

    Raises:
        InvalidAccountAddress: the owner is blank.
    """
    if is_blank(owner):
        raise InvalidAccountAddress(owner)
    return CONTROLLER_PREFIX + owner


def to_packet_data(data: bytes) -> PacketData:
    """Decode memo and transaction for middleware; the sender is the owner in the controller's port.

    Raises:
        InvalidType: it is not packet data in JSON.
    """
    found = decode_packet_data(data)
    return PacketData(sender="", receiver="", memo=found.memo, value=found, sender_prefix=CONTROLLER_PREFIX)


UNSPECIFIED: Final = 0
EXECUTE_TX: Final = 1
_TYPES = {"TYPE_UNSPECIFIED": UNSPECIFIED, "TYPE_EXECUTE_TX": EXECUTE_TX}
_NAMES = {number: name for name, number in _TYPES.items()}

MAX_MEMO_SIZE = 32_768
"""Maximal size of an outgoing memo in bytes."""

_FIELDS = {"type": "type", "data": "data", "memo": "memo"}

# guard: h163-a-text-with-escapes-read-as-it-stands {b'[ !#-\\[\\]-~]' => b'[ -~]'}
#   test_a_blank_in_front_changes_nothing
# guard: h163-a-pattern-that-goes-back {b'{4})*+' => b'{4})*'}
#   test_a_long_transaction_costs_no_more_memory_than_it_has_bytes
_as_written = re.compile(
    rb'\{"type":"TYPE_EXECUTE_TX"'
    rb',"data":"((?:[A-Za-z0-9+/]{4})*+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)"'
    rb',"memo":"([ !#-\[\]-~]*)"\}'
).fullmatch
"""Form that ibc-go writes when the memo needs no escapes: the fast path for nearly all packets."""


@on_wire(packet_pb2.InterchainAccountPacketData)
@value
class InterchainAccountPacketData:
    """Transaction of an interchain account, with a memo for middleware."""

    kind: Annotated[int, Wire("type")]  # EXECUTE_TX; the host refuses any other
    data: bytes  # a CosmosTx, in the channel's encoding
    memo: str

    def check(self) -> None:
        """Run ibc-go's ValidateBasic.

        Raises:
            InvalidOutgoingData: the type is unspecified, the transaction empty, or the memo too long.
        """
        if self.kind == UNSPECIFIED:
            raise InvalidOutgoingData("packet data type cannot be unspecified")
        if not self.data:
            raise InvalidOutgoingData("packet data cannot be empty")
        if len(self.memo.encode()) > MAX_MEMO_SIZE:
            raise InvalidOutgoingData(f"packet data memo cannot be greater than {MAX_MEMO_SIZE} characters")


def encode_packet_data(packet: InterchainAccountPacketData) -> bytes:
    """Encode packet data in JSON."""
    kind = b'"%b"' % _NAMES[packet.kind].encode() if packet.kind in _NAMES else b"%d" % packet.kind
    data = b64encode(packet.data)
    return b'{"type":%b,"data":"%b","memo":%b}' % (kind, data, marshal_string(packet.memo))


def decode_packet_data(raw: bytes) -> InterchainAccountPacketData:
    """Decode packet data.

    Raises:
        InvalidType: it is not packet data in JSON.
    """
    usual = _as_written(raw)
    if usual is not None:
        return InterchainAccountPacketData(EXECUTE_TX, a2b_base64(usual[1]), usual[2].decode("ascii"))
    try:
        found = json_fields(raw, _FIELDS)
        return InterchainAccountPacketData(
            as_enum(found.get("type"), raw, _TYPES), as_bytes(found.get("data")), as_text(found.get("memo"))
        )
    except JsonError as error:
        raise InvalidType("ICS-27 packet data", f"JSON: {error}") from None


PROTO3 = "proto3"
PROTO3_JSON = "proto3json"
ENCODINGS = frozenset({PROTO3, PROTO3_JSON})
TX_TYPE = "sdk_multi_msg"
MAX_ADDRESS_SIZE = 128


@sealed
class Metadata(NamedTuple):
    """Parameters of a channel, negotiated in the handshake."""

    version: str
    controller_connection_id: str  # of the controller's chain
    host_connection_id: str  # of the host's chain
    address: str  # of the account, in the host's format; "" until chanOpenTry
    encoding: str  # of transactions: `proto3` or `proto3json`
    tx_type: str


_METADATA_FIELDS = {
    "version": "version",
    "controller_connection_id": "controllerConnectionId",
    "host_connection_id": "hostConnectionId",
    "address": "address",
    "encoding": "encoding",
    "tx_type": "txType",
}


def default_metadata(controller_connection_id: str, host_connection_id: str) -> Metadata:
    """Return metadata for transactions in protobuf, without an address."""
    return Metadata(VERSION, controller_connection_id, host_connection_id, "", PROTO3, TX_TYPE)


def encode_metadata(metadata: Metadata) -> str:
    """Encode metadata as a channel version."""
    texts = zip(_METADATA_FIELDS, metadata._asdict().values(), strict=True)
    fields = [b'"%b":%b' % (name.encode(), marshal_string(text)) for name, text in texts]
    return (b"{%b}" % b",".join(fields)).decode()


@memoize(64)
def decode_metadata(version: str) -> Metadata:
    """Decode a channel version; cached, since each packet needs it.

    Raises:
        InvalidType: it is not metadata in JSON.
    """
    try:
        found = json_fields(version.encode(), _METADATA_FIELDS)
        return Metadata(*[as_text(found.get(name)) for name in _METADATA_FIELDS])
    except JsonError as error:
        raise InvalidType("ICS-27 metadata", f"JSON: {error}") from None


def check_metadata(metadata: Metadata, controller_connection_id: str, host_connection_id: str) -> None:
    """Check metadata against the channel's connection, in ibc-go's order.

    Raises:
        UnsupportedEncoding: the encoding is unknown.
        UnknownDataType: the transaction type is unknown.
        InvalidConnection: it names another connection.
        InvalidAccountAddress: the address is malformed.
        InvalidAccountsVersion: the version is not `ics27-1`.
    """
    if metadata.encoding not in ENCODINGS:
        raise UnsupportedEncoding(metadata.encoding)
    if metadata.tx_type != TX_TYPE:
        raise UnknownDataType(metadata.tx_type)
    named = metadata.controller_connection_id, metadata.host_connection_id
    for expected, got in zip((controller_connection_id, host_connection_id), named, strict=True):
        # guard: h163-another-s-connection test_what_does_not_fit_the_channel
        #   test_host::test_what_it_does_not_open
        if got != expected:
            raise InvalidConnection(f"expected {expected}, got {got}")
    if metadata.address:
        # guard: h163-an-address-of-anything test_what_does_not_fit_the_channel
        check_account_address(metadata.address)
    if metadata.version != VERSION:
        raise InvalidAccountsVersion(f"expected {VERSION}, got {metadata.version}")


def check_account_address(address: str) -> None:
    """Check another chain's account address: at most 128 letters and digits.

    Raises:
        InvalidAccountAddress: it is malformed.
    """
    if not (address.isascii() and address.isalnum()) or len(address) > MAX_ADDRESS_SIZE:
        raise InvalidAccountAddress(address[:MAX_ADDRESS_SIZE])


def is_previous_metadata_equal(version: str, metadata: Metadata) -> bool:
    """Return whether a previous channel had the same metadata, apart from the address, set by the host."""
    try:
        before = decode_metadata(version)
    except InvalidType:
        return False
    return before._replace(address="") == metadata._replace(address="")
