"""Two chains with callbacks middleware and scripted contracts, over channels (1) and clients (2)."""

import json
from collections.abc import Sequence
from typing import Any

from conformance.kit.contracts import STORE, ContractsPlugin, ScriptedContract
from ibc_module import hookimpl
from ibc_module.hookspecs import Middleware, MiddlewareV2
from ibc_module.plugin import Config
from ibc_module.registration import AtWiring
from pyibc.apps.callbacks.plugin import MAX_GAS, CallbacksPlugin
from pyibc.core.application.classic import AppAcknowledgement, BoundApp, IbcApp, Received
from pyibc.core.application.middleware import PassThroughApp, PassThroughAppV2
from pyibc.core.application.services import Services
from pyibc.core.application.v2 import BoundAppV2, IbcAppV2, PayloadAnswer, ReceivedV2
from pyibc.core.channel.types import Order
from pyibc.core.host.block import TxOutcome
from pyibc.core.host.context import WriteContext
from pyibc.core.packet.types import Packet
from pyibc.core.packet_v2.types import AcknowledgementV2
from pyibc.default_plugins import plugins
from pyibc.relayer.paths.path import AnyPath
from pyibc.testing.pair import FUNDS, SECOND, Party, two_chains
from pyibc.testing.transfers import abroad, in_escrow, supply, transfer, transfer_v2


class PutOff:
    """Middleware between ICS-20 and callbacks that delays acknowledgements while it is enabled."""

    services, services_v2 = AtWiring[Services](), AtWiring[Services]()
    """Services of the layers above, for writing acknowledgements."""

    def __init__(self) -> None:
        self.on = False
        self.kept: list[tuple[Packet, bytes]] = []
        self.kept_v2: list[tuple[str, int, AcknowledgementV2]] = []

    @hookimpl
    def ibc_register_middleware(self) -> Sequence[Middleware]:
        """Wrap one layer."""
        return [Middleware("transfer", self._wrap)]

    @hookimpl
    def ibc_register_middleware_v2(self) -> Sequence[MiddlewareV2]:
        """Wrap one layer."""
        return [MiddlewareV2("transfer", self._wrap_v2)]

    def _wrap(self, below: BoundApp, services: Services) -> IbcApp:
        self.services = services
        return _PutOff(below, self)

    def _wrap_v2(self, below: BoundAppV2, services: Services) -> IbcAppV2:
        self.services_v2 = services
        return _PutOffV2(below, self)


class _PutOff(PassThroughApp):
    def __init__(self, below: BoundApp, owner: PutOff) -> None:
        super().__init__(below)
        self.owner = owner

    def on_recv_packet(self, ctx: WriteContext, received: Received) -> AppAcknowledgement | None:
        answer = self.below.on_recv_packet(ctx, received)
        if answer is None or not self.owner.on:
            return answer
        self.owner.kept.append((received.packet, answer.data))
        return None


class _PutOffV2(PassThroughAppV2):
    def __init__(self, below: BoundAppV2, owner: PutOff) -> None:
        super().__init__(below)
        self.owner = owner

    def on_recv_packet(self, ctx: WriteContext, received: ReceivedV2) -> PayloadAnswer | None:
        answer = self.below.on_recv_packet(ctx, received)
        if answer is None or not self.owner.on:
            return answer
        self.owner.kept_v2.append((received.client_id_on_b, received.sequence, (answer.data,)))
        return None


Coins = tuple[int, int, int, int]
"""Alice's gain, the escrowed amount, the supply of vouchers on B, and Bob's vouchers."""


class CallbackNet:
    """Chains with contracts `good` and `bad`, by side `a` and `b`; their `act` defines what they do."""

    def __init__(self, max_gas: int = MAX_GAS) -> None:
        """Create it; `max_gas` is the gas limit of a contract call."""
        self.good: dict[str, ScriptedContract] = {}
        self.bad: dict[str, ScriptedContract] = {}
        self.put_off: dict[str, PutOff] = {}
        self._max_gas = max_gas
        self.pair = two_chains(plugins=self._plugins)
        self.a, self.b, self.clock = self.pair.a, self.pair.b, self.pair.clock
        for party in (self.a, self.b):  # contracts fail on purpose
            party.chain.answers_faults = True
        self.path = self.pair.open("transfer", Order.UNORDERED, "ics20-1")
        self.path_v2 = self.pair.open_clients()

    def _plugins(self) -> list[object]:
        side = "b" if self.good else "a"
        self.good[side], self.bad[side] = ScriptedContract(), ScriptedContract()
        self.put_off[side] = PutOff()
        contracts = ContractsPlugin({"good": self.good[side], "bad": self.bad[side]})
        callbacks = CallbacksPlugin(max_gas=self._max_gas)
        return [*plugins(Config()), callbacks, self.put_off[side], contracts]

    def send(
        self, version: int, memo: str, *, receiver: str | None = None, seconds: int = 600, amount: int = 5
    ) -> TxOutcome:
        """Send coins from Alice to Bob, with a timeout in `seconds`."""
        to = self.b.address("bob") if receiver is None else receiver
        until = self.clock.now_ns + seconds * SECOND
        if version == 1:
            message = transfer(self.a, "alice", self.path.a, "stake", amount, to, memo=memo, until=until)
        else:
            end, until_s = self.path_v2.a, until // SECOND
            message = transfer_v2(self.a, "alice", end, "stake", amount, to, memo=memo, until_s=until_s)
        return self.a.execute("alice", message)

    def relay(self) -> None:
        """Relay until nothing is pending."""
        self.pair.relay(self.path, self.path_v2)

    def ends(self, version: int) -> AnyPath:
        """Return the path of packets of a protocol version."""
        return self.path if version == 1 else self.path_v2

    def coins(self, version: int) -> Coins:
        """Return the location of the coins that were sent over a path."""
        ends = self.ends(version)
        voucher = abroad("stake", ends.b).coin_denom
        more = self.a.balance("alice", "stake") - FUNDS[0].amount
        return (
            more,
            in_escrow(self.a, ends.a, "stake"),
            supply(self.b, voucher),
            self.b.balance("bob", voucher),
        )

    def in_flight(self, version: int) -> int:
        """Return the packets from A that are neither acknowledged nor timed out."""
        prefix = b"commitments/" if version == 1 else self.path_v2.a.client_id.encode() + b"\x01"
        found = self.a.chain.app.query_context().ibc.iterate(prefix, prefix + b"\xff")
        return sum(1 for _ in found)

    def noted(self, party: Party, address: str, kind: str) -> int:
        """Return the number of successful calls of a kind that a contract received."""
        return (party.endpoint.get(f"{address}/{kind}".encode(), STORE) or b"\0")[0]

    def close(self) -> None:
        """Close both chains."""
        self.pair.close()


def asks(key: str, address: str, **fields: Any) -> str:
    """Return a memo that requests a `src` or `dest` callback."""
    return json.dumps({f"{key}_callback": {"address": address, **fields}})
