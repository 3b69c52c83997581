"""JSON-RPC's errors, as CometBFT answers them."""

from dataclasses import dataclass


@dataclass(eq=False)
class RpcError(Exception):
    """An error answer: JSON-RPC code, its standard message, and what went wrong."""

    code: int
    message: str
    data: str

    def __str__(self) -> str:
        return f"{self.message}: {self.data}"


def invalid_params(data: str) -> RpcError:
    """The method exists, its parameters do not fit."""
    return RpcError(-32602, "Invalid params", data)


def internal(data: str) -> RpcError:
    """The chain says no: no such block, not in time, ..."""
    return RpcError(-32603, "Internal error", data)
