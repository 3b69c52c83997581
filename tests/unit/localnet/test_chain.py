"""A chain in one process: blocks, mempool, disk."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ibc_module.plugin import Config
from localnet.endpoint import LocalEndpoint
from localnet.errors import NoSuchBlock, UnknownSigner
from localnet.settings import Genesis
from pyibc.core.coin import coin
from pyibc.core.height import Height
from pyibc.core.host.block import tx_hash
from pyibc.default_plugins import plugins
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable

ROOT = Path(__file__).resolve().parents[3]


def test_block_one_holds_the_genesis(chain, alice):
    assert chain.tip() == (1, 1_700_000_000_000_000_000)
    assert chain.app.bank.balance(chain.app.query_context(0), alice.address.raw, "stake") == 10**9


def test_the_mempool_empties_into_the_block(chain, sign):
    first, second = sign(), sign(sequence=1)
    assert chain.submit(first).code == chain.submit(second).code == 0
    assert chain.submit(first).code == 19
    block = chain.make_block()
    assert [outcome.tx for outcome in block.txs] == [first, second]
    assert len(chain.mempool) == 0
    assert chain.block(2) == block
    assert chain.find_tx(tx_hash(second)) == (2, block.txs[1])
    assert chain.find_tx(b"0" * 32) is None


def test_a_rechecked_transaction_that_fails_is_dropped(chain, sign, send):
    chain.submit(sign([send(1)]))
    chain.make_block([sign([send(2)])])
    assert len(chain.mempool) == 0


def test_a_waiting_transaction_survives_a_block_without_it(chain, sign):
    chain.submit(sign())
    chain.make_block([])
    assert len(chain.mempool) == 1
    assert chain.make_block().txs[0].code == 0


@pytest.mark.parametrize("height", [-(2**63), -1, 0, 2**63 - 1])
def test_heights_without_a_block(chain, height):
    for ask in (chain.block, chain.validators):
        with pytest.raises(NoSuchBlock):
            ask(height)
    with pytest.raises(NoSuchBlock):
        chain.block(2)


def test_an_opened_chain_goes_on_where_it_was(make_chain, tmp_path, sign):
    straight, chain = make_chain(), make_chain(home=tmp_path / "c")
    times = [1_700_000_100_000_000_000 + n for n in range(6)]
    for sequence, time_ns in enumerate(times):
        straight.make_block([sign(sequence=sequence)], time_ns)
        chain.make_block([sign(sequence=sequence)], time_ns)
        chain.close()
        chain = make_chain(home=tmp_path / "c")
    assert chain.tip() == straight.tip()
    assert chain.record(7) == straight.record(7)
    assert chain._state == straight._state


def test_endpoint_submits_into_a_block_of_its_own(chain, alice, bob, send):
    endpoint = LocalEndpoint(chain, alice)
    outcome = endpoint.submit([send(1), send(2)])
    assert outcome.code == 0
    assert endpoint.tip().height == 2
    assert endpoint.block(2).txs == (outcome,)
    assert endpoint.submit([send(10**12)]).codespace == "sdk"
    endpoint.wait(6)
    assert endpoint.tip().height == 6


def test_endpoint_of_a_wallet_without_an_account(make_chain, alice, send):
    with pytest.raises(UnknownSigner):
        LocalEndpoint(make_chain(genesis=Genesis()), alice).submit([send(1)])


def test_endpoint_returns_what_check_tx_refuses(chain, alice, send):
    endpoint = LocalEndpoint(chain, alice, fee=(coin("atom", 5),))
    outcome = endpoint.submit([send(1)])
    assert (outcome.codespace, outcome.code) == ("sdk", 5)
    assert endpoint.tip().height == 1


def test_light_block_and_proof_heights(chain, alice):
    endpoint = LocalEndpoint(chain, alice)
    light = endpoint.light_block(1)
    assert (light.height, light.time_ns) == (1, 1_700_000_000_000_000_000)
    with pytest.raises(EndpointRefused, match="empty tree"):
        endpoint.prove(b"clients/x", 1)
    for ask in (endpoint.block, endpoint.light_block):
        with pytest.raises(EndpointRefused, match="less than or equal"):
            ask(2)


def test_proof_heights(make_chain, alice):
    endpoint = LocalEndpoint(make_chain(plugins=plugins(Config())), alice)
    proven = endpoint.prove(b"nextClientSequence", 1)
    assert (proven.value, proven.height) == (bytes(8), Height(1, 2))
    assert endpoint.get(b"nextClientSequence") == bytes(8)
    assert endpoint.prove(b"nothing", 1).value is None
    with pytest.raises(EndpointRefused):
        endpoint.prove(b"nothing", 2)


def test_a_chain_on_a_clock_that_stands_still(chain, alice, send):
    endpoint = LocalEndpoint(chain, alice, on_demand=False, timeout_s=0.01)
    with pytest.raises(EndpointUnavailable, match="not committed within"):
        endpoint.submit([send(1)])
    with pytest.raises(EndpointUnavailable, match="block 3"):
        endpoint.wait(3)


SCRIPT = """
from pyibc.core.coin import coin
from pyibc.codec.anys import AnyMessage
from pyibc.relayer.money.wallet import Wallet
from localnet.chain import LocalChain
from localnet.settings import Genesis, funded
from pyibc.chain.bank.send import MSG_SEND, encode_send

wallets = [Wallet.from_seed(str(n), "cosmos") for n in range(5)]
state = funded([(w.address.text, [coin("stake", 1000), coin("atom", 9)]) for w in wallets])
chain = LocalChain("det-1", genesis=Genesis(state, 10**18))
for n in range(20):
    txs = []
    for number, wallet in enumerate(wallets):
        target = wallets[(number * 3 + n) % 5]
        coins = (coin("stake", n * 30 + 1),)
        message = AnyMessage(MSG_SEND, encode_send(wallet.address.text, target.address.text, coins))
        fields = {"chain_id": "det-1", "account_number": number, "sequence": n, "gas_limit": 10**6}
        txs.append(wallet.sign_tx([message], **fields))
    chain.make_block(txs, 10**18 + (n + 1) * 10**9)
print(chain.block(chain.height).app_hash.hex(), chain.record(chain.height).block_id.hash.hex())
"""


def test_the_same_under_every_hash_seed():
    answers = set()
    for seed in ("0", "4242"):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        )
        answers.add(done.stdout)
    assert len(answers) == 1
    assert len(answers.pop().split()) == 2
