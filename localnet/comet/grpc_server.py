"""The gRPC server of a validator, in its application's process."""

import logging
from collections.abc import Iterator
from contextlib import closing, contextmanager

from localnet.comet.settings import AppSettings
from localnet.host.app import HostApp

log = logging.getLogger("localnet")


@contextmanager
def grpc_serving(host: HostApp, settings: AppSettings) -> Iterator[None]:
    """Serves gRPC at the configured port inside the `with` block; without grpcio it logs a warning instead.

    Raises:
        OSError: cannot listen on it.
    """
    if not settings.grpc_port:
        yield
        return
    try:
        from localnet.grpc.comet_view import CometView  # noqa: PLC0415 - grpcio is an extra
        from localnet.grpc.server import serve_grpc  # noqa: PLC0415
    except ImportError as error:
        log.warning("no gRPC server: %s; pip install 'pyibc[node]'", error)
        yield
        return
    with closing(CometView(f"tcp://127.0.0.1:{settings.rpc_port}")) as view:
        server = serve_grpc(view, host, settings.grpc_port)
        try:
            yield
        finally:
            server.stop()
