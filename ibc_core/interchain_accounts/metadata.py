"""A channel's version in ICS-27: JSON of its metadata, settled in the handshake."""

from typing import NamedTuple

from ibc_core.errors import (
    InvalidAccountAddress,
    InvalidAccountsVersion,
    InvalidConnection,
    InvalidType,
    UnknownDataType,
    UnsupportedEncoding,
)
from ibc_core.interchain_accounts.json_fields import as_text, json_fields
from ibc_core.interchain_accounts.names import VERSION
from ibc_core.kept import kept
from ibc_core.value import sealed
from ibc_core.wire.gojson import JsonError, marshal_string

PROTO3 = "proto3"
PROTO3_JSON = "proto3json"
ENCODINGS = frozenset({PROTO3, PROTO3_JSON})
TX_TYPE = "sdk_multi_msg"
MAX_ADDRESS_SIZE = 128


@sealed
class Metadata(NamedTuple):
    """What both ends of a channel agree on."""

    version: str
    controller_connection_id: str  # of the controller's chain
    host_connection_id: str  # of the host's chain
    address: str  # the account, in the host's spelling; "" until the host has made it
    encoding: str  # of transactions: `proto3` or `proto3json`
    tx_type: str


_NAMES = {
    "version": "version",
    "controller_connection_id": "controllerConnectionId",
    "host_connection_id": "hostConnectionId",
    "address": "address",
    "encoding": "encoding",
    "tx_type": "txType",
}


def default_metadata(controller_connection_id: str, host_connection_id: str) -> Metadata:
    """Transactions in protobuf, no account yet."""
    return Metadata(VERSION, controller_connection_id, host_connection_id, "", PROTO3, TX_TYPE)


def encode_metadata(metadata: Metadata) -> str:
    """The version that a channel has."""
    texts = zip(_NAMES, metadata._asdict().values(), strict=True)
    fields = [b'"%b":%b' % (name.encode(), marshal_string(text)) for name, text in texts]
    return (b"{%b}" % b",".join(fields)).decode()


@kept(64)
def decode_metadata(version: str) -> Metadata:
    """What a version says, remembered: each packet asks for it.

    Raises:
        InvalidType: it is no JSON of metadata.
    """
    try:
        found = json_fields(version.encode(), _NAMES)
        return Metadata(*[as_text(found.get(name)) for name in _NAMES])
    except JsonError as error:
        raise InvalidType("ICS-27 metadata", f"JSON: {error}") from None


def check_metadata(metadata: Metadata, controller_connection_id: str, host_connection_id: str) -> None:
    """Checks metadata against the connection that the channel runs over (ibc-go's order).

    Raises:
        UnsupportedEncoding, UnknownDataType, InvalidConnection, InvalidAccountAddress,
        InvalidAccountsVersion.
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
    """Checks an address of another chain's: letters and digits, 128 at most.

    Raises:
        InvalidAccountAddress: it is something else.
    """
    if not (address.isascii() and address.isalnum()) or len(address) > MAX_ADDRESS_SIZE:
        raise InvalidAccountAddress(address[:MAX_ADDRESS_SIZE])


def is_same_but_for_address(version: str, metadata: Metadata) -> bool:
    """Whether a channel that was open before had this metadata; its address is the host's to say."""
    try:
        before = decode_metadata(version)
    except InvalidType:
        return False
    return before._replace(address="") == metadata._replace(address="")
