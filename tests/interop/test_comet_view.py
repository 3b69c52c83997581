"""The gRPC server's view of a real CometBFT node; the application is the key-value example."""

import hashlib
import time

import pytest

from light_client.tendermint.codec import header_from
from light_client.tendermint.hashing import header_hash
from pyibc.core.errors import InvalidRequest
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable

pytestmark = pytest.mark.interop


@pytest.fixture
def view():
    pytest.importorskip("grpc", reason="grpcio is not installed (extra `node`)")
    from localnet.grpc.comet_view import CometView

    made = []

    def connect(node):
        made.append(CometView(f"tcp://127.0.0.1:{node.rpc_port}"))
        return made[-1]

    yield connect
    for each in made:
        each.close()


def test_a_real_node_is_seen(make_node, view):
    node = make_node()
    node.start()
    node.wait_height(2)
    seen = view(node)
    info = seen.node_info()
    status = node.rpc("status")["node_info"]
    assert (info.default_node_id, info.network, info.version) == (
        status["id"],
        status["network"],
        status["version"],
    )
    assert info.channels == bytes.fromhex(status["channels"])
    assert info.protocol_version.p2p == 8
    assert info.other.tx_index == "on"
    assert seen.earliest() == 1
    assert seen.syncing() is False
    height = seen.latest()
    for each in (1, height):  # the first block has no last commit
        viewed = seen.block(each)
        assert header_hash(header_from(viewed.block.header)) == viewed.block_id.hash
    assert [member.power for member in seen.validators(height)] == [10]
    with pytest.raises(EndpointRefused):
        seen.block(height + 1_000)


def test_transactions_reach_it_and_are_found(make_node, view, until):
    node = make_node()
    node.start()
    node.wait_height(2)
    seen, raw = view(node), b"name=satoshi"
    digest = hashlib.sha256(raw).digest()
    assert seen.tx(digest) is None
    assert seen.broadcast(raw).code == 0
    until(lambda: seen.tx(digest), "a block holds it")
    found = seen.tx(digest)
    assert (found.outcome.tx, found.outcome.code) == (raw, 0)
    assert raw in list(seen.block(found.height).block.data.txs)
    refused = seen.broadcast(b"nonsense")
    assert (refused.code, refused.codespace) == (1, "kv")
    again = seen.broadcast(raw)
    assert (again.code, again.codespace) == (19, "sdk")
    query = f"set.key='{b'name'.hex()}' AND tx.height>={found.height}"
    assert seen.search(query, 1, 10, descending=False) == ([found], 1)
    assert seen.search("set.key='00'", 1, 10, descending=True).total == 0
    with pytest.raises(InvalidRequest):
        seen.search("set.key='00'", 9, 10, descending=True)  # CometBFT has no such page


def test_a_node_that_is_down_is_unavailable(make_node, view):
    node = make_node()
    seen = view(node)
    with pytest.raises(EndpointUnavailable):
        seen.latest()


def test_a_connection_outlives_no_silence(make_node, view):
    """CometBFT closes what says nothing for 10 s."""
    node = make_node()
    node.start()
    node.wait_height(2)
    seen = view(node)
    before = seen.latest()
    time.sleep(12)
    assert seen.latest() > before
    assert seen.search("set.key EXISTS", 1, 10, descending=False).total == 0
    with pytest.raises(InvalidRequest):
        seen.search("set.key=", 1, 10, descending=False)
