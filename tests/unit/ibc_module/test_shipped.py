"""Who is called with the block itself: shipped applications and middleware of shipped plugins."""

import pytest

from conformance.kit.outcomes import must
from conformance.kit.queue.pair import QueuePair
from ibc_module import hookimpl
from ibc_module.hookspecs import Middleware, MiddlewareV2
from ibc_module.plugin import Config
from pyibc.apps.rate_limit import plugin as limit_plugin
from pyibc.apps.rate_limit.middleware import LimitedApp, LimitedAppV2, LimitedSender
from pyibc.apps.rate_limit.plugin import RateLimitPlugin
from pyibc.apps.transfer import plugin as transfer_plugin
from pyibc.apps.transfer.app import TransferApp
from pyibc.apps.transfer.app_v2 import TransferAppV2
from pyibc.apps.transfer.plugin import TransferPlugin
from pyibc.core.application.middleware import PassThroughApp, PassThroughAppV2, PassThroughSender
from pyibc.core.channel.types import Order
from pyibc.core.host.overlay import BlockContext
from pyibc.default_plugins import plugins
from pyibc.isolation.call_state import THREAD
from pyibc.isolation.isolate import Guarded
from pyibc.isolation.scoped_context import ScopedContext
from pyibc.queues.coins import COINS, CoinsApp, CoinTransfer, QueueDenom, encode_transfer
from pyibc.testing.pair import two_chains
from pyibc.testing.transfers import abroad, transfer, transfer_v2

BLOCK = (BlockContext, False)
CONFINED = (ScopedContext, True)


@pytest.fixture
def seen(monkeypatch):
    """Which contexts each spied class was called with, and whether its depth was counted."""
    found = {}

    def spy(owner, *names):
        for name in names:
            call = getattr(owner, name)

            def noted(self, ctx, *given, call=call):
                found.setdefault(owner.__name__, []).append((type(ctx), THREAD.call.counting))
                return call(self, ctx, *given)

            monkeypatch.setattr(owner, name, noted)

    spy(TransferApp, "on_recv_packet", "on_acknowledgement_packet")
    spy(TransferAppV2, "on_send_packet", "on_recv_packet")
    spy(LimitedApp, "on_recv_packet")
    spy(LimitedAppV2, "on_recv_packet")
    spy(LimitedSender, "send_packet")
    spy(CoinsApp, "on_send", "on_receive")
    return found


def life(parts):
    """Coins from A to B over a channel and over clients; they arrive."""
    net = two_chains(plugins=parts)
    path, clients = net.open("transfer", Order.UNORDERED, "ics20-1"), net.open_clients()
    bob = net.b.address("bob")
    assert net.a.execute("alice", transfer(net.a, "alice", path.a, "stake", 5, bob)).code == 0
    assert net.a.execute("alice", transfer_v2(net.a, "alice", clients.a, "stake", 7, bob)).code == 0
    net.relay(path)
    net.relay(clients)
    assert net.b.balance("bob", abroad("stake", path.b).coin_denom) == 5
    assert net.b.balance("bob", abroad("stake", clients.b).coin_denom) == 7


def only(seen, name):
    assert len(seen[name]) >= 1
    kinds = set(seen[name])
    assert len(kinds) == 1
    return kinds.pop()


def test_what_is_shipped_has_the_block_and_the_bank_themselves(seen, monkeypatch):
    banks = []
    mover = transfer_plugin.CoinMover
    monkeypatch.setattr(
        transfer_plugin, "CoinMover", lambda bank, *given: banks.append(bank) or mover(bank, *given)
    )
    life(lambda: [*plugins(Config()), RateLimitPlugin()])
    names = ("TransferApp", "TransferAppV2", *LIMITS)
    assert {name: only(seen, name) for name in names} == dict.fromkeys(names, BLOCK)
    assert len(banks) == 2
    assert not any(isinstance(bank, Guarded) for bank in banks)


def test_a_shipped_application_of_queues_has_the_block_itself(seen):
    pair = QueuePair.registered()
    data = encode_transfer(CoinTransfer(QueueDenom("ualpha"), 5, pair.a.user.signer, pair.b.user.signer))
    must(pair.send(pair.path, data, COINS))
    pair.relay(pair.path)
    voucher = QueueDenom("ualpha").received_from(pair.path.a).name
    assert pair.b.balance(pair.b.user.wallet.address.raw, voucher) == 5
    assert only(seen, "CoinsApp") == BLOCK
    pair.close()


LIMITS = ("LimitedApp", "LimitedAppV2", "LimitedSender")


@pytest.mark.parametrize("name", LIMITS)
def test_h82_a_class_that_derives_from_a_shipped_one_is_a_stranger_s(seen, monkeypatch, name):
    monkeypatch.setattr(limit_plugin, name, type("Derived", (getattr(limit_plugin, name),), {}))
    life(lambda: [*plugins(Config()), RateLimitPlugin()])
    assert {each: only(seen, each) for each in LIMITS} == {**dict.fromkeys(LIMITS, BLOCK), name: CONFINED}


def test_h82_a_stranger_s_plugin_has_a_shipped_class_as_its_own(seen, monkeypatch):
    """It may have been built around code of the stranger's."""
    banks = []
    mover = transfer_plugin.CoinMover
    monkeypatch.setattr(
        transfer_plugin, "CoinMover", lambda bank, *given: banks.append(bank) or mover(bank, *given)
    )

    class Derived(TransferPlugin):
        pass

    life(lambda: [*plugins(Config(), transfer=False), Derived()])
    assert (only(seen, "TransferApp"), only(seen, "TransferAppV2")) == (CONFINED, CONFINED)
    assert all(isinstance(bank, Guarded) for bank in banks)
    assert len(banks) == 2


def middleware(seen, around=lambda app: app, around_v2=lambda app: app, out=lambda sender: sender, stores=()):
    """A stranger's plugin with a layer on every side of `transfer`."""

    def note(self, ctx):
        seen.setdefault("stranger", []).append((type(ctx), THREAD.call.counting))

    class App(PassThroughApp):
        def on_recv_packet(self, ctx, received):
            note(self, ctx)
            return self.below.on_recv_packet(ctx, received)

    class AppV2(PassThroughAppV2):
        def on_recv_packet(self, ctx, received):
            note(self, ctx)
            return self.below.on_recv_packet(ctx, received)

    class Sender(PassThroughSender):
        def send_packet(self, ctx, *given):
            note(self, ctx)
            return self.above.send_packet(ctx, *given)

    class Plugin:
        @hookimpl
        def chain_stores(self):
            return stores

        @hookimpl
        def ibc_register_middleware(self):
            def wrap(below, _):
                return around(App(below))

            return [Middleware("transfer", wrap, lambda above: out(Sender(above)))]

        @hookimpl
        def ibc_register_middleware_v2(self):
            return [MiddlewareV2("transfer", lambda below, _: around_v2(AppV2(below)))]

    return Plugin()


@pytest.mark.parametrize("is_outermost", [True, False])
def test_h82_a_stranger_s_middleware_is_confined_and_what_stands_around_it_is_not(seen, is_outermost):
    def parts():
        layers = [middleware(seen), RateLimitPlugin()]
        return [*plugins(Config()), *(layers if is_outermost else reversed(layers))]

    life(parts)
    assert only(seen, "stranger") == CONFINED
    names = ("TransferApp", "TransferAppV2", *LIMITS)
    assert {context for name in names for context, _ in seen[name]} == {BlockContext}


def test_h82_what_a_stranger_puts_into_a_shipped_layer_is_not_shipped(seen):
    """A shipped class that hands its context on hands on a confined one, and its depth is counted."""
    life(
        lambda: [
            *plugins(Config()),
            middleware(seen, LimitedApp, LimitedAppV2, LimitedSender, ("ratelimit",)),
        ]
    )
    assert only(seen, "stranger") == CONFINED
    for name in LIMITS:
        assert set(seen[name]) == {(ScopedContext, True)}
