"""The ledger and simulated gas against ibc-go: balances to the unit, gas wanted near what is used."""

from contextlib import ExitStack, closing
from fractions import Fraction

import pytest

from conformance.peers.chain import RPC_CONFIG, wallet
from pyibc.core.channel.types import Order
from pyibc.core.coin import coin
from pyibc.relayer.links.link import Link
from pyibc.relayer.money.account import GasConfig
from pyibc.relayer.money.fees import GasPrice
from pyibc.relayer.money.ledger import Ledger
from pyibc.relayer.money.ledger_report import catch_up, costs, open_fees, spent
from pyibc.relayer.paths.open_path import make_path
from pyibc.relayer.rpc.endpoint import RpcEndpoint

pytestmark = pytest.mark.interop

HEAVY = "m" * 20_000
"""A memo whose packet costs more gas than others do."""


@pytest.mark.parametrize("make", ["go-go", "python-go"])
def test_h154_the_ledger_is_the_change_of_the_balances(open_pair, tmp_path, make):
    gas = GasConfig(price=GasPrice.parse("0.0123stake"))
    with ExitStack() as stack:
        pair = open_pair(stack, tmp_path, make)
        ledger = stack.enter_context(closing(Ledger(tmp_path / "ledger")))
        a, b = (
            stack.enter_context(
                closing(RpcEndpoint.connect(each.url, wallet("relayer"), gas, RPC_CONFIG, ledger=ledger))
            )
            for each in (pair.a, pair.b)
        )
        before = [each.balance("relayer", "stake") for each in (pair.a, pair.b)]
        path = make_path(a, b, "transfer", Order.UNORDERED, "ics20-1")
        receiver = pair.b.address("bob")
        messages = [pair.a.transfer("alice", path.a, coin("stake", 1), receiver) for _ in range(8)]
        messages += [
            pair.a.transfer("alice", path.a, coin("stake", 1), receiver, memo=HEAVY) for _ in range(2)
        ]
        assert pair.a.submit("alice", messages).code == 0
        with closing(Link([path], a, b)) as link:
            metrics = link.until_idle()
        assert (metrics.delivered, metrics.acknowledged, metrics.given_up) == (10, 10, {})
        for end, chain, had in zip((a, b), (pair.a, pair.b), before, strict=True):
            assert catch_up(ledger, end) == []
            assert open_fees(ledger, end.chain_id) == {}
            lost = had - chain.balance("relayer", "stake")  # nothing on simd: it takes no fees
            assert spent(ledger, end.chain_id, end.signer).get("stake", 0) == lost
            assert bool(lost) is end.chain_id.startswith("live")
        for cost in costs(ledger):
            assert Fraction(cost.gas_wanted, cost.gas_used) <= Fraction(13, 10), cost
        wanted = ledger.rows("SELECT code, gas_wanted FROM tx")
        failed = sum(int(gas) for code, gas in wanted if code)
        assert 50 * failed <= sum(
            int(gas) for _, gas in wanted
        )  # two in a hundred, with every fifth packet heavy
