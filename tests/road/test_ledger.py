"""The ledger against chains: fees to the unit of the balances' change, gas against what was used."""

from contextlib import ExitStack, closing
from fractions import Fraction

from conformance.kit.serving import serving
from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.core.channel.types import Order
from pyibc.core.height import Height
from pyibc.core.wire.message import pack_msg
from pyibc.default_plugins import plugins
from pyibc.relayer.links.link import Link
from pyibc.relayer.money.account import GasConfig
from pyibc.relayer.money.fees import GasPrice
from pyibc.relayer.money.ledger import Ledger
from pyibc.relayer.money.ledger_report import catch_up, costs, open_fees, spent
from pyibc.relayer.money.wallet import Wallet
from pyibc.relayer.paths.open_path import make_path
from pyibc.relayer.rpc.client import RpcConfig
from pyibc.relayer.rpc.endpoint import RpcEndpoint

KEYS = ["11" * 32, "22" * 32, "33" * 32]
PRICES = ("0.025stake", "0.0003grain")
PACKETS = 12


def balance(served, wallet):
    app = served.chain.app
    held = (app.bank.balance(app.query_context(), wallet.address.raw, denom) for denom in ("stake", "grain"))
    return dict(zip(("stake", "grain"), held, strict=True))


def send(endpoint, channel, receiver):
    """Packets of many sizes."""
    until = Height(2, 10**6)
    sent = [
        MsgTransfer(
            "transfer", channel, "stake", "1", endpoint.signer, receiver, until, 0, "m" * 200 * number
        )
        for number in range(PACKETS)
    ]
    assert endpoint.submit([pack_msg(each) for each in sent]).code == 0


def test_h154_the_ledger_is_the_change_of_the_balances(tmp_path):
    """Two chains, two fee denoms, two keys that take turns; a kill in the middle."""
    one, two, user = (Wallet(bytes.fromhex(key), "cosmos") for key in KEYS)
    config = RpcConfig(poll_s=0.05)
    with ExitStack() as stack:
        nodes = stack.enter_context(serving(("one-1", "two-2"), plugins, KEYS, 0.1))
        before = [[balance(node, wallet) for wallet in (one, two)] for node in nodes]

        def connect(node, wallets, price="0stake", ledger=None):
            gas = GasConfig(price=GasPrice.parse(price))
            return stack.enter_context(
                closing(RpcEndpoint.connect(node.url, wallets, gas, config, ledger=ledger))
            )

        def endpoints(ledger):
            pairs = zip(nodes, PRICES, strict=True)
            return [connect(node, (one, two), price, ledger) for node, price in pairs]

        first = stack.enter_context(closing(Ledger(tmp_path / "ledger")))
        a, b = endpoints(first)
        path = make_path(a, b, "transfer", Order.UNORDERED, "ics20-1")
        send(connect(nodes[0], user), path.a.channel_id, one.address.text)
        killed = first.open_of("one-1"), first.open_of("two-2")
        assert any(killed)  # written, and no block of them was read yet
        second = stack.enter_context(closing(Ledger(tmp_path / "ledger")))
        a, b = endpoints(second)
        metrics = Link([path], a, b).until_idle()
        assert (metrics.delivered, metrics.acknowledged, metrics.given_up) == (PACKETS, PACKETS, {})
        for end in (a, b):
            assert catch_up(second, end) == []
            assert open_fees(second, end.chain_id) == {}
        after = [[balance(node, wallet) for wallet in (one, two)] for node in nodes]
        for node, old, new in zip(nodes, before, after, strict=True):
            for wallet, had, has in zip((one, two), old, new, strict=True):
                lost = {denom: had[denom] - has[denom] for denom in had if had[denom] != has[denom]}
                assert spent(second, node.chain.chain_id, wallet.address.text) == lost
                assert lost or wallet is two
        _sums_agree(second, path)
        _gas_is_not_wasted(second)


def _sums_agree(ledger, path):
    by_chain = {cost.chain_id: cost.fees for cost in costs(ledger)}
    assert {chain_id: list(fees) for chain_id, fees in by_chain.items()} == {
        "one-1": ["stake"],
        "two-2": ["grain"],
    }
    for by in ("path", "packet"):
        for chain_id, fees in by_chain.items():
            ((denom, total),) = fees.items()
            assert sum(cost.fees[denom] for cost in costs(ledger, by) if cost.chain_id == chain_id) == total
    name = f"transfer/{path.a.channel_id}>transfer/{path.b.channel_id}"
    packets = {(cost.chain_id, cost.sequence) for cost in costs(ledger, "packet") if cost.path == name}
    assert packets == {(chain, number) for chain in by_chain for number in range(1, PACKETS + 1)}


def _gas_is_not_wasted(ledger):
    for cost in costs(ledger):
        assert Fraction(cost.gas_wanted, cost.gas_used) <= Fraction(13, 10), cost
        assert cost.failed == 0
