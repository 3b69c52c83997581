"""Two chains under callbacks, with scripted contracts, over channels and over clients."""

import json

import pytest

from conformance.kit.contracts import STORE, ContractsPlugin, ScriptedContract
from ibc_core.application.classic import IbcApp
from ibc_core.application.middleware import PassThroughApp
from ibc_core.application.middleware_v2 import PassThroughAppV2
from ibc_core.channel.types import Order
from ibc_module import hookimpl
from ibc_module.apps.callbacks.plugin import CallbacksPlugin
from ibc_module.hookspecs import Middleware, MiddlewareV2
from ibc_module.plugin import Config, plugins
from ibc_testing.clock import SECOND
from ibc_testing.transfers import abroad, in_escrow, supply, transfer, transfer_v2
from ibc_testing.two_chains import two_chains


class PutOff:
    """Around ICS-20, below the callbacks: executes, and keeps the answers while it is on."""

    def __init__(self):
        self.on = False
        self.services = self.services_v2 = None
        self.kept, self.kept_v2 = [], []

    @hookimpl
    def ibc_register_middleware(self):
        return [Middleware("transfer", self._wrap)]

    @hookimpl
    def ibc_register_middleware_v2(self):
        return [MiddlewareV2("transfer", self._wrap_v2)]

    def _wrap(self, below, services) -> IbcApp:
        self.services = services
        return _PutOff(below, self)

    def _wrap_v2(self, below, services):
        self.services_v2 = services
        return _PutOffV2(below, self)


class _PutOff(PassThroughApp):
    def __init__(self, below, owner):
        super().__init__(below)
        self.owner = owner

    def on_recv_packet(self, ctx, received):
        answer = self.below.on_recv_packet(ctx, received)
        if not self.owner.on:
            return answer
        self.owner.kept.append((received.packet, answer.data))
        return None


class _PutOffV2(PassThroughAppV2):
    def __init__(self, below, owner):
        super().__init__(below)
        self.owner = owner

    def on_recv_packet(self, ctx, received):
        answer = self.below.on_recv_packet(ctx, received)
        if not self.owner.on:
            return answer
        self.owner.kept_v2.append((received.client_id_on_b, received.sequence, (answer.data,)))
        return None


class Net:
    """Contracts `good` and `bad` (which does what `act` says) on both chains."""

    def __init__(self, *, max_gas=1_000_000):
        self.good, self.bad = {}, {}
        self.put_off = []
        self.max_gas = max_gas
        self.pair = two_chains(plugins=self._plugins)
        self.a, self.b, self.clock = self.pair.a, self.pair.b, self.pair.clock
        self.path = self.pair.open("transfer", Order.UNORDERED, "ics20-1")
        self.path_v2 = self.pair.open_clients()

    def _plugins(self):
        good, bad, put_off = ScriptedContract(), ScriptedContract(), PutOff()
        side = "b" if self.good else "a"
        self.good[side], self.bad[side] = good, bad
        self.put_off.append(put_off)
        contracts = ContractsPlugin({"good": good, "bad": bad})
        return [*plugins(Config()), CallbacksPlugin(max_gas=self.max_gas), put_off, contracts]

    def send(self, version, memo, *, receiver=None, seconds=None, amount=5):
        to = self.b.address("bob") if receiver is None else receiver
        if version == 2:
            until = 0 if seconds is None else self.clock.now_ns // SECOND + seconds
            end = self.path_v2.a
            message = transfer_v2(self.a, "alice", end, "stake", amount, to, memo=memo, until_s=until)
        else:
            options = {} if seconds is None else {"until": self.clock.now_ns + seconds * SECOND}
            message = transfer(self.a, "alice", self.path.a, "stake", amount, to, memo=memo, **options)
        return self.a.execute("alice", message)

    def relay(self):
        self.pair.relay(self.path, self.path_v2)

    def ends(self, version):
        return self.path_v2 if version == 2 else self.path

    def coins(self, version):
        """Alice's, in escrow, and the supply of vouchers on B; and Bob's."""
        ends = self.ends(version)
        voucher = abroad("stake", ends.b).coin_denom
        return (
            self.a.balance("alice", "stake") - 10**12,
            in_escrow(self.a, ends.a, "stake"),
            supply(self.b, voucher),
            self.b.balance("bob", voucher),
        )

    def noted(self, party, address, kind):
        return (party.endpoint.get(f"{address}/{kind}".encode(), STORE) or b"\0")[0]


@pytest.fixture
def net():
    made = Net()
    yield made
    made.pair.close()


def asks(key, address, **fields):
    return json.dumps({f"{key}_callback": {"address": address, **fields}})


def of(events, kind):
    """The attributes of the one event of a kind."""
    found = [dict(attributes) for name, attributes in events if name == kind]
    assert len(found) == 1
    return found[0]
