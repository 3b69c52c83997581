"""Encodings of values in the `ibc` store: connection and channel ends, client paths, parameters.

Counterparties verify proofs of these bytes, so they are identical to ibc-go's (`pyibc/codec/encoding.py`).
Decoding is a pure function and cached, because every packet message reads the same ends.
"""

from collections.abc import Iterable
from enum import IntEnum
from typing import TypeVar

from google.protobuf.message import DecodeError, Message

from pyibc.codec.encoding import encode
from pyibc.core.channel.types import ChannelEnd, ChannelState, Order
from pyibc.core.connection.types import ConnectionEnd, ConnectionState
from pyibc.core.memo import memoize
from pyibc.core.wire.table import pack, unpack
from pyibc.proto.ibc.core.channel.v1 import channel_pb2
from pyibc.proto.ibc.core.client.v1 import client_pb2
from pyibc.proto.ibc.core.connection.v1 import connection_pb2

_M = TypeVar("_M", bound=Message)


class CorruptState(ValueError):
    """Raised for a stored value that this module cannot have written, due to a bug or a damaged disk.

    This is no `IbcError`: no message can cause it, and the node must stop.
    """


def read(cls: type[_M], raw: bytes) -> _M:
    """Return the message encoded in the stored bytes `raw`.

    Raises:
        CorruptState: the bytes are malformed.
    """
    try:
        return cls.FromString(raw)
    except DecodeError as error:
        raise CorruptState(f"stored {cls.DESCRIPTOR.full_name}: {error}") from error


def encode_connection_end(end: ConnectionEnd) -> bytes:
    """Return the encoding of a connection end, an `ibc.core.connection.v1.ConnectionEnd`."""
    return encode(pack(end))


@memoize(1024)
def decode_connection_end(raw: bytes) -> ConnectionEnd:
    """Return the connection end in a stored `ConnectionEnd`.

    Raises:
        CorruptState: the bytes are malformed.
    """
    end = read(connection_pb2.ConnectionEnd, raw)
    _require_named(ConnectionState, end.state)
    return unpack(ConnectionEnd, end)


def encode_channel_end(end: ChannelEnd) -> bytes:
    """Return the encoding of a channel end, an `ibc.core.channel.v1.Channel`."""
    return encode(pack(end))


@memoize(1024)
def decode_channel_end(raw: bytes) -> ChannelEnd:
    """Return the channel end in a stored `Channel`.

    Raises:
        CorruptState: the bytes are malformed.
    """
    end = read(channel_pb2.Channel, raw)
    _require_named(ChannelState, end.state)
    _require_named(Order, end.ordering)
    return unpack(ChannelEnd, end)


def encode_client_paths(connection_ids: Iterable[str]) -> bytes:
    """Return the encoding of a client's connections in order of creation, an `ibc...v1.ClientPaths`."""
    return encode(connection_pb2.ClientPaths(paths=connection_ids))


@memoize(1024)
def decode_client_paths(raw: bytes) -> tuple[str, ...]:
    """Return the connection ids in a stored `ClientPaths`.

    Raises:
        CorruptState: the bytes are malformed.
    """
    return tuple(read(connection_pb2.ClientPaths, raw).paths)


def encode_client_params(allowed_clients: Iterable[str]) -> bytes:
    """Return the encoding of the client parameters, an `ibc.core.client.v1.Params`."""
    return encode(client_pb2.Params(allowed_clients=allowed_clients))


@memoize(16)
def decode_client_params(raw: bytes) -> tuple[str, ...]:
    """Return the allowed client types in a stored `Params`.

    Raises:
        CorruptState: the bytes are malformed.
    """
    return tuple(read(client_pb2.Params, raw).allowed_clients)


def encode_connection_params(max_expected_time_per_block_ns: int) -> bytes:
    """Return the encoding of the connection parameters, an `ibc.core.connection.v1.Params`."""
    return encode(connection_pb2.Params(max_expected_time_per_block=max_expected_time_per_block_ns))


@memoize(16)
def decode_connection_params(raw: bytes) -> int:
    """Return the maximum expected time per block in a stored `Params`, in nanoseconds.

    Raises:
        CorruptState: the bytes are malformed.
    """
    return read(connection_pb2.Params, raw).max_expected_time_per_block


def _require_named(enum: type[IntEnum], number: int) -> None:
    if number not in {member.value for member in enum}:
        raise CorruptState(f"stored enum value {number} has no name")
