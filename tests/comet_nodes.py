"""CometBFT nodes that stand in for real ones: any chain of blocks, in this process or over HTTP."""

import base64
import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable
from pyibc.relayer.rpc.calls import Rpc


class Chain:
    """A chain's blocks as a node prints them."""

    def __init__(self, chain_id="a-1", seed="x", last=20):
        self.chain_id, self.seed, self.last = chain_id, seed, last
        self.changed = {}  # height -> what its answers say instead

    def hash(self, height):
        return f"{self.seed.encode().hex().upper()}{height:08X}" if height else ""

    def block(self, height):
        header = {
            "chain_id": self.chain_id,
            "height": str(height),
            "time": f"2024-01-01T00:00:{height % 60:02d}Z",
            "last_block_id": {"hash": self.hash(height - 1)},
        }
        txs = [base64.b64encode(f"{self.seed}{height}".encode()).decode()]
        found = {"block_id": {"hash": self.hash(height)}, "block": {"header": header, "data": {"txs": txs}}}
        header |= self.changed.get(height, {})
        return found

    def results(self, height):
        attributes = [{"key": "of", "value": self.seed}]
        event = {"type": "made", "attributes": attributes}
        return {"height": str(height), "txs_results": [{"code": 0, "events": [event]}]}


class Node(Rpc):
    """A node of a chain that keeps some of its blocks."""

    def __init__(self, chain, first=1):
        self.chain, self.first, self.down, self.calls = chain, first, False, []
        self.missing = set()  # heights that it claims to keep
        self.threads = set()

    def __call__(self, url):
        return self

    def call(self, method, height="0", **_):
        self.threads.add(threading.current_thread().name)
        self.calls.append((method, int(height)))
        if self.down:
            raise EndpointUnavailable("node", "down")
        if method == "status":
            network = {"network": self.chain.chain_id, "version": "0.38.1"}
            return {"node_info": network, "sync_info": {"earliest_block_height": str(self.first)}}
        if method == "abci_info":
            return {"response": {"last_block_height": str(self.chain.last)}}
        if not self.first <= int(height) <= self.chain.last or int(height) in self.missing:
            raise EndpointRefused("node", method, f"height {height} is not available")
        return getattr(self.chain, {"block": "block", "block_results": "results"}[method])(int(height))

    def close(self):
        pass

    def fetched(self):
        return sorted(height for method, height in self.calls if method == "block_results")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    node, pause = None, 0.0

    def handle_error(self, *_):
        """Whoever is killed lets go of its connections."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body leave together

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        time.sleep(self.server.pause)
        answer, status = {"jsonrpc": "2.0", "id": asked["id"]}, 200
        try:
            answer["result"] = self.server.node.call(asked["method"], **asked["params"])
        except EndpointRefused as error:
            answer["error"], status = {"message": error.reason}, 500
        except EndpointUnavailable:
            answer, status = {}, 503
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@contextmanager
def served(node, pause=0.0):
    """The URL of a node; each call takes `pause` seconds at least."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.node, server.pause = node, pause
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
