"""An application charges gas by a number that a stranger chose: the block's results still fit the wire."""

from contextlib import closing
from typing import Any

import msgspec
import pytest

from ibc_module import hookimpl
from ibc_module.json_message import json_message, json_route
from ibc_module.plugin import Config
from ibc_module.registration import AtWiring
from pyibc.core.application.services import Services
from pyibc.core.coin import coin
from pyibc.core.errors import LogicFault, OutOfGas
from pyibc.default_plugins import plugins
from pyibc.proto.tendermint.abci.types_pb2 import ExecTxResult
from pyibc.testing.pair import two_chains

CHARGE = "/tests.Charge"
FUNDS = (coin("stake", 10**12),)
HIGHEST = 2**63 - 1


class Charge(msgspec.Struct, frozen=True):
    """Asks for work; `amount` is a decimal text, because JSON numbers end earlier."""

    signer: str
    amount: str
    swallow: bool = False


class Metered:
    """Charges what it is asked for, and goes on where it is told to swallow the refusal."""

    given = AtWiring[Services]()

    @hookimpl
    def chain_stores(self):
        return ("metered",)

    @hookimpl
    def ibc_register_apps(self, services):
        self.given = services
        return {}

    @hookimpl
    def chain_messages(self):
        return {CHARGE: json_route(CHARGE, Charge, self.given.addresses, self.charge)}

    @staticmethod
    def charge(ctx: Any, msg: Charge) -> bytes:
        amount = float(msg.amount) if "." in msg.amount else int(msg.amount)
        try:
            ctx.gas.consume(amount)
        except OutOfGas:
            if not msg.swallow:
                raise
        ctx.store("metered").set(b"done", b"yes")
        return b""


def with_metered():
    return [Metered(), *plugins(Config())]


@pytest.fixture(scope="module")
def net():
    made = two_chains(plugins=with_metered, funds=FUNDS)
    with closing(made):
        yield made


@pytest.mark.parametrize("swallow", [False, True])
@pytest.mark.parametrize("amount", [HIGHEST - 1_000, HIGHEST, 2**63, 2**65, 10**30])
def test_h244_gas_beyond_an_int64_is_out_of_gas_and_the_block_is_encoded(net, amount, swallow):
    outcome = net.a.execute(
        "alice", json_message(CHARGE, Charge(net.a.address("alice"), str(amount), swallow))
    )
    assert (outcome.codespace, outcome.code) == (OutOfGas.codespace, OutOfGas.code)
    assert HIGHEST - 10**6 < outcome.gas_used <= HIGHEST
    assert ExecTxResult(gas_wanted=outcome.gas_wanted, gas_used=outcome.gas_used).SerializeToString()
    assert net.a.chain.app.query_context().reader("metered").get(b"done") is None


@pytest.mark.parametrize("amount", ["-5", "1.5"])
def test_h244_what_is_no_amount_of_gas_is_refused(net, amount):
    outcome = net.a.execute("alice", json_message(CHARGE, Charge(net.a.address("alice"), amount)))
    assert (outcome.codespace, outcome.code) == (LogicFault.codespace, LogicFault.code), outcome.log
    assert 0 < outcome.gas_used < 10**6
    assert net.a.chain.app.query_context().reader("metered").get(b"done") is None
