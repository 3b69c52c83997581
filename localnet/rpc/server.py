"""JSON-RPC 2.0 over HTTP on the loopback interface: POST, and GET with a query string, as in CometBFT."""

import json
import logging
from ipaddress import ip_address
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from abci_server.errors import RateLimitedLog
from localnet.chain import LocalChain
from localnet.rpc.methods import Methods, Params, RpcError, internal
from pyibc.http.bounded import BoundedServer, TimedHandler

# -- JSON-RPC 2.0 responses to calls of one chain's RPC, independent of the transport

Json = dict[str, Any]

_IDS = frozenset({str, int, type(None)})


class CallRunner:
    """Runs calls with a chain's methods."""

    def __init__(self, methods: Methods) -> None:
        self._methods = methods
        self._errors = RateLimitedLog()

    def answer(self, asked: object) -> Json:
        """Return the JSON-RPC response to one call."""
        if not isinstance(asked, dict) or not isinstance(asked.get("method"), str):
            return failure(None, RpcError(-32600, "Invalid Request", "no method"))
        call_id, params = asked.get("id"), asked.get("params") or {}
        if type(call_id) not in _IDS:  # NaN is not JSON, and a list may be nested too deeply to be encoded
            return failure(None, RpcError(-32600, "Invalid Request", "id: neither a string nor an integer"))
        if not isinstance(params, dict):
            return failure(call_id, RpcError(-32602, "Invalid params", "parameters must be named"))
        return self.run(call_id, asked["method"], Params(params, uri=False))

    def run(self, call_id: object, name: str, params: Params) -> Json:
        """Return the JSON-RPC response of one method."""
        try:
            return {"jsonrpc": "2.0", "id": call_id, "result": self._methods.call(name, params)}
        except RpcError as error:
            return failure(call_id, error)
        # guard: h76-faults-end-the-connection {Exception => ConnectionError}
        #   test_h76_a_fault_of_ours_is_answered_and_logged_once
        except Exception as error:  # noqa: BLE001 - the caller gets an error, and the log is rate-limited
            self._errors.report(name, f"RPC {name} failed", level=logging.ERROR, error=error)
            return failure(call_id, internal("the call failed"))


def failure(call_id: object, error: RpcError) -> Json:
    """Return the JSON-RPC response to a failed call."""
    shown = {"code": error.code, "message": error.message, "data": error.data}
    return {"jsonrpc": "2.0", "id": call_id, "error": shown}


# -- the server

MAX_BODY = 2_000_000
"""Maximum size of a request in bytes: fits the largest transaction in base64."""

MAX_CONNECTIONS = 200
_IDLE_S, _WHOLE_S = 30.0, 30.0
_MAX_BATCH = 20


class _Handler(TimedHandler):
    disable_nagle_algorithm = (
        True  # otherwise small responses on a persistent connection wait 40 ms for an ACK
    )
    protocol_version = "HTTP/1.1"
    server_version = "pyibc-localnet"
    sys_version = ""
    idle_s, whole_s = _IDLE_S, _WHOLE_S
    server: "RpcServer"

    def do_POST(self) -> None:  # noqa: N802 - name of the base class
        """Handle a JSON-RPC call, or a batch of calls."""
        body = self._body()
        if body is None:
            return
        try:
            asked = json.loads(body.decode("utf-8"))
        except (ValueError, RecursionError):
            self._send(500, failure(None, RpcError(-32700, "Parse error", "not JSON")))
            return
        if isinstance(asked, list):
            self._send(200, [self.server.answers.answer(each) for each in asked[:_MAX_BATCH]])
            return
        answer = self.server.answers.answer(asked)
        self._send(500 if "error" in answer else 200, answer)

    def do_GET(self) -> None:  # noqa: N802 - name of the base class
        """Handle a call as `/method?name=value`."""
        try:
            url = urlsplit(self.path)
        except ValueError:  # a malformed absolute URL
            self.send_error(400)
            return
        values = dict(parse_qsl(url.query, keep_blank_values=True))
        answer = self.server.answers.run(-1, url.path.strip("/") or "health", Params(values, uri=True))
        self._send(500 if "error" in answer else 200, answer)

    def _body(self) -> bytes | None:
        """Return the request body, or None if the request was rejected."""
        length = self.headers.get("Content-Length", "")
        # guard: h76-zeros-hide-the-length-of-a-body drop:10
        #   test_h76_a_length_behind_zeros_is_no_way_around_the_bound
        # guard: h76-zeros-hide-the-length-of-a-body {int(length) => int(length[:10])}
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
        """Listen on `host:port`; port 0 selects a free one.

        Raises:
            ValueError: `host` is not a loopback address.
            OSError: the address is in use.
        """
        if not ip_address(host).is_loopback:
            raise ValueError(f"{host} is not a loopback address")
        # guard: h220-any-number-at-once-at-an-rpc {MAX_CONNECTIONS => 10 ** 6}
        #   test_h220_more_connections_than_places_are_closed_unanswered
        super().__init__((host, port), _Handler, MAX_CONNECTIONS)
        self.url = f"http://{host}:{self.server_address[1]}"
        self.answers = CallRunner(Methods(chain, f"tcp://{host}:{self.server_address[1]}"))

    def start(self, poll_s: float = 0.25) -> Thread:
        """Serve in a background thread until `stop`, which takes up to `poll_s` seconds."""
        thread = Thread(target=self.serve_forever, args=(poll_s,), name=f"rpc {self.url}", daemon=True)
        thread.start()
        return thread

    def stop(self) -> None:
        """Stop serving and close the socket."""
        self.shutdown()
        self.server_close()
