"""A small client of the socket protocol, for tests, benchmarks and debugging."""

from collections.abc import Iterable, Iterator
from typing import Self

from abci_server.address import connect, parse
from abci_server.framing import FrameReader, frame
from ibc_proto.tendermint.abci import types_pb2 as pb

_CHUNK = 65_536
_LIMIT = 2**31 - 1


class Client:
    """One connection; messages are protobuf's, as on the wire.

    Args:
        address: `tcp://HOST:PORT` or `unix://PATH`.
        timeout_s: How long an answer may take.

    Raises:
        BadAddress: it is not an address.
        OSError: nothing listens there.
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
        """Sends a request and waits for the answer.

        Raises:
            ConnectionError: the server hung up.
        """
        self.send([request])
        return self.read()

    def send(self, requests: Iterable[pb.Request]) -> None:
        """Sends requests without waiting for answers."""
        self.socket.sendall(b"".join(frame(each.SerializeToString()) for each in requests))

    def read(self) -> pb.Response:
        """The next answer.

        Raises:
            ConnectionError: the server hung up.
        """
        return pb.Response.FromString(self.read_frame())

    def read_frame(self) -> bytes:
        """The next answer as it came; raises ConnectionError."""
        while True:
            for raw in self._answers:
                return raw
            chunk = self.socket.recv(_CHUNK)
            if not chunk:
                raise ConnectionError("the server hung up")
            self._frames.feed(chunk)
            self._answers = iter(self._frames)

    def close(self) -> None:
        """Closes the connection."""
        self.socket.close()
