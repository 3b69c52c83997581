"""`ibc.applications.interchain_accounts.{controller,host}.v1.Query`: accounts and parameters."""

from collections.abc import Mapping

from ibc_core.errors import InvalidAccountAddress, InvalidRequest, NotFound
from ibc_core.host.context import ReadContext
from ibc_core.host.routes import QueryRoute
from ibc_core.interchain_accounts.names import controller_port
from ibc_core.wire.requests import answering
from ibc_module.apps.interchain_accounts.state import AccountsState
from ibc_proto.ibc.applications.interchain_accounts.controller.v1 import controller_pb2
from ibc_proto.ibc.applications.interchain_accounts.controller.v1 import query_pb2 as controller_query
from ibc_proto.ibc.applications.interchain_accounts.host.v1 import host_pb2
from ibc_proto.ibc.applications.interchain_accounts.host.v1 import query_pb2 as host_query

CONTROLLER_SERVICE = "/ibc.applications.interchain_accounts.controller.v1.Query/"
HOST_SERVICE = "/ibc.applications.interchain_accounts.host.v1.Query/"


def controller_routes(state: AccountsState) -> Mapping[str, QueryRoute]:
    """The controller's queries, by gRPC method path."""

    def account(
        ctx: ReadContext, request: controller_query.QueryInterchainAccountRequest
    ) -> controller_query.QueryInterchainAccountResponse:
        """The account of an owner on a connection. Raises InvalidRequest, NotFound."""
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
    """The host's query, by gRPC method path."""

    def params(ctx: ReadContext, _request: host_query.QueryParamsRequest) -> host_query.QueryParamsResponse:
        return host_query.QueryParamsResponse(params=host_pb2.Params.FromString(state.params(ctx)))

    return {f"{HOST_SERVICE}Params": answering(host_query.QueryParamsRequest, params)}
