"""1,000 blocks on four validators that differ in hash seed, locale and time zone: one app hash."""

import random
import threading
import time

import pytest

pytestmark = pytest.mark.interop

BLOCKS = 1_000
SURROUNDINGS = [
    {"PYTHONHASHSEED": "0", "LC_ALL": "C", "LANG": "C", "TZ": "UTC"},
    {"PYTHONHASHSEED": "1", "LC_ALL": "C.UTF-8", "LANG": "C.UTF-8", "TZ": "Pacific/Kiritimati"},
    {
        "PYTHONHASHSEED": "4294967295",
        "LC_ALL": "tr_TR.UTF-8",
        "LANG": "tr_TR.UTF-8",
        "TZ": "America/St_Johns",
    },
    {
        "PYTHONHASHSEED": "random",
        "LC_ALL": "POSIX",
        "LANG": "de_DE",
        "TZ": "Asia/Kathmandu",
        "PYTHONUTF8": "0",
    },
]


def load(chain, wallet, over):
    """Sends of a wallet, some of them good, to whichever validator, until told to stop."""
    chance, sequence = random.Random(wallet), 0
    address = chain.wallets[wallet].address.text
    while not over.wait(chance.uniform(0.005, 0.05)):
        node = chance.choice(chain.nodes)
        kind = chance.randrange(10)
        changes = {7: {"gas_limit": 15_000}, 8: {"memo": "é" * 20}}.get(kind, {})
        amount = 10**15 if kind == 6 else chance.randrange(1, 10**6)
        try:
            told = node.send(
                chain.bank_send(wallet, sequence, amount, chance.choice(["stake", "token"]), **changes)
            )
            sequence = sequence + 1 if told["code"] == 0 else node.sequence(address)
        except (OSError, RuntimeError, ValueError):
            time.sleep(0.05)


def test_one_app_hash_for_a_thousand_blocks(make_host_chain, record_property):
    chain = make_host_chain(4, wallets=8, block_time_ms=10)
    for node, surroundings in zip(chain.nodes, SURROUNDINGS, strict=True):
        node.environment = {**node.environment, **surroundings}
    began, over = time.monotonic(), threading.Event()
    chain.start()
    chain.nodes[0].wait_height(2)
    senders = [threading.Thread(target=load, args=(chain, at, over)) for at in range(len(chain.wallets))]
    for sender in senders:
        sender.start()
    try:
        for node in chain.nodes:
            node.wait_height(BLOCKS + 1, 1200)
    finally:
        over.set()
        for sender in senders:
            sender.join()
    seconds = time.monotonic() - began
    hashes, txs, failed = set(), 0, 0
    for height in range(1, BLOCKS + 2):
        one = {node.app_hash(height) for node in chain.nodes}
        assert len(one) == 1, height
        hashes |= one
        results = chain.nodes[height % 4].rpc("block_results", height=str(height))["txs_results"] or []
        txs += len(results)
        failed += sum(1 for each in results if each["code"])
    print(
        f"{BLOCKS} blocks in {seconds:.0f} s, {txs} transactions, {failed} failed, {len(hashes)} app hashes"
    )
    assert txs > BLOCKS
    assert failed > 50
    assert len(hashes) > BLOCKS / 2
    for wallet in chain.wallets:
        assert len({node.balance(wallet.address.text) for node in chain.nodes}) == 1
