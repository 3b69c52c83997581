"""Query service of connections (`ibc.core.connection.v1.Query`, ICS-3)."""

from ibc_module.queries import lookup
from keepers.keepers import Keepers
from pyibc.core import paths
from pyibc.core.errors import ClientConnectionPathsNotFound, ConnectionNotFound
from pyibc.core.height import Height
from pyibc.core.host.context import ReadContext
from pyibc.core.identifiers import validate_client_id, validate_connection_id
from pyibc.core.wire import states
from pyibc.core.wire.requests import paginate, require_identifier
from pyibc.proto.ibc.core.connection.v1 import connection_pb2
from pyibc.proto.ibc.core.connection.v1 import query_pb2 as pb


def _read_connection(below: bytes, raw: bytes) -> tuple[str, bytes] | None:
    connection_id = paths.split_connection_path(below)
    return None if connection_id is None else (connection_id, raw)


def _identify(connection_id: str, raw: bytes) -> connection_pb2.IdentifiedConnection:
    end = states.read(connection_pb2.ConnectionEnd, raw)
    return connection_pb2.IdentifiedConnection(
        id=connection_id,
        client_id=end.client_id,
        versions=end.versions,
        state=end.state,
        counterparty=end.counterparty,
        delay_period=end.delay_period,
    )


class ConnectionQueries:
    """Queries that need the connection keeper."""

    def __init__(self, keepers: Keepers) -> None:
        self._connections = keepers.connections

    def connection(self, ctx: ReadContext, request: pb.QueryConnectionRequest) -> pb.QueryConnectionResponse:
        """Return one connection. Raises InvalidRequest, ConnectionNotFound."""
        require_identifier(validate_connection_id, request.connection_id)
        raw = ctx.ibc.get(paths.connection_path(request.connection_id))
        if raw is None:
            raise ConnectionNotFound(request.connection_id)
        end = states.read(connection_pb2.ConnectionEnd, raw)
        return pb.QueryConnectionResponse(connection=end, proof_height=lookup.self_height(ctx))

    def connections(
        self, ctx: ReadContext, request: pb.QueryConnectionsRequest
    ) -> pb.QueryConnectionsResponse:
        """Return a page of connections. Raises InvalidRequest."""
        found, page = paginate(
            ctx.ibc.iterate,
            paths.CONNECTIONS,
            request.pagination,
            _read_connection,
            lambda key: paths.split_connection_path(key) is not None,
        )
        return pb.QueryConnectionsResponse(
            connections=[_identify(connection_id, raw) for connection_id, raw in found],
            pagination=page,
            height=lookup.self_height(ctx),
        )

    def client_connections(
        self, ctx: ReadContext, request: pb.QueryClientConnectionsRequest
    ) -> pb.QueryClientConnectionsResponse:
        """Return the connections of a client, oldest first.

        Raises InvalidRequest, ClientConnectionPathsNotFound.
        """
        require_identifier(validate_client_id, request.client_id)
        raw = ctx.ibc.get(paths.client_connections_path(request.client_id))
        if raw is None:
            raise ClientConnectionPathsNotFound(request.client_id)
        return pb.QueryClientConnectionsResponse(
            connection_paths=states.decode_client_paths(raw), proof_height=lookup.self_height(ctx)
        )

    def connection_client_state(
        self, ctx: ReadContext, request: pb.QueryConnectionClientStateRequest
    ) -> pb.QueryConnectionClientStateResponse:
        """Return the state of a connection's client.

        Raises InvalidRequest, ConnectionNotFound, ClientNotFound.
        """
        require_identifier(validate_connection_id, request.connection_id)
        end = self._connections.get(ctx, request.connection_id)
        return pb.QueryConnectionClientStateResponse(
            identified_client_state=lookup.identified_client_state(ctx, end.client_id),
            proof_height=lookup.self_height(ctx),
        )

    def connection_consensus_state(
        self, ctx: ReadContext, request: pb.QueryConnectionConsensusStateRequest
    ) -> pb.QueryConnectionConsensusStateResponse:
        """Return a consensus state of a connection's client.

        Raises InvalidRequest, ConnectionNotFound, ConsensusStateNotFound.
        """
        require_identifier(validate_connection_id, request.connection_id)
        end = self._connections.get(ctx, request.connection_id)
        height = Height(request.revision_number, request.revision_height)
        return pb.QueryConnectionConsensusStateResponse(
            consensus_state=lookup.consensus_state(ctx, end.client_id, height),
            client_id=end.client_id,
            proof_height=lookup.self_height(ctx),
        )

    def connection_params(
        self, ctx: ReadContext, _request: pb.QueryConnectionParamsRequest
    ) -> pb.QueryConnectionParamsResponse:
        """Return the expected time per block for delay periods, in nanoseconds."""
        time_ns = self._connections.max_expected_time_per_block(ctx)
        return pb.QueryConnectionParamsResponse(
            params=connection_pb2.Params(max_expected_time_per_block=time_ns)
        )
