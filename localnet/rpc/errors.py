"""JSON-RPC errors, as returned by CometBFT."""

from dataclasses import dataclass


@dataclass(eq=False)
class RpcError(Exception):
    """An error response: JSON-RPC code, its standard message, and details."""

    code: int
    message: str
    data: str

    def __str__(self) -> str:
        return f"{self.message}: {self.data}"


def invalid_params(data: str) -> RpcError:
    """Invalid method parameters."""
    return RpcError(-32602, "Invalid params", data)


def internal(data: str) -> RpcError:
    """The request failed: no such block, a timeout, ..."""
    return RpcError(-32603, "Internal error", data)
