"""The connections of a view to its CometBFT, which closes those that say nothing for a while."""

import json
import socketserver
import threading
import time
from http.server import BaseHTTPRequestHandler

import pytest

from localnet.grpc import comet_view
from localnet.grpc.comet_view import CometView

IDLE_S = 0.3


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = IDLE_S
    connections = 0

    def setup(self):
        super().setup()
        type(self).connections += 1

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        info = {"latest_block_height": "7", "earliest_block_height": "1", "catching_up": False}
        body = json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": {"sync_info": info}}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def node(monkeypatch):
    monkeypatch.setattr(Handler, "connections", 0)
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        view = CometView(f"http://127.0.0.1:{server.server_address[1]}")
        yield view
        view.close()
        server.shutdown()
        thread.join()


def test_a_connection_that_was_idle_is_not_used_again(node, monkeypatch):
    monkeypatch.setattr(comet_view, "_KEPT_S", IDLE_S / 3)
    for expected in (1, 2):
        assert node.latest() == node.latest() == 7
        assert Handler.connections == expected  # one for both
        time.sleep(IDLE_S * 2)


def test_what_is_kept_is_younger_than_what_cometbft_closes():
    assert comet_view._KEPT_S < 10
