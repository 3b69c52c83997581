"""Query service of IBC v2 clients (`ibc.core.client.v2.Query`): counterparty and allowed relayers."""

from pyibc.core import paths
from pyibc.core.errors import NotFound
from pyibc.core.host.context import ReadContext
from pyibc.core.identifiers import validate_client_id
from pyibc.core.wire.requests import require_identifier
from pyibc.core.wire.states import read
from pyibc.proto.ibc.core.client.v2 import config_pb2, counterparty_pb2
from pyibc.proto.ibc.core.client.v2 import query_pb2 as pb


class ClientQueriesV2:
    """Queries of counterparties and allowed relayers."""

    def counterparty_info(
        self, ctx: ReadContext, request: pb.QueryCounterpartyInfoRequest
    ) -> pb.QueryCounterpartyInfoResponse:
        """Return the registered counterparty of a client. Raises InvalidRequest, NotFound."""
        require_identifier(validate_client_id, request.client_id)
        raw = ctx.ibc.get(paths.client_counterparty_path(request.client_id))
        if not raw:
            raise NotFound(f"client {request.client_id} counterparty")
        return pb.QueryCounterpartyInfoResponse(
            counterparty_info=read(counterparty_pb2.CounterpartyInfo, raw)
        )

    def config(self, ctx: ReadContext, request: pb.QueryConfigRequest) -> pb.QueryConfigResponse:
        """Return the allowed relayers of a client; empty means anyone, also for an unknown client.

        Raises InvalidRequest.
        """
        require_identifier(validate_client_id, request.client_id)
        raw = ctx.ibc.get(paths.client_config_path(request.client_id)) or b""
        return pb.QueryConfigResponse(config=read(config_pb2.Config, raw))
