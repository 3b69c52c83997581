"""Garbage that is spoilt enough, and a host that answers all of it with a code."""

from collections import Counter
from random import Random

import pytest

from conformance.kit.malformed_txs import Payer, bad_envelope, bad_message, corrupted_bytes
from ibc_module.plugin import Config
from localnet.settings import funded
from pyibc.chain.app import HostApp
from pyibc.chain.config import HostConfig
from pyibc.core.coin import coin
from pyibc.default_plugins import plugins
from pyibc.relayer.money.wallet import Wallet

NOW = 1_700_000_000_000_000_000


@pytest.fixture
def wallets():
    return [Wallet.from_seed(f"wallet {at}", "cosmos") for at in range(10)]


@pytest.fixture
def app(wallets):
    app = HostApp(HostConfig("chain-1"), plugins(Config()))
    app.init_chain(NOW, funded((each.address.text, [coin("stake", 10**12)]) for each in wallets))
    app.finalize_block(NOW, [])
    app.commit()
    return app


def run(app, wallets, make, blocks):
    codes, ctx = Counter(), None
    for number in range(blocks):
        r, ctx = Random(number), app.query_context()
        payers = [
            Payer(each, at, app.accounts.get(ctx, each.address.raw).sequence)
            for at, each in enumerate(wallets)
        ]
        txs = [make(r, payer) for payer in payers]
        for outcome in app.finalize_block(NOW + number, txs).outcomes:
            codes[outcome.codespace, outcome.code] += 1
        app.commit()
    return codes


def test_bytes(app, wallets):
    codes = run(app, wallets, lambda r, payer: corrupted_bytes(r, payer, "chain-1"), 20)
    assert codes["sdk", 2] > 100
    assert codes["", 0] <= 20


def test_envelopes(app, wallets):
    codes = run(app, wallets, lambda r, payer: bad_envelope(r, payer, "chain-1"), 20)
    assert {("sdk", 4), ("sdk", 5), ("sdk", 11), ("sdk", 12), ("sdk", 30), ("sdk", 32)} <= set(codes)


def test_messages_get_behind_the_signatures(app, wallets):
    urls = sorted(app.pipeline.messages())
    codes = run(app, wallets, lambda r, payer: bad_message(r, payer, "chain-1", urls), 60)
    assert sum(codes.values()) == 600
    assert len(codes) > 15
    assert codes["sdk", 4] < 200
    supply = sum(app.bank.balance(app.query_context(), each.address.raw, "stake") for each in wallets)
    assert supply == 10**13
