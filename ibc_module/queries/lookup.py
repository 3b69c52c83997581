"""Lookups shared by several services: client and consensus states as stored, the height of an answer."""

from collections.abc import Sequence

from ibc_core import paths
from ibc_core.channel.types import ChannelEnd
from ibc_core.connection.types import ConnectionEnd
from ibc_core.errors import ClientNotFound, ConsensusStateNotFound, InvalidRequest
from ibc_core.height import Height
from ibc_core.host.context import ReadContext
from ibc_core.identifiers import validate_channel_id, validate_port_id
from ibc_core.wire.requests import require_identifier
from ibc_core.wire.states import read
from ibc_core.wire.table import pack
from ibc_proto.google.protobuf import any_pb2
from ibc_proto.ibc.core.client.v1 import client_pb2
from keepers.keepers import Keepers


def self_height(ctx: ReadContext) -> client_pb2.Height:
    """The height whose state is read; a proof of it verifies against the header of the next height."""
    height: client_pb2.Height = pack(ctx.height)
    return height


def require_channel_name(port_id: str, channel_id: str) -> None:
    """Checks the form of a port and a channel identifier.

    Raises:
        InvalidRequest: one is malformed.
    """
    require_identifier(validate_port_id, port_id)
    require_identifier(validate_channel_id, channel_id)


MAX_SEQUENCES = 10_000
"""Of a request: each is a look into the store for whoever asks. Relayers ask for what is pending."""


def few_sequences(asked: Sequence[int]) -> Sequence[int]:
    """The sequences of a request, as asked.

    Raises:
        InvalidRequest: there are more than `MAX_SEQUENCES`.
    """
    # guard: h75-any-number-of-sequences test_packet::test_h75_so_many_sequences_and_no_more
    #   test_packet_v2::test_h75_so_many_sequences_and_no_more
    if len(asked) > MAX_SEQUENCES:
        raise InvalidRequest(f"{len(asked)} packet sequences, at most {MAX_SEQUENCES}")
    return asked


def require_sequences(asked: Sequence[int]) -> list[int]:
    """The sequences of a request of which none may be 0.

    Raises:
        InvalidRequest: there are more than `MAX_SEQUENCES`, or one of them is 0; the message says which.
    """
    found = list(few_sequences(asked))
    if 0 in found:
        raise InvalidRequest(f"packet sequence {found.index(0)} cannot be 0")
    return found


def channel_end(keepers: Keepers, ctx: ReadContext, port_id: str, channel_id: str) -> ChannelEnd:
    """The channel that a request names.

    Raises:
        InvalidRequest: an identifier is malformed.
        ChannelNotFound: there is none.
    """
    require_channel_name(port_id, channel_id)
    return keepers.channels.get(ctx, port_id, channel_id)


def connection_of(keepers: Keepers, ctx: ReadContext, port_id: str, channel_id: str) -> ConnectionEnd:
    """The connection below the channel that a request names.

    Raises:
        InvalidRequest: an identifier is malformed.
        ChannelNotFound: there is no such channel.
        ConnectionNotFound: its connection is missing.
    """
    return keepers.connections.get(ctx, channel_end(keepers, ctx, port_id, channel_id).connection_id)


def client_state(ctx: ReadContext, client_id: str) -> any_pb2.Any:
    """The client's state, of whatever type.

    Raises:
        ClientNotFound: there is no such client.
    """
    raw = ctx.ibc.get(paths.client_state_path(client_id))
    if raw is None:
        raise ClientNotFound(client_id)
    return read(any_pb2.Any, raw)


def identified_client_state(ctx: ReadContext, client_id: str) -> client_pb2.IdentifiedClientState:
    """The client's state with its name.

    Raises:
        ClientNotFound: there is no such client.
    """
    return client_pb2.IdentifiedClientState(client_id=client_id, client_state=client_state(ctx, client_id))


def consensus_state(ctx: ReadContext, client_id: str, height: Height) -> any_pb2.Any:
    """The client's consensus state of `height`.

    Raises:
        ConsensusStateNotFound: it has none.
    """
    raw = ctx.ibc.get(paths.consensus_state_path(client_id, height))
    if raw is None:
        raise ConsensusStateNotFound(client_id, str(height))
    return read(any_pb2.Any, raw)
