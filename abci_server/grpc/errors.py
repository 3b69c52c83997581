"""What a gRPC peer can do wrong."""

from dataclasses import dataclass

from abci_server.errors import BadPeer


@dataclass(eq=False)
class BadHttp2(BadPeer):
    """A peer breaks HTTP/2's rules: nothing after it can be read."""

    why: str

    def __str__(self) -> str:
        return f"HTTP/2: {self.why}"


@dataclass(eq=False)
class BadMessage(BadPeer):
    """A call's body is not one message, uncompressed, of as many bytes as it announces."""

    def __str__(self) -> str:
        return "a call's body is not one gRPC message without compression"


@dataclass(eq=False)
class NotGreeted(BadPeer):
    """A CometBFT that was connected to this application before it started anew asks it to go on."""

    method: str

    def __str__(self) -> str:
        return f"{self.method}: the application has started anew since, CometBFT must start anew too"
