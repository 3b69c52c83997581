"""A planned upgrade under CometBFT: validators stop at its height, and go on with new software."""

import base64
import json
import signal
import subprocess
import sys

import pytest

from pyibc.chain.comet.settings import UpgradeSettings
from pyibc.proto.ibc.applications.rate_limiting.v1 import query_pb2

pytestmark = pytest.mark.interop

HEIGHT = 8
NEEDED = f'UPGRADE "limits" NEEDED at height: {HEIGHT}'
RATE_LIMITS = "/ibc.applications.rate_limiting.v1.Query/AllRateLimits"


def asked(node, path):
    return node.rpc("abci_query", path=path, data="")["response"]


def app_height(node):
    return int(node.rpc("abci_info")["response"]["last_block_height"])


def adds_plugins(node):
    path = node.home / "app.json"
    settings = json.loads(path.read_text())
    settings["plugins"] = [*settings.get("plugins", ()), "tests.interop.upgraded_plugins:plugins"]
    path.write_text(json.dumps(settings))


def test_h278_validators_stop_at_a_planned_upgrade_and_go_on_with_new_software(make_host_chain, until):
    chain = make_host_chain(2, upgrade=UpgradeSettings("limits", HEIGHT))
    chain.start()
    for node in chain.nodes:
        until(lambda node=node: NEEDED in node.log("app"), "the application stops", 60)
        assert app_height(node) == HEIGHT - 1
        assert node.balance(chain.wallets[0].address.text) == 10**12  # queries are answered
        assert asked(node, RATE_LIMITS)["code"] != 0  # the old software has none
    for node in chain.nodes:
        assert node.kill("app", signal.SIGTERM) is not None
        node.comet_ends()

    old = chain.nodes[0]  # started again with the old software it does not go on
    old.start()
    until(lambda: old.log("app").count(NEEDED) == 2, "the old software stops again", 60)
    old.stop()

    for node in chain.nodes:
        adds_plugins(node)
    chain.start()
    for node in chain.nodes:
        node.wait_height(HEIGHT + 4)
        answer = asked(node, RATE_LIMITS)
        assert answer["code"] == 0
        assert query_pb2.QueryAllRateLimitsResponse.FromString(base64.b64decode(answer["value"] or "")) == (
            query_pb2.QueryAllRateLimitsResponse()
        )
    one, other = (node.app_hash(HEIGHT + 3) for node in chain.nodes)
    assert one == other
    assert chain.nodes[0].commit_tx(chain.bank_send(0, 0))["tx_result"]["code"] == 0


def test_h277_a_validator_with_other_plugins_is_refused_by_their_name(make_host_chain):
    chain = make_host_chain(1)
    (node,) = chain.nodes
    chain.start()
    node.wait_height(3)
    node.stop()
    adds_plugins(node)
    command = [sys.executable, *node.app, str(node.home)]
    ended = subprocess.run(
        command, check=False, env=node.environment, capture_output=True, text=True, timeout=60
    )
    assert ended.returncode != 0
    assert "the plugin 'ratelimit'" in ended.stderr
    assert "Traceback" not in ended.stderr
