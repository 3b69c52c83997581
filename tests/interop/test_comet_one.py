"""One validator: real CometBFT drives the key-value example."""

import base64
import signal
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytestmark = pytest.mark.interop
BOTH = pytest.mark.parametrize("abci", ["socket", "grpc"])
"""However CometBFT speaks with its application."""


@BOTH
def test_a_chain_grows_takes_transactions_and_answers_queries(make_node):
    node = make_node()
    node.start()
    node.wait_height(2)
    told = node.commit_tx(b"name=satoshi")
    assert (told["check_tx"]["code"], told["tx_result"]["code"]) == (0, 0)
    assert told["tx_result"]["events"][0]["attributes"] == [
        {"key": "key", "value": b"name".hex(), "index": True}
    ]
    assert node.value(b"name") == b"satoshi"
    refused = node.commit_tx(b"nonsense")
    assert (refused["check_tx"]["code"], refused["check_tx"]["codespace"]) == (1, "kv")
    found = node.rpc("tx_search", query=f"set.key = '{b'name'.hex()}'")
    assert [each["tx"] for each in found["txs"]] == [base64.b64encode(b"name=satoshi").decode()]
    height = int(told["height"])
    node.wait_height(height + 2)
    assert node.app_hash(height + 1) != node.app_hash(height)
    assert node.kill("app", signal.SIGTERM) == 0


def test_the_application_in_the_documentation_runs(make_node):
    text = (Path(__file__).resolve().parents[2] / "docs" / "embedding.md").read_text()
    code = text[text.index("## Under CometBFT") :].split("```python\n")[1].split("```")[0]
    address = '"unix:///tmp/counter.sock"'
    assert code.count(address) == 1
    node = make_node(app=("-c", "import sys\n" + code.replace(address, "sys.argv[2]")))
    node.start()
    node.wait_height(2)
    told = node.commit_tx(b"count")
    assert told["tx_result"]["code"] == 0
    height = int(told["height"])
    node.wait_height(height + 1)
    assert node.app_hash(height + 1) == "0000000000000001"
    refused = node.commit_tx(b"other")["check_tx"]
    assert (refused["code"], refused["codespace"]) == (1, "counter")
    node.stop()
    node.start()
    node.wait_height(height + 3)
    assert node.app_hash(height + 3) == "0000000000000001"


def test_a_path_that_is_no_utf8_costs_nobody_a_connection(make_node, tee):
    """Go's RPC lets such a path through (hexadecimal in the URL) to the application."""
    node = make_node()
    between = tee(node.address)
    node.proxy_app = between.address
    node.start()
    node.wait_height(2)
    url = f"http://127.0.0.1:{node.rpc_port}/abci_query?path=0xfffe&data=0x61"
    with urllib.request.urlopen(url) as told:
        assert told.status == 200
    assert any(b"\xff\xfe" in asked for asked, _ in between.streams)
    at = node.height
    node.wait_height(at + 2)
    assert "closed" not in node.log("app")


@BOTH
def test_large_transactions_of_many_users_at_once_do_not_stop_each_other(make_node):
    """More of them than one connection's window would take: all are half sent at some moment."""
    node = make_node()
    node.start()
    node.wait_height(2)
    bodies = [base64.b64encode(b"%d-large" % at + b"x" * 700_000).decode() for at in range(60)]
    with ThreadPoolExecutor(60) as users:
        told = list(users.map(lambda tx: node.rpc("broadcast_tx_sync", tx=tx), bodies))
    assert {each["codespace"] for each in told} == {"kv"}
    node.wait_height(node.height + 2)
