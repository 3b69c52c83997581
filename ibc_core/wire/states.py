"""Values of the `ibc` store: connection and channel ends, paths and parameters, to bytes and back.

Other chains verify proofs of these bytes, so they are ibc-go's exactly (`ibc_core/wire/encoding.py`).
Decoding is a pure function of the bytes and cached: every packet message reads the same ends again.
"""

from collections.abc import Iterable
from enum import IntEnum
from typing import TypeVar

from google.protobuf.message import DecodeError, Message

from ibc_core.channel.types import ChannelEnd, ChannelState, Order
from ibc_core.connection.types import ConnectionEnd, ConnectionState
from ibc_core.kept import kept
from ibc_core.wire.encoding import encode
from ibc_core.wire.table import pack, unpack
from ibc_proto.ibc.core.channel.v1 import channel_pb2
from ibc_proto.ibc.core.client.v1 import client_pb2
from ibc_proto.ibc.core.connection.v1 import connection_pb2

_M = TypeVar("_M", bound=Message)


class CorruptState(ValueError):
    """A stored value is not what this module writes: a bug or a damaged disk, so no `IbcError`.

    No message can cause it, so the node must stop rather than go on.
    """


def read(cls: type[_M], raw: bytes) -> _M:
    """The message stored as `raw`.

    Raises:
        CorruptState: `raw` cannot be decoded.
    """
    try:
        return cls.FromString(raw)
    except DecodeError as error:
        raise CorruptState(f"stored {cls.DESCRIPTOR.full_name}: {error}") from error


def encode_connection_end(end: ConnectionEnd) -> bytes:
    """`ibc.core.connection.v1.ConnectionEnd`."""
    return encode(pack(end))


@kept(1024)
def decode_connection_end(raw: bytes) -> ConnectionEnd:
    """A stored `ConnectionEnd`.

    Raises:
        CorruptState: it cannot be decoded.
    """
    end = read(connection_pb2.ConnectionEnd, raw)
    _require_named(ConnectionState, end.state)
    return unpack(ConnectionEnd, end)


def encode_channel_end(end: ChannelEnd) -> bytes:
    """`ibc.core.channel.v1.Channel`."""
    return encode(pack(end))


@kept(1024)
def decode_channel_end(raw: bytes) -> ChannelEnd:
    """A stored `Channel`.

    Raises:
        CorruptState: it cannot be decoded.
    """
    end = read(channel_pb2.Channel, raw)
    _require_named(ChannelState, end.state)
    _require_named(Order, end.ordering)
    return unpack(ChannelEnd, end)


def encode_client_paths(connection_ids: Iterable[str]) -> bytes:
    """`ibc.core.connection.v1.ClientPaths`: the connections of one client, in the order they were made."""
    return encode(connection_pb2.ClientPaths(paths=connection_ids))


@kept(1024)
def decode_client_paths(raw: bytes) -> tuple[str, ...]:
    """The connection ids of a stored `ClientPaths`.

    Raises:
        CorruptState: it cannot be decoded.
    """
    return tuple(read(connection_pb2.ClientPaths, raw).paths)


def encode_client_params(allowed_clients: Iterable[str]) -> bytes:
    """`ibc.core.client.v1.Params`."""
    return encode(client_pb2.Params(allowed_clients=allowed_clients))


@kept(16)
def decode_client_params(raw: bytes) -> tuple[str, ...]:
    """The allowed client types of a stored `Params`.

    Raises:
        CorruptState: it cannot be decoded.
    """
    return tuple(read(client_pb2.Params, raw).allowed_clients)


def encode_connection_params(max_expected_time_per_block_ns: int) -> bytes:
    """`ibc.core.connection.v1.Params`."""
    return encode(connection_pb2.Params(max_expected_time_per_block=max_expected_time_per_block_ns))


@kept(16)
def decode_connection_params(raw: bytes) -> int:
    """The expected time per block, nanoseconds, of a stored `Params`.

    Raises:
        CorruptState: it cannot be decoded.
    """
    return read(connection_pb2.Params, raw).max_expected_time_per_block


def _require_named(enum: type[IntEnum], number: int) -> None:
    if number not in {member.value for member in enum}:
        raise CorruptState(f"stored enum value {number} has no name")
