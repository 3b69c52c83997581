"""Two connected chains with an authority. Stages commit nothing; only a fixture that says so does."""

import pytest

from conformance.kit.messages import Messages
from conformance.kit.pair import Pair
from conformance.kit.staged_block import StagedBlock
from ibc_module.plugin import Config
from pyibc.relayer.money.wallet import Wallet

AUTHORITY = Wallet.from_seed("authority", "cosmos").address.text


class Governed:
    """A pair whose chains obey `authority`; `stage()` is the next block of A."""

    def __init__(self):
        self.authority = AUTHORITY
        self.pair = Pair.connected(config=Config(authority=AUTHORITY))
        self.a, self.b = self.pair.a, self.pair.b
        self.to_a = Messages(self.pair, self.a)
        self.relayer = self.to_a.signer

    def stage(self, side=None, time_ns=None):
        return StagedBlock((side or self.a).chain, time_ns)


@pytest.fixture(scope="session")
def governed():
    return Governed()
