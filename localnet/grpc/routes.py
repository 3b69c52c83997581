"""All routes of a node: the application's queries, and the transaction and node services."""

from collections.abc import Callable

from localnet.grpc.calls import Route
from localnet.grpc.node_info import NodeInfoMemo
from localnet.grpc.node_service import NodeService
from localnet.grpc.tendermint_service import TendermintService
from localnet.grpc.tx_service import TxService
from localnet.grpc.view import NodeView
from localnet.host.app import HostApp
from localnet.host.node_queries import GET_NODE_INFO


def routes_of(view: NodeView, app: HostApp, memo: NodeInfoMemo) -> dict[str, Route]:
    """Routes by gRPC method path."""
    routes = {path: _query(app, path) for path in app.grpc_paths()}
    for service in (TxService(view), TendermintService(view, app), NodeService(view, app)):
        routes.update({path: _about_node(answer) for path, answer in service.routes().items()})
    routes[GET_NODE_INFO] = _node_info(app, memo)
    return routes


def _node_info(app: HostApp, memo: NodeInfoMemo) -> Route:
    """The application's response, after the consensus node's info has been fetched."""

    def answer(request: bytes, height: int) -> bytes:
        memo.ask()
        return app.grpc(GET_NODE_INFO, request, height)

    return answer


def _query(app: HostApp, path: str) -> Route:
    return lambda request, height: app.grpc(path, request, height)


def _about_node(answer: Callable[[bytes], bytes]) -> Route:
    """A route that ignores the height metadata."""
    return lambda request, _height: answer(request)
