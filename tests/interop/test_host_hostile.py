"""Proposers who put anything into their blocks: a code for each transaction, no halt, one app hash."""

import base64
from collections import Counter

import pytest

from pyibc.proto.cosmos.bank.v1beta1 import query_pb2 as bank_pb2

pytestmark = pytest.mark.interop

WALLETS = 24

PROPOSER = """
import sys
from random import Random
from pyibc.relayer.money.wallet import Wallet
from abci_server.application import tx_size
from pyibc.chain.comet.app import CometApp
from localnet.comet.application import main
from conformance.kit.malformed_txs import Payer, bad_envelope, bad_message, corrupted_bytes

WALLETS = [Wallet.from_seed(f"wallet {{at}}", "cosmos") for at in range({wallets})]


def prepare_proposal(self, request):
    host, r = self.host, Random(request.height)
    with self.lock:
        ctx = host.query_context()
        accounts = [host.accounts.get(ctx, each.address.raw) for each in WALLETS]
    chain_id, urls = host.config.chain_id, sorted(host.pipeline.messages())
    garbage = []
    for wallet, account in zip(WALLETS, accounts):
        payer = Payer(wallet, account.number, account.sequence) if account else Payer(wallet, 0, 0)
        garbage.append(corrupted_bytes(r, payer, chain_id))
        garbage.append(bad_envelope(r, payer, chain_id))
        garbage.append(bad_message(r, payer, chain_id, urls))
    r.shuffle(garbage)
    chosen, left = [], request.max_tx_bytes
    for tx in garbage:
        if tx_size(tx) <= left:
            chosen.append(tx)
            left -= tx_size(tx)
    return chosen


CometApp.prepare_proposal = prepare_proposal
if {agrees}:
    CometApp.process_proposal = lambda self, request: True
sys.exit(main(sys.argv[1:]))
"""


def hostile(*, agrees):
    return ("-c", PROPOSER.format(wallets=WALLETS, agrees=agrees))


def outcomes(node, heights):
    """How many transactions ended with which code."""
    found = Counter()
    for height in heights:
        for result in node.rpc("block_results", height=str(height))["txs_results"] or []:
            found[result["codespace"], result["code"]] += 1
    return found


def supply(node, denom):
    answer = node.grpc("/cosmos.bank.v1beta1.Query/SupplyOf", bank_pb2.QuerySupplyOfRequest(denom=denom))
    return int(bank_pb2.QuerySupplyOfResponse.FromString(answer).amount.amount)


def test_three_of_four_validators_force_garbage_through(make_host_chain):
    """The fourth refuses their blocks, is outvoted, and executes them all the same: its state is theirs."""
    chain = make_host_chain(4, wallets=WALLETS, block_time_ms=200)
    for node in chain.nodes[:3]:
        node.app = list(hostile(agrees=True))
    chain.start()
    blocks = 40
    for node in chain.nodes:
        node.wait_height(blocks + 2, 300)
    for height in range(1, blocks + 2):
        assert len({node.app_hash(height) for node in chain.nodes}) == 1, height
    for node in chain.nodes:
        assert "CRITICAL" not in node.log("app")
        assert "Traceback" not in node.log("app")
    codes = outcomes(chain.nodes[3], range(1, blocks + 1))
    print(sum(codes.values()), "transactions", sorted(codes.items()))
    assert sum(codes.values()) > 1000
    assert len(codes) > 15
    assert codes["sdk", 2] > 100  # no transactions at all
    assert {("sdk", 4), ("sdk", 11), ("sdk", 32)} <= set(codes)
    assert supply(chain.nodes[3], "stake") == WALLETS * 10**12
    proposers = {
        chain.nodes[0].rpc("block", height=str(height))["block"]["header"]["proposer_address"]
        for height in range(2, blocks)
    }
    assert len(proposers) >= 3


def test_one_hostile_proposer_of_four_is_outvoted(make_host_chain):
    """What does not decode gets into no block, and the chain goes on."""
    chain = make_host_chain(4, wallets=WALLETS, block_time_ms=200)
    chain.nodes[0].app = list(hostile(agrees=False))
    chain.start()
    chain.nodes[1].wait_height(10, 120)
    own = chain.nodes[0].rpc("status")["validator_info"]["address"]
    codes = outcomes(chain.nodes[1], range(1, 10))
    assert codes["sdk", 2] == 0
    headers = [chain.nodes[1].rpc("block", height=str(at))["block"]["header"] for at in range(1, 11)]
    assert own not in {header["proposer_address"] for header in headers}
    told = chain.nodes[1].commit_tx(chain.bank_send(0, 0, 5))
    assert told["tx_result"]["code"] == 0
    assert len({node.app_hash(9) for node in chain.nodes}) == 1
    assert base64.b64decode(told["tx_result"]["data"])
