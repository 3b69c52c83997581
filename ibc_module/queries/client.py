"""Query service of clients (`ibc.core.client.v1.Query`, ICS-2): clients, consensus states, parameters."""

from collections.abc import Iterator

from ibc_module.queries import lookup
from keepers.keepers import Keepers
from pyibc.core import paths
from pyibc.core.errors import (
    ClientRouteNotFound,
    ConsensusStateNotFound,
    InvalidClientType,
    InvalidIdentifier,
    InvalidRequest,
    NotFound,
)
from pyibc.core.height import Height
from pyibc.core.host.context import ReadContext, ReadStore, prefix_end
from pyibc.core.identifiers import validate_client_id
from pyibc.core.wire.requests import paginate, require_identifier
from pyibc.core.wire.states import read
from pyibc.core.wire.table import pack
from pyibc.proto.google.protobuf import any_pb2
from pyibc.proto.ibc.core.client.v1 import client_pb2
from pyibc.proto.ibc.core.client.v1 import query_pb2 as pb


def _scan_client_states(store: ReadStore, start: bytes, end: bytes | None) -> Iterator[tuple[bytes, bytes]]:
    """Yield the client states with `start <= key < end`, without reading consensus states."""
    cut, at = len(paths.CLIENTS), start
    while (entry := next(store.iterate(at, end), None)) is not None:
        client_id, slash, _ = entry[0][cut:].partition(b"/")
        whole = paths.CLIENTS + client_id + slash
        state = whole + b"clientState"
        raw = store.get(state) if slash and at <= state and (end is None or state < end) else None
        if raw is not None:
            yield state, raw
        at = (prefix_end(whole) or whole) if slash else whole + b"\0"


def _read_client_state(below: bytes, raw: bytes) -> tuple[str, bytes] | None:
    client_id = paths.split_client_state_path(below)
    return None if client_id is None else (client_id, raw)


def _read_consensus_state(below: bytes, raw: bytes) -> tuple[Height, bytes] | None:
    height = paths.split_height(below)
    return None if height is None else (height, raw)


class ClientQueries:
    """Queries that need the client keeper."""

    def __init__(self, keepers: Keepers) -> None:
        self._clients = keepers.clients
        self._addresses = keepers.addresses
        self._upgrades = keepers.upgrades

    def client_state(
        self, ctx: ReadContext, request: pb.QueryClientStateRequest
    ) -> pb.QueryClientStateResponse:
        """Return one client's state. Raises InvalidRequest, ClientNotFound."""
        require_identifier(validate_client_id, request.client_id)
        found = lookup.client_state(ctx, request.client_id)
        return pb.QueryClientStateResponse(client_state=found, proof_height=lookup.self_height(ctx))

    def client_states(
        self, ctx: ReadContext, request: pb.QueryClientStatesRequest
    ) -> pb.QueryClientStatesResponse:
        """Return a page of clients, sorted by identifier within it, as in ibc-go. Raises InvalidRequest."""
        # guard: h75-listing-clients-reads-their-consensus-states {lambda start, end:
        #   _scan_client_states(ctx.ibc, start, end) => ctx.ibc.iterate}
        #   test_h75_listing_clients_reads_none_of_their_consensus_states
        found, page = paginate(
            lambda start, end: _scan_client_states(ctx.ibc, start, end),
            paths.CLIENTS,
            request.pagination,
            _read_client_state,
            lambda key: paths.split_client_state_path(key) is not None,
        )
        found.sort()
        states = [
            client_pb2.IdentifiedClientState(client_id=client_id, client_state=read(any_pb2.Any, raw))
            for client_id, raw in found
        ]
        return pb.QueryClientStatesResponse(client_states=states, pagination=page)

    def consensus_states(
        self, ctx: ReadContext, request: pb.QueryConsensusStatesRequest
    ) -> pb.QueryConsensusStatesResponse:
        """Return a page of a client's consensus states, in store order. Raises InvalidRequest."""
        require_identifier(validate_client_id, request.client_id)
        found, page = paginate(
            ctx.ibc.iterate,
            paths.consensus_states_prefix(request.client_id),
            request.pagination,
            _read_consensus_state,
            lambda key: paths.split_height(key) is not None,
        )
        states = [
            client_pb2.ConsensusStateWithHeight(height=pack(height), consensus_state=read(any_pb2.Any, raw))
            for height, raw in found
        ]
        return pb.QueryConsensusStatesResponse(consensus_states=states, pagination=page)

    def consensus_state_heights(
        self, ctx: ReadContext, request: pb.QueryConsensusStateHeightsRequest
    ) -> pb.QueryConsensusStateHeightsResponse:
        """Return a page of the heights of a client's consensus states, in store order: 1-10 before 1-9.

        Raises InvalidRequest.
        """
        require_identifier(validate_client_id, request.client_id)
        found, page = paginate(
            ctx.ibc.iterate,
            paths.consensus_states_prefix(request.client_id),
            request.pagination,
            lambda below, _: paths.split_height(below),
            lambda key: paths.split_height(key) is not None,
        )
        heights = [pack(height) for height in found]
        return pb.QueryConsensusStateHeightsResponse(consensus_state_heights=heights, pagination=page)

    def consensus_state(
        self, ctx: ReadContext, request: pb.QueryConsensusStateRequest
    ) -> pb.QueryConsensusStateResponse:
        """Return the consensus state of a height, or the latest.

        Raises InvalidRequest, ConsensusStateNotFound.
        """
        require_identifier(validate_client_id, request.client_id)
        if request.latest_height:
            height = self._latest_height(ctx, request.client_id)
        elif request.revision_height == 0:
            raise InvalidRequest("consensus state height cannot be 0")
        else:
            height = Height(request.revision_number, request.revision_height)
        found = lookup.consensus_state(ctx, request.client_id, height)
        return pb.QueryConsensusStateResponse(consensus_state=found, proof_height=lookup.self_height(ctx))

    def _latest_height(self, ctx: ReadContext, client_id: str) -> Height:
        try:
            return self._clients.latest_height(ctx, client_id)
        except (InvalidIdentifier, InvalidClientType, ClientRouteNotFound):
            raise ConsensusStateNotFound(client_id, "latest") from None

    def client_status(
        self, ctx: ReadContext, request: pb.QueryClientStatusRequest
    ) -> pb.QueryClientStatusResponse:
        """Return Active, Frozen, Expired, Unknown or Unauthorized. Raises InvalidRequest."""
        require_identifier(validate_client_id, request.client_id)
        return pb.QueryClientStatusResponse(status=self._clients.status(ctx, request.client_id).value)

    def client_params(
        self, ctx: ReadContext, _request: pb.QueryClientParamsRequest
    ) -> pb.QueryClientParamsResponse:
        """Return the client types that the chain allows."""
        params = client_pb2.Params(allowed_clients=self._clients.allowed_clients(ctx))
        return pb.QueryClientParamsResponse(params=params)

    def client_creator(
        self, ctx: ReadContext, request: pb.QueryClientCreatorRequest
    ) -> pb.QueryClientCreatorResponse:
        """Return the address that created the client; empty if not recorded. Raises InvalidRequest."""
        require_identifier(validate_client_id, request.client_id)
        raw = ctx.ibc.get(paths.client_creator_path(request.client_id))
        return pb.QueryClientCreatorResponse(creator=self._addresses.encode(raw).text if raw else "")

    def upgraded_client_state(
        self, ctx: ReadContext, _request: pb.QueryUpgradedClientStateRequest
    ) -> pb.QueryUpgradedClientStateResponse:
        """Return the upgraded client state of the pending plan. Raises NotFound."""
        height = self._upgrades.plan_height(ctx)
        if height is None:
            raise NotFound("upgrade plan")
        raw = self._upgrades.upgraded_client(ctx, height)
        if not raw:
            raise NotFound("upgraded client")
        return pb.QueryUpgradedClientStateResponse(upgraded_client_state=read(any_pb2.Any, raw))

    def upgraded_consensus_state(
        self, ctx: ReadContext, _request: pb.QueryUpgradedConsensusStateRequest
    ) -> pb.QueryUpgradedConsensusStateResponse:
        """Return the upgraded consensus state of a plan at the queried height, as in ibc-go. Raises NotFound.

        It is written one block earlier; relayers read it there with its proof from the store `upgrade`.
        """
        height = ctx.height.revision_height
        raw = self._upgrades.upgraded_consensus_state(ctx, height)
        if not raw:
            raise NotFound(f"upgraded consensus state, height {height}")
        return pb.QueryUpgradedConsensusStateResponse(upgraded_consensus_state=read(any_pb2.Any, raw))
