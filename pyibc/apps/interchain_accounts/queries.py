"""Query services of controller and host (`ibc.applications.interchain_accounts.*.v1.Query`)."""

from collections.abc import Mapping

from pyibc.apps.interchain_accounts.packet_data import controller_port
from pyibc.apps.interchain_accounts.state import AccountsState
from pyibc.core.errors import InvalidAccountAddress, InvalidRequest, NotFound
from pyibc.core.host.context import QueryRoute, ReadContext
from pyibc.core.wire.requests import answering
from pyibc.proto.ibc.applications.interchain_accounts.controller.v1 import controller_pb2
from pyibc.proto.ibc.applications.interchain_accounts.controller.v1 import query_pb2 as controller_query
from pyibc.proto.ibc.applications.interchain_accounts.host.v1 import host_pb2
from pyibc.proto.ibc.applications.interchain_accounts.host.v1 import query_pb2 as host_query

CONTROLLER_SERVICE = "/ibc.applications.interchain_accounts.controller.v1.Query/"
HOST_SERVICE = "/ibc.applications.interchain_accounts.host.v1.Query/"


def controller_routes(state: AccountsState) -> Mapping[str, QueryRoute]:
    """Return the controller's routes by gRPC method path."""

    def account(
        ctx: ReadContext, request: controller_query.QueryInterchainAccountRequest
    ) -> controller_query.QueryInterchainAccountResponse:
        """Return the account of an owner on a connection. Raises InvalidRequest, NotFound."""
        try:
            port_id = controller_port(request.owner)
        except InvalidAccountAddress as error:
            raise InvalidRequest(str(error)) from None
        address = state.address(ctx, request.connection_id, port_id)
        if address is None:
            raise NotFound(f"account of {port_id[:128]} on {request.connection_id[:64]}")
        return controller_query.QueryInterchainAccountResponse(address=address)

    def params(
        ctx: ReadContext, _request: controller_query.QueryParamsRequest
    ) -> controller_query.QueryParamsResponse:
        found = controller_pb2.Params.FromString(state.params(ctx))
        return controller_query.QueryParamsResponse(params=found)

    return {
        f"{CONTROLLER_SERVICE}InterchainAccount": answering(
            controller_query.QueryInterchainAccountRequest, account
        ),
        f"{CONTROLLER_SERVICE}Params": answering(controller_query.QueryParamsRequest, params),
    }


def host_routes(state: AccountsState) -> Mapping[str, QueryRoute]:
    """Return the host's route by gRPC method path."""

    def params(ctx: ReadContext, _request: host_query.QueryParamsRequest) -> host_query.QueryParamsResponse:
        return host_query.QueryParamsResponse(params=host_pb2.Params.FromString(state.params(ctx)))

    return {f"{HOST_SERVICE}Params": answering(host_query.QueryParamsRequest, params)}
