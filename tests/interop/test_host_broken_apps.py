"""1,000 blocks of four CometBFT validators, and an application that breaks in every way in every callback."""

import base64
import time

import pytest

from conformance.kit.channel_lifecycle import lifecycle

pytestmark = pytest.mark.interop

BLOCKS = 1_000
GAS = 5_000_000
SURROUNDINGS = [
    {"PYTHONHASHSEED": "0", "LC_ALL": "C", "TZ": "UTC"},
    {"PYTHONHASHSEED": "1", "LC_ALL": "C.UTF-8", "TZ": "Pacific/Kiritimati"},
    {"PYTHONHASHSEED": "4294967295", "LC_ALL": "tr_TR.UTF-8", "PYTHONDEVMODE": "1"},
    {"PYTHONHASHSEED": "random", "LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONOPTIMIZE": "1"},
]
"""What validators differ in: hash seeds, locales, time zones, modes of Python."""


class Sender:
    """Transactions of the first wallet, by the first validator."""

    def __init__(self, chain):
        self.chain, self.wallet, self.sequence = chain, chain.wallets[0], 0

    def send(self, *messages):
        """Returns the transaction's hash."""
        raw = self.wallet.sign_tx(
            list(messages),
            chain_id=self.chain.settings.chain_id,
            account_number=0,
            sequence=self.sequence,
            gas_limit=GAS,
        )
        told = self.chain.nodes[0].send(raw)
        assert told["code"] == 0, told
        self.sequence += 1
        return told["hash"]

    def result(self, digest, seconds=60):
        """What came of a transaction, once it is in a block: (codespace, code)."""
        end = time.monotonic() + seconds
        while True:
            try:
                found = self.chain.nodes[0].rpc("tx", hash=base64.b64encode(bytes.fromhex(digest)).decode())[
                    "tx_result"
                ]
            except RuntimeError:
                assert time.monotonic() < end, f"{digest} is in no block"
                time.sleep(0.02)
            else:
                return found["codespace"], found["code"]


def walk(sender, wrong):
    """The whole road; returns how many transactions broke something."""
    node, broken = sender.chain.nodes[0], 0
    for step in lifecycle(sender.wallet.address.text, node.height, 1, blocks_a_step=20):
        node.wait_height(step.not_before, 300)
        sent = [(attempt, sender.send(*attempt.messages)) for attempt in step.attempts]
        for attempt, digest in sent:
            result = sender.result(digest)
            if result not in [(each.codespace, each.code) for each in attempt.errors]:
                wrong.append((attempt.name, result))
        broken += len(sent)
        assert sender.result(sender.send(step.message)) == ("", 0)
    return broken


def test_d39_no_application_halts_a_chain_of_four_validators(make_host_chain, record_property):
    chain = make_host_chain(4, block_time_ms=10, plugins=("conformance.kit.tampering_apps:plugins",))
    for node, surroundings in zip(chain.nodes, SURROUNDINGS, strict=True):
        node.environment = {**node.environment, **surroundings}
    chain.start()
    chain.nodes[0].wait_height(2)
    wrong = []
    broken = walk(Sender(chain), wrong)
    assert wrong == []
    assert broken > 250
    for node in chain.nodes:
        node.wait_height(BLOCKS, 900)
    record_property("broken transactions", broken)
    different = {
        height
        for height in range(1, BLOCKS + 1, 7)
        if len({node.app_hash(height) for node in chain.nodes}) != 1
    }
    assert different == set()
    assert len({node.app_hash(BLOCKS) for node in chain.nodes}) == 1
    for node in chain.nodes:
        assert "CONSENSUS FAILURE" not in node.log("comet")
        assert "a panic in" in node.log("app")  # the errors stand in the log, and nowhere else
