"""A client of ABCI over gRPC with the methods of `abci_client.Client`, based on grpcio's HTTP/2."""

from collections import deque
from collections.abc import Iterable
from typing import Any

import grpc

from abci_server.address import ServerAddress
from abci_server.grpc.connection import KINDS
from pyibc.proto.tendermint.abci import types_pb2 as pb

_PATHS = {kind: path.decode() for path, kind in KINDS.items()}
_LIMIT = 2**31 - 1
_GONE = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED)
_OPTIONS = [
    ("grpc.max_receive_message_length", _LIMIT),
    ("grpc.max_send_message_length", _LIMIT),
    ("grpc.use_local_subchannel_pool", 1),  # a connection of its own
    ("grpc.enable_retries", 0),
]


class GrpcClient:
    """One connection, with the requests and responses of the socket protocol.

    Args:
        address: Address of the server.
        timeout_s: Seconds to wait for a response.
        greet: Whether to send an Echo first, as CometBFT does.
    """

    def __init__(self, address: ServerAddress, timeout_s: float = 60.0, *, greet: bool = True) -> None:
        where = f"unix:{address.path}" if address.path else str(address).removeprefix("tcp://")
        self._timeout_s = timeout_s
        self._channel = grpc.insecure_channel(where, _OPTIONS)
        self._methods: dict[str, Any] = {
            kind: self._channel.unary_unary(path) for kind, path in _PATHS.items()
        }
        self._waiting: deque[tuple[str, Any]] = deque()
        if greet:
            self.ask(pb.Request(echo={}))

    def ask(self, request: pb.Request) -> pb.Response:
        """Send a request and wait for the response.

        Raises:
            ConnectionError: there is no server, or it closed the connection.
            TimeoutError: the server does not respond in time.
        """
        self.send([request])
        return self.read()

    def send(self, requests: Iterable[pb.Request]) -> None:
        """Send requests without waiting for responses."""
        for each in requests:
            kind = each.WhichOneof("value") or ""
            raw = getattr(each, kind).SerializeToString()
            self._waiting.append((kind, self._methods[kind].future(raw, timeout=self._timeout_s)))

    def read(self) -> pb.Response:
        """Return the next response; a gRPC error becomes an `exception`, as in the socket protocol.

        Raises:
            ConnectionError: there is no server, it closed the connection, or no request is pending.
            TimeoutError: the server does not respond in time.
        """
        if not self._waiting:
            raise ConnectionError("no request is pending")
        kind, call = self._waiting.popleft()
        try:
            raw = call.result()
        except grpc.RpcError as error:
            if call.code() in _GONE:
                raise ConnectionError(call.details()) from error
            if call.code() is grpc.StatusCode.DEADLINE_EXCEEDED:
                raise TimeoutError(call.details()) from error
            return pb.Response(exception=pb.ResponseException(error=call.details()))
        except grpc.FutureCancelledError as error:
            raise ConnectionError("cancelled") from error
        response = pb.Response()
        getattr(response, kind).MergeFromString(raw)
        getattr(response, kind).SetInParent()
        return response

    def call(self, path: str, raw: bytes) -> tuple[str, str]:
        """Call any method with any bytes; return the status name and its message."""
        call = self._channel.unary_unary(path).future(raw, timeout=self._timeout_s)
        code = call.code()
        return code.name, call.details()

    def close(self) -> None:
        """Close the connection."""
        self._channel.close()
