"""How a chain of ours starts under CometBFT, what its blocks may hold, and what its queries prove."""

import base64

import pytest

from pyibc.core.proofs import SDK_SPECS, verify_membership, verify_non_membership
from pyibc.core.wire.merkle import encode_merkle_proof

pytestmark = pytest.mark.interop


def changed(node, **changes):
    genesis = node.genesis
    genesis.update(changes)
    node.genesis = genesis


def asked(node, key, height):
    told = node.rpc("abci_query", path="store/ibc/key", data=key.hex(), height=str(height), prove=True)[
        "response"
    ]
    ops = told["proofOps"]["ops"]
    assert [op["type"] for op in ops] == ["ics23:iavl", "ics23:simple"]
    proof = encode_merkle_proof([base64.b64decode(op["data"]) for op in ops])
    return base64.b64decode(told["value"] or ""), proof, int(told["height"])


def test_a_chain_that_begins_at_a_height_of_its_own(make_host_chain):
    chain = make_host_chain(1)
    (node,) = chain.nodes
    changed(node, initial_height="50")
    chain.start()
    node.wait_height(53)
    assert node.commit_tx(chain.bank_send(0, 0))["tx_result"]["code"] == 0
    assert node.rpc("block", height="50")["block"]["header"]["height"] == "50"
    with pytest.raises(RuntimeError, match="height"):
        node.rpc("block", height="49")
    node.stop()
    chain.start()
    height = node.height
    node.wait_height(max(height, 54) + 2)
    assert node.sequence(chain.wallets[0].address.text) == 1


def test_proofs_of_presence_and_absence_hold_under_the_header_above(make_host_chain):
    chain = make_host_chain(1)
    (node,) = chain.nodes
    chain.start()
    node.wait_height(6)
    for height in (2, 5):
        value, proof, told = asked(node, b"nextClientSequence", height)
        app_hash = bytes.fromhex(node.app_hash(told + 1))
        assert told == height
        verify_membership(SDK_SPECS, app_hash, (b"ibc", b"nextClientSequence"), value, proof)
        absent = b"clients/07-tendermint-9/clientState"
        value, proof, _ = asked(node, absent, height)
        assert value == b""
        verify_non_membership(SDK_SPECS, app_hash, (b"ibc", absent), proof)


def test_a_block_keeps_to_the_gas_of_the_genesis(make_host_chain):
    chain = make_host_chain(1, wallets=10, block_time_ms=500)
    (node,) = chain.nodes
    params = node.genesis["consensus_params"]
    params["block"]["max_gas"] = "2500000"
    changed(node, consensus_params=params)
    chain.start()
    node.wait_height(2)
    assert node.send(chain.bank_send(9, 0, gas_limit=2_500_001))["codespace"] == "sdk"
    for wallet in range(8):
        assert node.send(chain.bank_send(wallet, 0))["code"] == 0
    node.wait_height(node.height + 6)
    counts = [
        len(node.rpc("block", height=str(at))["block"]["data"]["txs"]) for at in range(1, node.height + 1)
    ]
    assert sum(counts) == 8
    assert max(counts) == 2


def test_a_genesis_that_the_application_refuses_is_named_once_and_nothing_starts(make_host_chain):
    chain = make_host_chain(1)
    (node,) = chain.nodes
    state = node.genesis["app_state"]
    state["bank"]["balances"][0]["coins"][0]["amount"] = "-5"
    changed(node, app_state=state)
    chain.start()
    assert node.processes.pop("app").wait(30) == 70
    assert node.log("app").count("CRITICAL") == 1
    assert "bank.balances[0].coins[0]" in node.log("app")
    node.processes.pop("comet").wait(30)
