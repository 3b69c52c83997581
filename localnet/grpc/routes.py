"""All routes of a node: the application's queries, and the transaction and node services."""

from collections.abc import Callable, Mapping

from localnet.grpc.answering import Method, method
from localnet.grpc.calls import Route
from localnet.grpc.node_info import NodeInfoMemo
from localnet.grpc.tendermint_service import TendermintService
from localnet.grpc.tx_service import TxService
from localnet.grpc.view import NodeView
from pyibc.chain.app import HostApp
from pyibc.chain.queries.node_queries import GET_NODE_INFO
from pyibc.proto.cosmos.base.node.v1beta1 import query_pb2 as pb

STATUS = "/cosmos.base.node.v1beta1.Service/Status"


class NodeService:
    """The status of a node."""

    def __init__(self, view: NodeView, app: HostApp) -> None:
        self._view = view
        self._app = app

    def routes(self) -> Mapping[str, Method]:
        """Return the routes of the node service."""
        return {STATUS: method(pb.StatusRequest, self.status)}

    def status(self, _request: pb.StatusRequest) -> pb.StatusResponse:
        """Return earliest and latest height of the state, with app hash, validators hash and time."""
        info, kept = self._app.info(), self._app.store.versions()
        header = self._view.block(info.height).block.header
        response = pb.StatusResponse(
            earliest_store_height=kept.start if kept else 0,
            height=info.height,
            app_hash=info.app_hash,
            validator_hash=header.validators_hash,
        )
        response.timestamp.CopyFrom(header.time)
        return response


def routes_of(view: NodeView, app: HostApp, memo: NodeInfoMemo) -> dict[str, Route]:
    """Return all routes by gRPC method path."""
    routes = {path: _query(app, path) for path in app.grpc_paths()}
    for service in (TxService(view), TendermintService(view, app), NodeService(view, app)):
        routes.update({path: _about_node(answer) for path, answer in service.routes().items()})
    routes[GET_NODE_INFO] = _node_info(app, memo)
    return routes


def _node_info(app: HostApp, memo: NodeInfoMemo) -> Route:
    """Return a route that fetches the consensus node's info before it calls the application."""

    def answer(request: bytes, height: int) -> bytes:
        memo.ask()
        return app.grpc(GET_NODE_INFO, request, height)

    return answer


def _query(app: HostApp, path: str) -> Route:
    return lambda request, height: app.grpc(path, request, height)


def _about_node(answer: Callable[[bytes], bytes]) -> Route:
    """Return a route that ignores the height metadata."""
    return lambda request, _height: answer(request)
