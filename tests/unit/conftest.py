"""Chains with accounts and coins only, for localnet's tests and the kit's."""

import pytest

from localnet.chain import LocalChain
from localnet.settings import Genesis, funded
from pyibc.chain.bank.send import MSG_SEND, encode_send
from pyibc.codec.anys import AnyMessage
from pyibc.core.coin import coin
from pyibc.relayer.money.wallet import Wallet

START_NS = 1_700_000_000_000_000_000
SECOND = 1_000_000_000


@pytest.fixture
def alice():
    return Wallet.from_seed("alice", "cosmos")


@pytest.fixture
def bob():
    return Wallet.from_seed("bob", "cosmos")


@pytest.fixture
def send(alice, bob):
    """An AnyMessage: Alice (or another) sends coins to Bob (or another)."""

    def make(amount=5, denom="stake", sender=None, receiver=None):
        source, target = (sender or alice).address.text, (receiver or bob).address.text
        return AnyMessage(MSG_SEND, encode_send(source, target, (coin(denom, amount),)))

    return make


@pytest.fixture
def genesis(alice):
    """Alice has a billion, in a chain of a fixed time."""
    return Genesis(funded([(alice.address.text, [coin("stake", 10**9)])]), START_NS)


@pytest.fixture
def ticking():
    """A clock that goes one second a call."""
    now = START_NS

    def clock():
        nonlocal now
        now += SECOND
        return now

    return clock


@pytest.fixture
def make_chain(genesis, ticking):
    """A chain of this genesis, in memory unless a home is given."""
    made = []

    def make(chain_id="chain-1", home=None, **options):
        options.setdefault("genesis", genesis)
        options.setdefault("clock", ticking)
        chain = LocalChain(chain_id, home, **options)
        made.append(chain)
        return chain

    yield make
    for chain in made:
        chain.close()


@pytest.fixture
def chain(make_chain):
    return make_chain()


@pytest.fixture
def sign(alice, send):
    """Alice's transaction on chain-1."""

    def make(messages=None, wallet=alice, **fields):
        options = {
            "chain_id": "chain-1",
            "account_number": 0,
            "sequence": 0,
            "gas_limit": 1_000_000,
            **fields,
        }
        return wallet.sign_tx(messages or [send()], **options)

    return make
