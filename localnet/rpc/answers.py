"""JSON-RPC 2.0 answers to calls of one chain's RPC, whatever carries them."""

from typing import Any

from localnet.rpc.errors import RpcError
from localnet.rpc.methods import Methods
from localnet.rpc.params import Params

Json = dict[str, Any]


class Answers:
    """Answers calls by a chain's methods."""

    def __init__(self, methods: Methods) -> None:
        self._methods = methods

    def answer(self, asked: object) -> Json:
        """The JSON-RPC response to one call."""
        if not isinstance(asked, dict) or not isinstance(asked.get("method"), str):
            return failure(None, RpcError(-32600, "Invalid Request", "no method"))
        params = asked.get("params") or {}
        if not isinstance(params, dict):
            error = RpcError(-32602, "Invalid params", "parameters must be named")
            return failure(asked.get("id"), error)
        return self.run(asked.get("id"), asked["method"], Params(params, uri=False))

    def run(self, call_id: object, name: str, params: Params) -> Json:
        """The JSON-RPC response of one method."""
        try:
            return {"jsonrpc": "2.0", "id": call_id, "result": self._methods.call(name, params)}
        except RpcError as error:
            return failure(call_id, error)


def failure(call_id: object, error: RpcError) -> Json:
    """The JSON-RPC response to a call that failed."""
    shown = {"code": error.code, "message": error.message, "data": error.data}
    return {"jsonrpc": "2.0", "id": call_id, "error": shown}
