"""The connections of a view to its CometBFT, which closes those that say nothing for a while."""

import json
import socketserver
import threading
import time
from http.server import BaseHTTPRequestHandler

import pytest

from localnet.grpc import comet_view
from localnet.grpc.calls import page_of
from localnet.grpc.comet_view import CometView
from localnet.grpc.view import LocalView
from localnet.rpc.server import RpcServer
from pyibc.core.errors import InvalidRequest
from pyibc.core.host.block import tx_hash
from pyibc.proto.cosmos.base.query.v1beta1.pagination_pb2 import PageRequest

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


def test_h274_a_page_beyond_the_last_is_refused_by_every_view_of_a_node(chain, sign):
    """The chain itself, and the same chain asked by its JSON-RPC, as CometBFT is."""
    for sequence in range(3):
        chain.make_block([sign(sequence=sequence)])
    server = RpcServer(chain)
    thread = server.start(0.01)
    views = [LocalView(chain), CometView(server.url)]
    digest = tx_hash(sign()).hex()

    def told(view, query, page, limit):
        try:
            found = view.search(query, page, limit, descending=True)
            return [each.height for each in found.txs], found.total
        except InvalidRequest as error:
            return str(error)[str(error).index("page should be") :]

    try:
        for query, page, limit, expected in (
            ("tx.height>0", 1, 2, ([4, 3], 3)),
            ("tx.height>0", 2, 2, ([2], 3)),
            ("tx.height>0", 3, 2, "page should be within [1, 2] range, given 3"),
            ("tx.height>0", 2, 3, "page should be within [1, 1] range, given 2"),
            ("a.b='c'", 1, 2, ([], 0)),
            ("a.b='c'", 2, 2, "page should be within [1, 1] range, given 2"),
            (f"tx.hash='{digest}'", 1, 2, ([2], 1)),
            (f"tx.hash='{digest}'", 2, 2, "page should be within [1, 1] range, given 2"),
        ):
            assert [told(view, query, page, limit) for view in views] == [expected, expected]
    finally:
        views[1].close()
        server.stop()
        thread.join()


def test_h274_an_offset_counts_in_pages_that_cometbft_has():
    assert page_of(0, 0, PageRequest(offset=200, limit=200)) == (3, 100)
    assert page_of(2, 1_000, PageRequest()) == (2, 100)
