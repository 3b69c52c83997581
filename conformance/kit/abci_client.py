"""A minimal client of the ABCI socket protocol, for tests, benchmarks and debugging."""

from collections.abc import Iterable, Iterator
from typing import Self

from abci_server.address import connect, parse
from abci_server.connection import FrameReader, frame
from pyibc.proto.tendermint.abci import types_pb2 as pb

_CHUNK = 65_536
_LIMIT = 2**31 - 1


class Client:
    """One connection that exchanges ABCI protobuf messages.

    Args:
        address: `tcp://HOST:PORT` or `unix://PATH`.
        timeout_s: Seconds to wait for a response.

    Raises:
        BadAddress: the address is malformed.
        OSError: the server does not accept the connection.
    """

    def __init__(self, address: str, timeout_s: float = 60.0) -> None:
        self.socket = connect(parse(address), timeout_s)
        self._frames = FrameReader(_LIMIT)
        self._answers: Iterator[bytes] = iter(())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(self, request: pb.Request) -> pb.Response:
        """Send a request and wait for the response.

        Raises:
            ConnectionError: the server closed the connection.
        """
        self.send([request])
        return self.read()

    def send(self, requests: Iterable[pb.Request]) -> None:
        """Send requests without waiting for responses."""
        self.socket.sendall(b"".join(frame(each.SerializeToString()) for each in requests))

    def read(self) -> pb.Response:
        """Return the next response.

        Raises:
            ConnectionError: the server closed the connection.
        """
        return pb.Response.FromString(self.read_frame())

    def read_frame(self) -> bytes:
        """Return the next response undecoded; raises ConnectionError."""
        while True:
            for raw in self._answers:
                return raw
            chunk = self.socket.recv(_CHUNK)
            if not chunk:
                raise ConnectionError("the server hung up")
            self._frames.feed(chunk)
            self._answers = iter(self._frames)

    def close(self) -> None:
        """Close the connection."""
        self.socket.close()
