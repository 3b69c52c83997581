"""JSON-RPC 2.0 over HTTP on the loopback interface: POST, and GET with a query string, as in CometBFT."""

import json
import logging
from ipaddress import ip_address
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from abci_server.complaints import Complaints
from ibc_indexer.live.bounded import BoundedServer, TimedHandler
from localnet.chain import LocalChain
from localnet.rpc.errors import RpcError, internal
from localnet.rpc.methods import Methods
from localnet.rpc.params import Params

MAX_BODY = 2_000_000
"""Maximum request size, bytes: fits the largest transaction in base64."""

MAX_CONNECTIONS = 200
_IDLE_S, _WHOLE_S = 30.0, 30.0
_MAX_BATCH = 20
_IDS = frozenset({str, int, type(None)})

Json = dict[str, Any]


class _Handler(TimedHandler):
    disable_nagle_algorithm = (
        True  # otherwise small responses on a persistent connection wait 40 ms for an ACK
    )
    protocol_version = "HTTP/1.1"
    server_version = "pyibc-localnet"
    sys_version = ""
    idle_s, whole_s = _IDLE_S, _WHOLE_S
    server: "RpcServer"

    def do_POST(self) -> None:  # noqa: N802 - the base class's
        """A JSON-RPC call, or a batch of them."""
        body = self._body()
        if body is None:
            return
        try:
            asked = json.loads(body.decode("utf-8"))
        except (ValueError, RecursionError):
            self._send(500, _failure(None, RpcError(-32700, "Parse error", "not JSON")))
            return
        if isinstance(asked, list):
            self._send(200, [self.server.answer(each) for each in asked[:_MAX_BATCH]])
            return
        answer = self.server.answer(asked)
        self._send(500 if "error" in answer else 200, answer)

    def do_GET(self) -> None:  # noqa: N802 - the base class's
        """`/method?name=value`."""
        try:
            url = urlsplit(self.path)
        except ValueError:  # a whole address may stand there, and be none
            self.send_error(400)
            return
        values = dict(parse_qsl(url.query, keep_blank_values=True))
        answer = self.server.run(-1, url.path.strip("/") or "health", Params(values, uri=True))
        self._send(500 if "error" in answer else 200, answer)

    def _body(self) -> bytes | None:
        """The request body, or None if the request was rejected."""
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdigit() or len(length) > 10 or int(length) > MAX_BODY:
            self.close_connection = True
            self.send_error(413 if length.isdigit() else 411)
            return None
        return self.rfile.read(int(length))

    def _send(self, status: int, answer: object) -> None:
        raw = json.dumps(answer, separators=(",", ":")).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


class RpcServer(BoundedServer):
    """The RPC server of one chain."""

    request_queue_size = 128

    def __init__(self, chain: LocalChain, host: str = "127.0.0.1", port: int = 0) -> None:
        """Listens on `host:port`; port 0 selects a free one.

        Raises:
            ValueError: `host` is not a loopback address.
            OSError: the address is in use.
        """
        if not ip_address(host).is_loopback:
            raise ValueError(f"{host} is not a loopback address")
        super().__init__((host, port), _Handler, MAX_CONNECTIONS)
        self.url = f"http://{host}:{self.server_address[1]}"
        self._complaints = Complaints()
        self._methods = Methods(chain, f"tcp://{host}:{self.server_address[1]}")

    def start(self, poll_s: float = 0.25) -> Thread:
        """Serves in a background thread until `stop`, which takes up to `poll_s` seconds."""
        thread = Thread(target=self.serve_forever, args=(poll_s,), name=f"rpc {self.url}", daemon=True)
        thread.start()
        return thread

    def stop(self) -> None:
        """Stops serving and closes the socket."""
        self.shutdown()
        self.server_close()

    def answer(self, asked: object) -> Json:
        """The JSON-RPC response to one call."""
        if not isinstance(asked, dict) or not isinstance(asked.get("method"), str):
            return _failure(None, RpcError(-32600, "Invalid Request", "no method"))
        call_id, params = asked.get("id"), asked.get("params") or {}
        if type(call_id) not in _IDS:  # NaN is no JSON, and a list may be too deep to be written again
            return _failure(None, RpcError(-32600, "Invalid Request", "id: neither a string nor an integer"))
        if not isinstance(params, dict):
            return _failure(call_id, RpcError(-32602, "Invalid params", "parameters must be named"))
        return self.run(call_id, asked["method"], Params(params, uri=False))

    def run(self, call_id: object, name: str, params: Params) -> Json:
        """The JSON-RPC response of one method."""
        try:
            return {"jsonrpc": "2.0", "id": call_id, "result": self._methods.call(name, params)}
        except RpcError as error:
            return _failure(call_id, error)
        except Exception as error:  # noqa: BLE001 - whoever asks has an answer, and fills no log
            self._complaints.say(name, f"RPC {name} failed", level=logging.ERROR, error=error)
            return _failure(call_id, internal("the call failed"))


def _failure(call_id: object, error: RpcError) -> Json:
    shown = {"code": error.code, "message": error.message, "data": error.data}
    return {"jsonrpc": "2.0", "id": call_id, "error": shown}
