"""Several validators, each with its own application; and nodes that join."""

import base64
import threading

import pytest

pytestmark = pytest.mark.interop
BOTH = pytest.mark.parametrize("abci", ["socket", "grpc"])
"""However CometBFT speaks with its application."""


@BOTH
def test_four_validators_agree(make_network, until):
    """Their applications have different hash seeds; transactions come in by all of them."""
    nodes = make_network(4)
    for node in nodes:
        node.start()
    nodes[0].wait_height(2)
    senders = [
        threading.Thread(
            target=lambda node=node, at=at: [node.commit_tx(b"%d-%d=x" % (at, i)) for i in range(5)]
        )
        for at, node in enumerate(nodes)
    ]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    height = max(node.height for node in nodes) + 1
    for node in nodes:
        node.wait_height(height)
    for at in range(1, height + 1):
        assert len({node.app_hash(at) for node in nodes}) == 1
    assert [node.value(b"3-4") for node in nodes] == [b"x"] * 4
    signatures = nodes[0].rpc("commit", height=str(height - 1))["signed_header"]["commit"]["signatures"]
    assert sum(each["block_id_flag"] == 2 for each in signatures) >= 3


@BOTH
def test_a_fresh_node_joins_by_state_sync(make_network, until):
    *old, fresh = make_network(2, full=1)
    for node in old:
        node.start()
    old[0].wait_height(2)
    for number in range(120):  # so that a snapshot has several chunks
        tx = b"key%04d=" % number + b"v" * 60
        old[0].rpc("broadcast_tx_sync", tx=base64.b64encode(tx).decode())
    until(lambda: old[0].value(b"key0119"), "transactions are in blocks")
    old[0].wait_height(old[0].height + 15)
    trusted = old[0].rpc("commit", height="2")["signed_header"]
    servers = ",".join(f"http://127.0.0.1:{node.rpc_port}" for node in old)
    fresh.configure(
        {
            "statesync": {
                "enable": "true",
                "rpc_servers": f'"{servers}"',
                "trust_height": "2",
                "trust_hash": f'"{trusted["commit"]["block_id"]["hash"]}"',
                "discovery_time": '"5s"',
            }
        }
    )
    fresh.start()
    target = old[0].height + 5
    fresh.wait_height(target)
    assert fresh.value(b"key0119") == b"v" * 60
    assert fresh.app_hash(target) == old[0].app_hash(target)
    earliest = int(fresh.rpc("status")["sync_info"]["earliest_block_height"])
    assert earliest > 10  # it did not replay the blocks
    assert "Applied snapshot chunk to ABCI app" in fresh.log("comet")
