"""JSON-RPC 2.0 answers to calls of one chain's RPC, whatever carries them."""

import logging
from typing import Any

from abci_server.complaints import Complaints
from localnet.rpc.errors import RpcError, internal
from localnet.rpc.methods import Methods
from localnet.rpc.params import Params

Json = dict[str, Any]

_IDS = frozenset({str, int, type(None)})


class Answers:
    """Answers calls by a chain's methods."""

    def __init__(self, methods: Methods) -> None:
        self._methods = methods
        self._complaints = Complaints()

    def answer(self, asked: object) -> Json:
        """The JSON-RPC response to one call."""
        if not isinstance(asked, dict) or not isinstance(asked.get("method"), str):
            return failure(None, RpcError(-32600, "Invalid Request", "no method"))
        call_id, params = asked.get("id"), asked.get("params") or {}
        if type(call_id) not in _IDS:  # NaN is no JSON, and a list may be too deep to be written again
            return failure(None, RpcError(-32600, "Invalid Request", "id: neither a string nor an integer"))
        if not isinstance(params, dict):
            return failure(call_id, RpcError(-32602, "Invalid params", "parameters must be named"))
        return self.run(call_id, asked["method"], Params(params, uri=False))

    def run(self, call_id: object, name: str, params: Params) -> Json:
        """The JSON-RPC response of one method."""
        try:
            return {"jsonrpc": "2.0", "id": call_id, "result": self._methods.call(name, params)}
        except RpcError as error:
            return failure(call_id, error)
        # guard: h76-faults-end-the-connection {Exception => ConnectionError}
        #   test_h76_a_fault_of_ours_is_answered_and_logged_once
        except Exception as error:  # noqa: BLE001 - whoever asks has an answer, and fills no log
            self._complaints.say(name, f"RPC {name} failed", level=logging.ERROR, error=error)
            return failure(call_id, internal("the call failed"))


def failure(call_id: object, error: RpcError) -> Json:
    """The JSON-RPC response to a call that failed."""
    shown = {"code": error.code, "message": error.message, "data": error.data}
    return {"jsonrpc": "2.0", "id": call_id, "error": shown}
