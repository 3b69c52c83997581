"""Query service of channels (`ibc.core.channel.v1.Query`, ICS-4): ends, clients, next sequences."""

from ibc_module.queries import lookup
from keepers.keepers import Keepers
from pyibc.core import paths
from pyibc.core.channel.types import Order
from pyibc.core.height import Height
from pyibc.core.host.context import ReadContext
from pyibc.core.identifiers import validate_connection_id
from pyibc.core.wire import states
from pyibc.core.wire.requests import paginate, require_identifier
from pyibc.core.wire.table import pack
from pyibc.proto.cosmos.base.query.v1beta1.pagination_pb2 import PageRequest, PageResponse
from pyibc.proto.ibc.core.channel.v1 import channel_pb2
from pyibc.proto.ibc.core.channel.v1 import query_pb2 as pb


def _list(
    ctx: ReadContext, page: PageRequest, connection_id: str | None
) -> tuple[list[channel_pb2.IdentifiedChannel], PageResponse]:
    """Return a page of the channels on `connection_id`, or of all if it is None."""

    def read_channel(below: bytes, raw: bytes) -> tuple[str, str, bytes] | None:
        name = paths.split_channel_path(below)
        if name is None:
            return None
        if connection_id is not None and states.decode_channel_end(raw).connection_id != connection_id:
            return None
        return (*name, raw)

    found, response = paginate(
        ctx.ibc.iterate,
        paths.CHANNEL_ENDS,
        page,
        read_channel,
        lambda key: paths.split_channel_path(key) is not None,
    )
    return [_identify(*each) for each in found], response


def _identify(port_id: str, channel_id: str, raw: bytes) -> channel_pb2.IdentifiedChannel:
    end = states.read(channel_pb2.Channel, raw)
    return channel_pb2.IdentifiedChannel(
        state=end.state,
        ordering=end.ordering,
        counterparty=end.counterparty,
        connection_hops=end.connection_hops,
        version=end.version,
        port_id=port_id,
        channel_id=channel_id,
    )


class ChannelQueries:
    """Queries that need the channel keeper."""

    def __init__(self, keepers: Keepers) -> None:
        self._keepers = keepers

    def channels(self, ctx: ReadContext, request: pb.QueryChannelsRequest) -> pb.QueryChannelsResponse:
        """Return a page of channels. Raises InvalidRequest."""
        found, page = _list(ctx, request.pagination, None)
        return pb.QueryChannelsResponse(channels=found, pagination=page, height=lookup.self_height(ctx))

    def connection_channels(
        self, ctx: ReadContext, request: pb.QueryConnectionChannelsRequest
    ) -> pb.QueryConnectionChannelsResponse:
        """Return a page of the channels on one connection, which need not exist. Raises InvalidRequest."""
        require_identifier(validate_connection_id, request.connection)
        found, page = _list(ctx, request.pagination, request.connection)
        return pb.QueryConnectionChannelsResponse(
            channels=found, pagination=page, height=lookup.self_height(ctx)
        )

    def channel(self, ctx: ReadContext, request: pb.QueryChannelRequest) -> pb.QueryChannelResponse:
        """Return one channel. Raises InvalidRequest, ChannelNotFound."""
        end = lookup.channel_end(self._keepers, ctx, request.port_id, request.channel_id)
        return pb.QueryChannelResponse(channel=pack(end), proof_height=lookup.self_height(ctx))

    def channel_client_state(
        self, ctx: ReadContext, request: pb.QueryChannelClientStateRequest
    ) -> pb.QueryChannelClientStateResponse:
        """Return the state of a channel's client.

        Raises InvalidRequest, ChannelNotFound, ConnectionNotFound, ClientNotFound.
        """
        connection = lookup.connection_of(self._keepers, ctx, request.port_id, request.channel_id)
        return pb.QueryChannelClientStateResponse(
            identified_client_state=lookup.identified_client_state(ctx, connection.client_id),
            proof_height=lookup.self_height(ctx),
        )

    def channel_consensus_state(
        self, ctx: ReadContext, request: pb.QueryChannelConsensusStateRequest
    ) -> pb.QueryChannelConsensusStateResponse:
        """Return a consensus state of a channel's client.

        Raises InvalidRequest, ChannelNotFound, ConnectionNotFound, ConsensusStateNotFound.
        """
        connection = lookup.connection_of(self._keepers, ctx, request.port_id, request.channel_id)
        height = Height(request.revision_number, request.revision_height)
        return pb.QueryChannelConsensusStateResponse(
            consensus_state=lookup.consensus_state(ctx, connection.client_id, height),
            client_id=connection.client_id,
            proof_height=lookup.self_height(ctx),
        )

    def next_sequence_receive(
        self, ctx: ReadContext, request: pb.QueryNextSequenceReceiveRequest
    ) -> pb.QueryNextSequenceReceiveResponse:
        """Return the next sequence that an ordered channel receives; 0 for an unordered one.

        Raises InvalidRequest, ChannelNotFound, SequenceReceiveNotFound.
        """
        port_id, channel_id = request.port_id, request.channel_id
        end = lookup.channel_end(self._keepers, ctx, port_id, channel_id)
        number = 0
        if end.ordering is not Order.UNORDERED:
            number = self._keepers.channels.next_recv(ctx, port_id, channel_id)
        return pb.QueryNextSequenceReceiveResponse(
            next_sequence_receive=number, proof_height=lookup.self_height(ctx)
        )

    def next_sequence_send(
        self, ctx: ReadContext, request: pb.QueryNextSequenceSendRequest
    ) -> pb.QueryNextSequenceSendResponse:
        """Return the sequence of the next packet sent. Raises InvalidRequest, SequenceSendNotFound."""
        lookup.require_channel_name(request.port_id, request.channel_id)
        number = self._keepers.channels.next_send(ctx, request.port_id, request.channel_id)
        return pb.QueryNextSequenceSendResponse(
            next_sequence_send=number, proof_height=lookup.self_height(ctx)
        )
