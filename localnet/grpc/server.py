"""The gRPC server of one node.

A call reads one committed version of the state and holds no lock that consensus waits for. Only simulations
copy the check state, under a lock shared with CheckTx (`HostApp.simulate`).
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from functools import lru_cache
from threading import Thread
from typing import Any, TypeVar

import grpc
from grpc_reflection.v1alpha import reflection_pb2
from grpc_reflection.v1alpha.reflection import aio

from localnet.grpc.calls import Calls, GrpcLimits, Route
from localnet.grpc.routes import NodeInfoMemo, routes_of
from localnet.grpc.view import NodeView
from pyibc.chain.app import HostApp
from pyibc.proto.pool import POOL

# -- event loop shared by all gRPC servers of a process: grpcio's polling is slow with several loops

_T = TypeVar("_T")


@lru_cache(1)
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, name="grpc loop", daemon=True).start()
    return loop


def run(work: Coroutine[Any, Any, _T]) -> _T:
    """Run a coroutine in the loop's thread and wait for it; must not be called from that thread."""
    return asyncio.run_coroutine_threadsafe(work, _loop()).result()


# -- the server

SERVICES = ("grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection")


def reflection_handlers(services: frozenset[str]) -> list[Any]:
    """Return reflection handlers for those of `services` that have a descriptor."""
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


_DEFAULT = GrpcLimits()


class GrpcServer:
    """A server on a loopback port, serving from construction until `stop`."""

    def __init__(
        self, routes: Mapping[str, Route], latest: Callable[[], int], port: int, limits: GrpcLimits = _DEFAULT
    ) -> None:
        """Listen on 127.0.0.1:`port`; 0 selects a free port.

        Args:
            routes: Routes by gRPC method path.
            latest: Returns the height of the last committed state.
            port: Port number, or 0.
            limits: Limits of the server.

        Raises:
            OSError: the port is in use.
        """
        self._limits = limits
        self._calls = Calls(routes, latest, limits)
        try:
            self.port = run(self._start(port))
        except RuntimeError as error:
            self._calls.close()
            raise OSError(f"gRPC cannot listen at 127.0.0.1:{port}") from error
        self.address = f"127.0.0.1:{self.port}"

    def stop(self) -> None:
        """Reject new calls, wait `GrpcLimits.stop_s` for running ones, and close the port."""
        run(self._server.stop(self._limits.stop_s))
        self._calls.close()

    async def _start(self, port: int) -> int:
        self._server = grpc.aio.server(options=self._limits.options())
        handlers = (*reflection_handlers(self._calls.services), self._calls)
        self._server.add_generic_rpc_handlers(handlers)
        taken: int = self._server.add_insecure_port(f"127.0.0.1:{port}")
        await self._server.start()
        return taken


def serve_grpc(view: NodeView, app: HostApp, port: int, limits: GrpcLimits = _DEFAULT) -> GrpcServer:
    """Serve a node's gRPC on 127.0.0.1:`port` (0: a free port) until `stop` is called.

    `app` answers the application's queries; `view` provides blocks, transactions and the node itself. The
    application is given the node's info, so that GetNodeInfo over ABCI Query returns the same.

    Args:
        view: `LocalView(chain)`, or `CometView(url)` of a CometBFT node.
        app: The application of the same node.
        port: Port number, or 0.
        limits: Limits of the server.

    Raises:
        OSError: the port is in use.
    """
    memo = NodeInfoMemo(view)
    memo.known()
    app.node_queries.consensus = memo.known
    return GrpcServer(routes_of(view, app, memo), lambda: app.info().height, port, limits)
