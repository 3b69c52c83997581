"""Values of the `ibc` store: connection and channel ends, paths and parameters, to bytes and back.

Other chains verify proofs of these bytes, so they are ibc-go's exactly (`ibc_core/wire/encoding.py`).
Decoding is a pure function of the bytes and cached: every packet message reads the same ends again.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TypeVar

from google.protobuf.message import DecodeError, Message

from ibc_core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from ibc_core.connection.types import ConnectionCounterparty, ConnectionEnd, ConnectionState, Version
from ibc_core.wire.encoding import encode
from ibc_proto.ibc.core.channel.v1 import channel_pb2
from ibc_proto.ibc.core.client.v1 import client_pb2
from ibc_proto.ibc.core.connection.v1 import connection_pb2

_M = TypeVar("_M", bound=Message)
_T = TypeVar("_T")


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
    return encode(
        connection_pb2.ConnectionEnd(
            client_id=end.client_id,
            versions=[pack_version(version) for version in end.versions],
            state=end.state.value,
            counterparty=pack_connection_counterparty(end.counterparty),
            delay_period=end.delay_period_ns,
        )
    )


@lru_cache(1024)
def decode_connection_end(raw: bytes) -> ConnectionEnd:
    """A stored `ConnectionEnd`.

    Raises:
        CorruptState: it cannot be decoded.
    """
    end = read(connection_pb2.ConnectionEnd, raw)
    return ConnectionEnd(
        end.client_id,
        tuple([unpack_version(version) for version in end.versions]),
        _known(_CONNECTION_STATES, end.state),
        unpack_connection_counterparty(end.counterparty),
        end.delay_period,
    )


def encode_channel_end(end: ChannelEnd) -> bytes:
    """`ibc.core.channel.v1.Channel`."""
    return encode(pack_channel_end(end))


@lru_cache(1024)
def decode_channel_end(raw: bytes) -> ChannelEnd:
    """A stored `Channel`.

    Raises:
        CorruptState: it cannot be decoded.
    """
    end = read(channel_pb2.Channel, raw)
    _known(_CHANNEL_STATES, end.state)
    _known(_ORDERS, end.ordering)
    return unpack_channel_end(end)


def encode_client_paths(connection_ids: Iterable[str]) -> bytes:
    """`ibc.core.connection.v1.ClientPaths`: the connections of one client, in the order they were made."""
    return encode(connection_pb2.ClientPaths(paths=connection_ids))


@lru_cache(1024)
def decode_client_paths(raw: bytes) -> tuple[str, ...]:
    """The connection ids of a stored `ClientPaths`.

    Raises:
        CorruptState: it cannot be decoded.
    """
    return tuple(read(connection_pb2.ClientPaths, raw).paths)


def encode_client_params(allowed_clients: Iterable[str]) -> bytes:
    """`ibc.core.client.v1.Params`."""
    return encode(client_pb2.Params(allowed_clients=allowed_clients))


@lru_cache(16)
def decode_client_params(raw: bytes) -> tuple[str, ...]:
    """The allowed client types of a stored `Params`.

    Raises:
        CorruptState: it cannot be decoded.
    """
    return tuple(read(client_pb2.Params, raw).allowed_clients)


def encode_connection_params(max_expected_time_per_block_ns: int) -> bytes:
    """`ibc.core.connection.v1.Params`."""
    return encode(connection_pb2.Params(max_expected_time_per_block=max_expected_time_per_block_ns))


@lru_cache(16)
def decode_connection_params(raw: bytes) -> int:
    """The expected time per block, nanoseconds, of a stored `Params`.

    Raises:
        CorruptState: it cannot be decoded.
    """
    return read(connection_pb2.Params, raw).max_expected_time_per_block


# -- parts that stored values and messages share


def pack_version(version: Version) -> connection_pb2.Version:
    """A connection version as a message."""
    return connection_pb2.Version(identifier=version.identifier, features=version.features)


def unpack_version(version: connection_pb2.Version) -> Version:
    """A connection version as a value."""
    return Version(version.identifier, tuple(version.features))


def pack_connection_counterparty(other: ConnectionCounterparty) -> connection_pb2.Counterparty:
    """A connection's counterparty as a message."""
    packed = connection_pb2.Counterparty(client_id=other.client_id, connection_id=other.connection_id)
    packed.prefix.key_prefix = other.prefix
    return packed


def unpack_connection_counterparty(other: connection_pb2.Counterparty) -> ConnectionCounterparty:
    """A connection's counterparty as a value."""
    return ConnectionCounterparty(other.client_id, other.connection_id, other.prefix.key_prefix)


def pack_channel_end(end: ChannelEnd) -> channel_pb2.Channel:
    """A channel end as a message."""
    other = end.counterparty
    return channel_pb2.Channel(
        state=end.state.value,
        ordering=end.ordering.value,
        counterparty=channel_pb2.Counterparty(port_id=other.port_id, channel_id=other.channel_id),
        connection_hops=end.connection_hops,
        version=end.version,
    )


def unpack_channel_end(end: channel_pb2.Channel) -> ChannelEnd:
    """A channel end as a value; a state or ordering without a name becomes UNINITIALIZED or NONE.

    Those two are in no message that passes its checks, so the sender gets the error for a wrong state.
    """
    return ChannelEnd(
        _CHANNEL_STATES.get(end.state, ChannelState.UNINITIALIZED),
        _ORDERS.get(end.ordering, Order.NONE),
        ChannelCounterparty(end.counterparty.port_id, end.counterparty.channel_id),
        tuple(end.connection_hops),
        end.version,
    )


_CONNECTION_STATES: dict[int, ConnectionState] = {state.value: state for state in ConnectionState}
_CHANNEL_STATES: dict[int, ChannelState] = {state.value: state for state in ChannelState}
_ORDERS: dict[int, Order] = {order.value: order for order in Order}


def _known(names: Mapping[int, _T], number: int) -> _T:
    if number not in names:
        raise CorruptState(f"stored enum value {number} has no name")
    return names[number]
