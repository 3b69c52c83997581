"""The gRPC server of one node.

A call reads one committed version of the state and holds no lock that consensus waits for. Only simulations
copy the check state, under a lock shared with CheckTx (`HostApp.simulate`).
"""

from collections.abc import Callable, Mapping
from typing import Any

import grpc
from grpc_reflection.v1alpha import reflection_pb2
from grpc_reflection.v1alpha.reflection import aio

from ibc_proto.pool import POOL
from localnet.grpc import loop
from localnet.grpc.calls import Calls, Route
from localnet.grpc.limits import Limits
from localnet.grpc.node_info import NodeInfoMemo
from localnet.grpc.routes import routes_of
from localnet.grpc.view import NodeView
from localnet.host.app import HostApp

SERVICES = ("grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection")


def reflection_handlers(services: frozenset[str]) -> list[Any]:
    """Reflection handlers for those of `services` that have a descriptor."""
    servicer = aio.ReflectionServicer(sorted(filter(_is_known, services)), pool=POOL)
    method = grpc.stream_stream_rpc_method_handler(
        servicer.ServerReflectionInfo,
        request_deserializer=reflection_pb2.ServerReflectionRequest.FromString,
        response_serializer=reflection_pb2.ServerReflectionResponse.SerializeToString,
    )
    methods = {"ServerReflectionInfo": method}
    return [grpc.method_handlers_generic_handler(service, methods) for service in SERVICES]


def _is_known(service: str) -> bool:
    try:
        POOL.FindServiceByName(service)
    except KeyError:
        return False
    return True


_DEFAULT = Limits()


class GrpcServer:
    """A server on a loopback port, serving from construction until `stop`."""

    def __init__(
        self, routes: Mapping[str, Route], latest: Callable[[], int], port: int, limits: Limits = _DEFAULT
    ) -> None:
        """Listens on 127.0.0.1:`port`; 0 selects a free port.

        Args:
            routes: Routes by gRPC method path.
            latest: Returns the height of the last committed state.
            port: The port, or 0.
            limits: Limits of the server.

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
        """Rejects new calls, waits `Limits.stop_s` for running ones, and closes the port."""
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
    """Serves a node's gRPC on 127.0.0.1:`port` (0: a free port) until `stop` is called.

    `app` answers the application's queries; `view` provides blocks, transactions and the node itself. The
    application gets the node's info, so that GetNodeInfo over ABCI Query returns the same.

    Args:
        view: `LocalView(chain)`, or `CometView(url)` of a CometBFT node.
        app: The application of the same node.
        port: The port, or 0.
        limits: Limits of the server.

    Raises:
        OSError: the port is in use.
    """
    memo = NodeInfoMemo(view)
    memo.known()
    app.node_queries.consensus = memo.known
    return GrpcServer(routes_of(view, app, memo), lambda: app.info().height, port, limits)
