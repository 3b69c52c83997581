"""The gRPC server of one node.

A call reads one committed version of the state, so it holds no lock that consensus waits for; what waits in
the mempool is copied under a lock that CheckTx alone shares (`HostApp.simulate`).
"""

from collections.abc import Callable, Mapping

import grpc

from localnet.grpc import loop
from localnet.grpc.calls import Calls, Route
from localnet.grpc.limits import Limits
from localnet.grpc.node_info import NodeInfoMemo
from localnet.grpc.reflection import reflection_handlers
from localnet.grpc.routes import routes_of
from localnet.grpc.view import NodeView
from localnet.host.app import HostApp

_DEFAULT = Limits()


class GrpcServer:
    """A server at a loopback port. It serves from its making until `stop`."""

    def __init__(
        self, routes: Mapping[str, Route], latest: Callable[[], int], port: int, limits: Limits = _DEFAULT
    ) -> None:
        """Listens at 127.0.0.1:`port`; 0 takes a free one.

        Args:
            routes: By gRPC method path.
            latest: Height of the last committed state.
            port: Where to listen.
            limits: What clients may take.

        Raises:
            OSError: the port is taken.
        """
        self._limits = limits
        self._calls = Calls(routes, latest, limits)
        try:
            self.port = loop.run(self._start(port))
        except RuntimeError as error:
            self._calls.close()
            raise OSError(f"gRPC cannot listen at 127.0.0.1:{port}") from error
        self.address = f"127.0.0.1:{self.port}"

    def stop(self) -> None:
        """Takes no more calls, gives those under way `Limits.stop_s`, frees the port."""
        loop.run(self._server.stop(self._limits.stop_s))
        self._calls.close()

    async def _start(self, port: int) -> int:
        self._server = grpc.aio.server(options=self._limits.options())
        handlers = (*reflection_handlers(self._calls.services), self._calls)
        self._server.add_generic_rpc_handlers(handlers)
        taken: int = self._server.add_insecure_port(f"127.0.0.1:{port}")
        await self._server.start()
        return taken


def serve_grpc(view: NodeView, app: HostApp, port: int, limits: Limits = _DEFAULT) -> GrpcServer:
    """Serves a node's gRPC at 127.0.0.1:`port` (0: a free one) until its `stop`.

    The application's queries are answered from `app`; blocks, transactions and the node itself from `view`.
    The application is told of its node, so that GetNodeInfo through ABCI Query says the same.

    Args:
        view: `LocalView(chain)`, or `CometView(url)` of a CometBFT node.
        app: The application of the same node.
        port: Where to listen.
        limits: What clients may take.

    Raises:
        OSError: the port is taken.
    """
    memo = NodeInfoMemo(view)
    memo.known()
    app.node_queries.consensus = memo.known
    return GrpcServer(routes_of(view, app, memo), lambda: app.info().height, port, limits)
