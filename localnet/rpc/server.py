"""JSON-RPC 2.0 over HTTP on the loopback interface: POST, and GET with a query string, as in CometBFT."""

import json
from ipaddress import ip_address
from threading import Thread
from urllib.parse import parse_qsl, urlsplit

from ibc_http.bounded import BoundedServer, TimedHandler
from localnet.chain import LocalChain
from localnet.rpc.answers import Answers, failure
from localnet.rpc.errors import RpcError
from localnet.rpc.methods import Methods
from localnet.rpc.params import Params

MAX_BODY = 2_000_000
"""Maximum request size, bytes: fits the largest transaction in base64."""

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

    def do_POST(self) -> None:  # noqa: N802 - the base class's
        """A JSON-RPC call, or a batch of them."""
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

    def do_GET(self) -> None:  # noqa: N802 - the base class's
        """`/method?name=value`."""
        try:
            url = urlsplit(self.path)
        except ValueError:  # an absolute URL, and a malformed one
            self.send_error(400)
            return
        values = dict(parse_qsl(url.query, keep_blank_values=True))
        answer = self.server.answers.run(-1, url.path.strip("/") or "health", Params(values, uri=True))
        self._send(500 if "error" in answer else 200, answer)

    def _body(self) -> bytes | None:
        """The request body, or None if the request was rejected."""
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
        """Listens on `host:port`; port 0 selects a free one.

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
        self.answers = Answers(Methods(chain, f"tcp://{host}:{self.server_address[1]}"))

    def start(self, poll_s: float = 0.25) -> Thread:
        """Serves in a background thread until `stop`, which takes up to `poll_s` seconds."""
        thread = Thread(target=self.serve_forever, args=(poll_s,), name=f"rpc {self.url}", daemon=True)
        thread.start()
        return thread

    def stop(self) -> None:
        """Stops serving and closes the socket."""
        self.shutdown()
        self.server_close()
