"""Node's gRPC server (docs/grpc.md); needs `pyibc[node]`."""

from pyibc.installation import need as _need

_need("node")

from localnet.grpc.comet_view import CometView as CometView
from localnet.grpc.server import GrpcServer as GrpcServer
from localnet.grpc.server import serve_grpc as serve_grpc
from localnet.grpc.view import LocalView as LocalView
