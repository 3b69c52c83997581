"""`ibc.core.client.v2.Query` (ICS-2 v2): a client's counterparty and allowed relayers."""

from collections.abc import Mapping

from ibc_core import paths
from ibc_core.errors import NotFound
from ibc_core.host.context import ReadContext
from ibc_core.host.routes import QueryRoute
from ibc_core.identifiers import validate_client_id
from ibc_core.wire.requests import answering, require_identifier
from ibc_core.wire.states import read
from ibc_proto.ibc.core.client.v2 import config_pb2, counterparty_pb2
from ibc_proto.ibc.core.client.v2 import query_pb2 as pb

SERVICE = "/ibc.core.client.v2.Query/"


def routes() -> Mapping[str, QueryRoute]:
    """Counterparties by gRPC method path."""
    return {
        f"{SERVICE}CounterpartyInfo": answering(pb.QueryCounterpartyInfoRequest, counterparty_info),
        f"{SERVICE}Config": answering(pb.QueryConfigRequest, config),
    }


def counterparty_info(
    ctx: ReadContext, request: pb.QueryCounterpartyInfoRequest
) -> pb.QueryCounterpartyInfoResponse:
    """The counterparty that was registered for a client. Raises InvalidRequest, NotFound."""
    require_identifier(validate_client_id, request.client_id)
    raw = ctx.ibc.get(paths.client_counterparty_path(request.client_id))
    if not raw:
        raise NotFound(f"client {request.client_id} counterparty")
    return pb.QueryCounterpartyInfoResponse(counterparty_info=read(counterparty_pb2.CounterpartyInfo, raw))


def config(ctx: ReadContext, request: pb.QueryConfigRequest) -> pb.QueryConfigResponse:
    """The allowed relayers of a client; empty, also for an unknown client: anyone.

    Raises InvalidRequest.
    """
    require_identifier(validate_client_id, request.client_id)
    raw = ctx.ibc.get(paths.client_config_path(request.client_id)) or b""
    return pb.QueryConfigResponse(config=read(config_pb2.Config, raw))
