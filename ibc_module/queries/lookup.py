"""Lookups shared by several query services: client and consensus states as stored, the response height."""

from collections.abc import Sequence

from keepers.keepers import Keepers
from pyibc.core import paths
from pyibc.core.channel.types import ChannelEnd
from pyibc.core.connection.types import ConnectionEnd
from pyibc.core.errors import ClientNotFound, ConsensusStateNotFound, InvalidRequest
from pyibc.core.height import Height
from pyibc.core.host.context import ReadContext
from pyibc.core.identifiers import validate_channel_id, validate_port_id
from pyibc.core.wire.requests import require_identifier
from pyibc.core.wire.states import read
from pyibc.core.wire.table import pack
from pyibc.proto.google.protobuf import any_pb2
from pyibc.proto.ibc.core.client.v1 import client_pb2


def self_height(ctx: ReadContext) -> client_pb2.Height:
    """Return the height of the state read; a proof of it verifies against the next height's header."""
    height: client_pb2.Height = pack(ctx.height)
    return height


def require_channel_name(port_id: str, channel_id: str) -> None:
    """Check the form of a port and a channel identifier.

    Raises:
        InvalidRequest: one is malformed.
    """
    require_identifier(validate_port_id, port_id)
    require_identifier(validate_channel_id, channel_id)


MAX_SEQUENCES = 10_000
"""Maximal number of sequences in a request: each is a store read, and anyone may query."""


def bounded_sequences(asked: Sequence[int]) -> Sequence[int]:
    """Return the sequences of a request.

    Raises:
        InvalidRequest: there are more than `MAX_SEQUENCES`.
    """
    # guard: h75-any-number-of-sequences test_packet::test_h75_so_many_sequences_and_no_more
    #   test_packet_v2::test_h75_so_many_sequences_and_no_more
    if len(asked) > MAX_SEQUENCES:
        raise InvalidRequest(f"{len(asked)} packet sequences, at most {MAX_SEQUENCES}")
    return asked


def nonzero_sequences(asked: Sequence[int]) -> list[int]:
    """Return the sequences of a request, none of which may be 0.

    Raises:
        InvalidRequest: there are more than `MAX_SEQUENCES`, or one of them is 0; the message has its
            position.
    """
    found = list(bounded_sequences(asked))
    if 0 in found:
        raise InvalidRequest(f"packet sequence {found.index(0)} cannot be 0")
    return found


def channel_end(keepers: Keepers, ctx: ReadContext, port_id: str, channel_id: str) -> ChannelEnd:
    """Return the channel of a request.

    Raises:
        InvalidRequest: an identifier is malformed.
        ChannelNotFound: the channel does not exist.
    """
    require_channel_name(port_id, channel_id)
    return keepers.channels.get(ctx, port_id, channel_id)


def connection_of(keepers: Keepers, ctx: ReadContext, port_id: str, channel_id: str) -> ConnectionEnd:
    """Return the connection of a request's channel.

    Raises:
        InvalidRequest: an identifier is malformed.
        ChannelNotFound: the channel does not exist.
        ConnectionNotFound: its connection does not exist.
    """
    return keepers.connections.get(ctx, channel_end(keepers, ctx, port_id, channel_id).connection_id)


def client_state(ctx: ReadContext, client_id: str) -> any_pb2.Any:
    """Return a client's state, of any type.

    Raises:
        ClientNotFound: the client does not exist.
    """
    raw = ctx.ibc.get(paths.client_state_path(client_id))
    if raw is None:
        raise ClientNotFound(client_id)
    return read(any_pb2.Any, raw)


def identified_client_state(ctx: ReadContext, client_id: str) -> client_pb2.IdentifiedClientState:
    """Return a client's state with its identifier.

    Raises:
        ClientNotFound: the client does not exist.
    """
    return client_pb2.IdentifiedClientState(client_id=client_id, client_state=client_state(ctx, client_id))


def consensus_state(ctx: ReadContext, client_id: str, height: Height) -> any_pb2.Any:
    """Return a client's consensus state at `height`.

    Raises:
        ConsensusStateNotFound: there is none.
    """
    raw = ctx.ibc.get(paths.consensus_state_path(client_id, height))
    if raw is None:
        raise ConsensusStateNotFound(client_id, str(height))
    return read(any_pb2.Any, raw)
