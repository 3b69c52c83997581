"""A client of ABCI over gRPC with the methods of `abci_client.Client`; its HTTP/2 is grpcio's, not ours."""

from collections import deque
from collections.abc import Iterable
from typing import Any

import grpc

from abci_server.address import Address
from abci_server.grpc.calls import KINDS
from ibc_proto.tendermint.abci import types_pb2 as pb

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
    """One connection; requests and answers are those of the socket protocol.

    Args:
        address: Where the server listens.
        timeout_s: How long an answer may take.
        greet: Whether to say Echo first, as CometBFT does.
    """

    def __init__(self, address: Address, timeout_s: float = 60.0, *, greet: bool = True) -> None:
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
        """Sends a request and waits for the answer.

        Raises:
            ConnectionError: the server hung up, or there is none.
            TimeoutError: it does not answer.
        """
        self.send([request])
        return self.read()

    def send(self, requests: Iterable[pb.Request]) -> None:
        """Sends requests without waiting for answers."""
        for each in requests:
            kind = each.WhichOneof("value") or ""
            raw = getattr(each, kind).SerializeToString()
            self._waiting.append((kind, self._methods[kind].future(raw, timeout=self._timeout_s)))

    def read(self) -> pb.Response:
        """The next answer; a refusal is an `exception`, as the socket protocol has it.

        Raises:
            ConnectionError: the server hung up, or there is none, or nothing was asked.
            TimeoutError: it does not answer.
        """
        if not self._waiting:
            raise ConnectionError("no call waits for an answer")
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
        """The outcome of a call with any path and bytes: the name of its status, and what it says."""
        call = self._channel.unary_unary(path).future(raw, timeout=self._timeout_s)
        code = call.code()
        return code.name, call.details()

    def close(self) -> None:
        """Closes the connection."""
        self._channel.close()
