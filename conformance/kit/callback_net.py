"""Two chains under callbacks, with scripted contracts, over channels (1) and over clients (2)."""

import json
from collections.abc import Sequence
from typing import Any

from conformance.kit.contracts import STORE, ContractsPlugin, ScriptedContract
from ibc_core.application.classic import AppAcknowledgement, BoundApp, IbcApp, Received
from ibc_core.application.middleware import PassThroughApp
from ibc_core.application.middleware_v2 import PassThroughAppV2
from ibc_core.application.services import Services
from ibc_core.application.v2 import BoundAppV2, IbcAppV2, PayloadAnswer, ReceivedV2
from ibc_core.channel.types import Order
from ibc_core.host.block import TxOutcome
from ibc_core.host.context import WriteContext
from ibc_core.packet.types import Packet
from ibc_core.packet_v2.types import AcknowledgementV2
from ibc_module import hookimpl
from ibc_module.apps.callbacks.plugin import MAX_GAS, CallbacksPlugin
from ibc_module.at_wiring import AtWiring
from ibc_module.hookspecs import Middleware, MiddlewareV2
from ibc_module.plugin import Config, plugins
from ibc_relayer.path import AnyPath
from ibc_testing.clock import SECOND
from ibc_testing.transfers import abroad, in_escrow, supply, transfer, transfer_v2
from ibc_testing.two_chains import FUNDS, Party, two_chains


class PutOff:
    """Around ICS-20, below the callbacks: executes packets, and keeps their answers while it is on."""

    services, services_v2 = AtWiring[Services](), AtWiring[Services]()
    """What a layer answers through: the layers above."""

    def __init__(self) -> None:
        self.on = False
        self.kept: list[tuple[Packet, bytes]] = []
        self.kept_v2: list[tuple[str, int, AcknowledgementV2]] = []

    @hookimpl
    def ibc_register_middleware(self) -> Sequence[Middleware]:
        """One layer."""
        return [Middleware("transfer", self._wrap)]

    @hookimpl
    def ibc_register_middleware_v2(self) -> Sequence[MiddlewareV2]:
        """One layer."""
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
"""What Alice has more than at first, the escrow, the supply of vouchers on B, and Bob's of them."""


class CallbackNet:
    """Contracts `good` and `bad` on both chains, by side: `a`, `b`. They do what their `act` says."""

    def __init__(self, max_gas: int = MAX_GAS) -> None:
        """`max_gas`: what contracts may use at most."""
        self.good: dict[str, ScriptedContract] = {}
        self.bad: dict[str, ScriptedContract] = {}
        self.put_off: dict[str, PutOff] = {}
        self._max_gas = max_gas
        self.pair = two_chains(plugins=self._plugins)
        self.a, self.b, self.clock = self.pair.a, self.pair.b, self.pair.clock
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
        """Alice sends coins to Bob, to arrive within `seconds`."""
        to = self.b.address("bob") if receiver is None else receiver
        until = self.clock.now_ns + seconds * SECOND
        if version == 1:
            message = transfer(self.a, "alice", self.path.a, "stake", amount, to, memo=memo, until=until)
        else:
            end, until_s = self.path_v2.a, until // SECOND
            message = transfer_v2(self.a, "alice", end, "stake", amount, to, memo=memo, until_s=until_s)
        return self.a.execute("alice", message)

    def relay(self) -> None:
        """Relays until nothing is pending."""
        self.pair.relay(self.path, self.path_v2)

    def ends(self, version: int) -> AnyPath:
        """The path that packets of a version take."""
        return self.path if version == 1 else self.path_v2

    def coins(self, version: int) -> Coins:
        """Where the coins are that went over a path."""
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
        """Packets of A's that are neither answered nor timed out."""
        prefix = b"commitments/" if version == 1 else self.path_v2.a.client_id.encode() + b"\x01"
        found = self.a.chain.app.query_context().ibc.iterate(prefix, prefix + b"\xff")
        return sum(1 for _ in found)

    def noted(self, party: Party, address: str, kind: str) -> int:
        """How often a contract was told of a kind and did not fail."""
        return (party.endpoint.get(f"{address}/{kind}".encode(), STORE) or b"\0")[0]

    def close(self) -> None:
        """Lets go of both chains."""
        self.pair.close()


def asks(key: str, address: str, **fields: Any) -> str:
    """A memo that asks for a callback of the `src` or of the `dest`."""
    return json.dumps({f"{key}_callback": {"address": address, **fields}})
