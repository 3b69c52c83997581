"""Every odd transaction is refused by the code that the table says, or taken: at the door and in a block."""

import pytest

from conformance.peers.chain import USERS, addresses, private_key
from conformance.peers.tx_cases import ACCEPTED, TX_CASES
from conformance.peers.tx_draft import GAS, Draft, Signer
from localnet.settings import funded
from pyibc.chain.app import HostApp
from pyibc.chain.config import HostConfig, TxLimits
from pyibc.core.coin import coin
from pyibc.core.errors import InvalidGasLimit, TooManySignatures

NOW = 1_700_000_000_000_000_000


def host(**rules):
    app = HostApp(HostConfig("odd-1", **rules))
    app.init_chain(NOW, funded((each, [coin("stake", 10**12)]) for each in addresses()))
    commit(app, [])
    return app


def commit(app, txs):
    outcomes = app.finalize_block(NOW, txs).outcomes
    app.commit()
    return [said(each) for each in outcomes]


def said(outcome):
    return f"{outcome.codespace}/{outcome.code}" if outcome.code else ACCEPTED


def draft(app):
    people = []
    for user, address in zip(USERS, addresses(), strict=True):
        account = app.accounts.get(app.query_context(), app.addresses.decode(address, "user").raw)
        people.append(Signer(private_key(user), account.number, account.sequence))
    return Draft(app.config.chain_id, people)


@pytest.fixture(scope="module")
def app():
    return host()


@pytest.mark.parametrize("odd", TX_CASES, ids=[odd.name for odd in TX_CASES])
def test_what_the_table_says(app, odd):
    raw, before = odd.bytes_of(draft(app)), app.info().app_hash
    checked = app.check_tx(raw)
    assert said(checked) == odd.expected, checked.log
    if odd.ours is not None:
        assert commit(app, [raw]) == [odd.expected]
        assert app.info().app_hash == before
    commit(app, [])  # CheckTx forgets


def test_names_are_names():
    assert len({odd.name for odd in TX_CASES}) == len(TX_CASES)
    assert {odd.name for odd in TX_CASES if odd.go and not odd.why} == set()


def test_gas_beyond_the_block():
    app = host(block_gas=GAS - 1)
    assert app.check_tx(draft(app).signed()).code == InvalidGasLimit.code
    assert host(block_gas=GAS).check_tx(draft(app).signed()).code == 0


def test_more_signers_than_the_limit():
    app = host(limits=TxLimits(signatures=1))
    made = draft(app)
    made.pay(made.people[1])
    made.sign_by(made.people[1])
    assert app.check_tx(made.signed()).code == TooManySignatures.code
