"""A chain with a gRPC server, and a channel to it."""

from types import SimpleNamespace

import pytest

grpc = pytest.importorskip("grpc", reason="grpcio is not installed (extra `node`)")


@pytest.fixture
def serve():
    """Serves a chain; all servers end with the test."""
    from localnet.grpc.calls import GrpcLimits
    from localnet.grpc.server import serve_grpc
    from localnet.grpc.view import LocalView

    made = []

    def start(chain, port=0, **limits):
        server = serve_grpc(LocalView(chain), chain.app, port, GrpcLimits(stop_s=0.2)._replace(**limits))
        made.append(server)
        return server

    yield start
    for server in made:
        server.stop()


@pytest.fixture
def node(chain, serve):
    return serve(chain)


class Client:
    """Calls by path; requests and answers are messages, or bytes."""

    def __init__(self, address):
        self.channel = grpc.insecure_channel(address)

    def raw(self, path, request=b"", metadata=(), timeout=10):
        """The answer's bytes and its header."""
        answer, call = self.channel.unary_unary(path).with_call(request, timeout, metadata)
        return answer, dict(call.initial_metadata())

    def __call__(self, path, request, kind, metadata=()):
        return kind.FromString(self.raw(path, request.SerializeToString(), metadata)[0])

    def refused(self, path, request=b"", metadata=()):
        """Code and text of a refusal."""
        with pytest.raises(grpc.RpcError) as error:
            self.raw(path, request, metadata)
        return error.value.code(), error.value.details()


@pytest.fixture
def connect():
    made = []

    def start(server):
        client = Client(server.address)
        made.append(client)
        return client

    yield start
    for client in made:
        client.channel.close()


@pytest.fixture
def client(node, connect):
    return connect(node)


@pytest.fixture
def code():
    """Status codes by name."""
    return SimpleNamespace(**{each.name: each for each in grpc.StatusCode})
