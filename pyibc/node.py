"""A node's gRPC server (docs/grpc.md); needs `pyibc[node]`."""

from localnet.grpc.comet_view import CometView
from localnet.grpc.local_view import LocalView
from localnet.grpc.server import GrpcServer, serve_grpc

__all__ = [
    "CometView",
    "GrpcServer",
    "LocalView",
    "serve_grpc",
]
