"""`cosmos.base.node.v1beta1.Service/Status`; the application implements Config."""

from collections.abc import Mapping

from ibc_proto.cosmos.base.node.v1beta1 import query_pb2 as pb
from localnet.grpc.answering import Method, method
from localnet.grpc.view import NodeView
from localnet.host.app import HostApp

STATUS = "/cosmos.base.node.v1beta1.Service/Status"


class NodeService:
    """The status of a node."""

    def __init__(self, view: NodeView, app: HostApp) -> None:
        self._view = view
        self._app = app

    def routes(self) -> Mapping[str, Method]:
        """Routes of the node service."""
        return {STATUS: method(pb.StatusRequest, self.status)}

    def status(self, _request: pb.StatusRequest) -> pb.StatusResponse:
        """Earliest and latest height of the state, with app hash, validators hash and time."""
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
