"""What can go wrong between CometBFT and an application."""

from dataclasses import dataclass


@dataclass(eq=False)
class AbciError(Exception):
    """What an application raises to refuse a transaction in CheckTx, or a query.

    Anywhere else it is a bug, as any other exception is.

    Args:
        code: Not 0; its meaning is the application's.
        log: For people.
        codespace: Whose codes these are.
    """

    code: int = 1
    log: str = ""
    codespace: str = ""

    def __str__(self) -> str:
        return f"{self.codespace or 'code'} {self.code}: {self.log}"


class ServerError(Exception):
    """Base of what the server itself raises."""


@dataclass(eq=False)
class BadAddress(ServerError):
    """An address that the server cannot listen on."""

    address: str
    why: str

    def __str__(self) -> str:
        return f"{self.address}: {self.why}"


class NoHttp2(ServerError):
    """ABCI over gRPC was chosen where the package h2 is not installed."""

    def __str__(self) -> str:
        return "ABCI over gRPC needs the package h2: pip install 'pyibc[node]'"


class BadPeer(ServerError):
    """Base of a peer's errors: its connection is closed, nothing else happens."""


@dataclass(eq=False)
class BadLength(BadPeer):
    """A frame begins with no varint of 64 bits."""

    def __str__(self) -> str:
        return "a frame's length is no varint of 64 bits"


@dataclass(eq=False)
class FrameTooLong(BadPeer):
    """A frame announces more bytes than are taken."""

    length: int
    limit: int

    def __str__(self) -> str:
        return f"a frame of {self.length} bytes, {self.limit} are taken"


@dataclass(eq=False)
class BadRequest(BadPeer):
    """A frame holds no Request."""

    def __str__(self) -> str:
        return "a frame holds no protobuf message Request"


@dataclass(eq=False)
class UnknownRequest(BadPeer):
    """A Request of none of the known kinds: of another version of ABCI, or empty."""

    def __str__(self) -> str:
        return "a request of no kind that ABCI 2.0 (CometBFT 0.38) has"


@dataclass(eq=False)
class PeerGone(BadPeer):
    """The peer disconnected before its request was begun, so it is not executed."""

    method: str

    def __str__(self) -> str:
        return f"{self.method} is dropped, its sender has hung up"


@dataclass(eq=False)
class BadAnswer(ServerError):
    """An application's answer that would make CometBFT panic."""

    why: str

    def __str__(self) -> str:
        return self.why


@dataclass(eq=False)
class ApplicationFailed(ServerError):
    """The application raised in a method that must answer; `__cause__` is what it raised."""

    method: str

    def __str__(self) -> str:
        return f"the application failed in {self.method}: {self.__cause__!r}"


@dataclass(eq=False)
class ServerStopped(ServerError):
    """The application failed earlier, or the server is being stopped."""

    def __str__(self) -> str:
        return "the server is stopping"
