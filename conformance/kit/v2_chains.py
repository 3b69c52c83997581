"""Two chains with clients of each other that exchange IBC v2 packets."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from conformance.kit.outcomes import must
from conformance.kit.schedules import outstanding
from conformance.kit.scripted_app_v2 import PORT_V2, ScriptedPluginV2
from ibc_core.any_message import AnyMessage
from ibc_core.client_v2.register_counterparty import MsgRegisterCounterparty
from ibc_core.coin import coin
from ibc_core.packet_v2.send import MsgSendPacket
from ibc_core.packet_v2.types import NS_PER_S, Payload
from ibc_core.transfer.denom import native
from ibc_core.transfer.encodings import JSON
from ibc_core.wire.message import encode_msg
from ibc_module.apps.transfer import encodings, packet_data, state
from ibc_module.plugin import Config, plugins
from ibc_relayer.link import Link, Options
from ibc_relayer.metrics import Metrics
from ibc_relayer.path import ClientEnd
from ibc_testing.ledger import broken_laws, channel_view
from ibc_testing.transfers import transfer_v2
from ibc_testing.two_chains import Party, two_chains
from localnet.endpoint import LocalEndpoint

FUNDS = (coin("stake", 10**12), coin("uatom", 1_000))
QUICK = Options(sleep=lambda _: None)


class Direction(NamedTuple):
    """One direction between two chains."""

    near: Party
    far: Party
    here: ClientEnd
    there: ClientEnd


class V2Chains:
    """Two in-memory chains with ICS-20 and a scripted application; the users are alice, bob and rival."""

    def __init__(self) -> None:
        self.mocks: list[ScriptedPluginV2] = []
        self.chains = two_chains(plugins=self._plugins, funds=FUNDS, users=("alice", "bob", "rival"))
        self.a, self.b, self.clock = self.chains.a, self.chains.b, self.chains.clock
        self.ends = self.a.endpoint, self.b.endpoint
        self.path = self.chains.open_clients()

    @property
    def ways(self) -> tuple[Direction, Direction]:
        """Both directions: a to b, b to a."""
        return Direction(self.a, self.b, self.path.a, self.path.b), Direction(
            self.b, self.a, self.path.b, self.path.a
        )

    def as_user(self, user: str) -> tuple[LocalEndpoint, LocalEndpoint]:
        """Endpoints of both chains with a user's account."""
        return LocalEndpoint(self.a.chain, self.a.users[user]), LocalEndpoint(
            self.b.chain, self.b.users[user]
        )

    def link(self, user: str = "relayer", **how: Any) -> Link:
        """A relayer that uses a user's account."""
        return Link([self.path], *self.as_user(user), **{"options": QUICK, **how})

    def relay(self, user: str = "relayer", **how: Any) -> Metrics:
        """Relays until idle, with a new relayer."""
        link = self.link(user, **how)
        try:
            return link.until_idle()
        finally:
            link.close()

    def transfer(self, amount: int = 7, count: int = 1, receiver: str = "", **more: Any) -> None:
        """Alice on chain a sends `count` transfers to bob on chain b, in one transaction."""
        to = receiver or self.b.address("bob")
        message = transfer_v2(self.a, "alice", self.path.a, "uatom", amount, to, **more)
        must(self.a.execute("alice", *[message] * count))

    def send(self, *payloads: Payload, seconds: int = 600) -> None:
        """Alice on chain a sends a packet with these payloads."""
        until = self.a.chain.tip().time_ns // NS_PER_S + seconds
        message = MsgSendPacket(self.path.a.client_id, until, payloads, self.a.address("alice"))
        raw = encode_msg(message)
        must(self.a.execute("alice", AnyMessage(MsgSendPacket.TYPE_URL, raw)))

    def coins(self, amount: int, encoding: str = JSON, receiver: str = "") -> Payload:
        """An ICS-20 payload from alice on chain a to bob on chain b."""
        to = receiver or self.b.address("bob")
        data = packet_data.make(native("uatom"), amount, self.a.address("alice"), to, "")
        raw = encodings.encode(data, encoding)
        return Payload(state.PORT_ID, state.PORT_ID, state.VERSION, encoding, raw)

    def register(self, party: Party, client_id: str, far_id: str, prefix: Sequence[bytes]) -> None:
        """The relayer registers a counterparty."""
        message = MsgRegisterCounterparty(client_id, tuple(prefix), far_id, party.endpoint.signer)
        raw = encode_msg(message)
        must(party.endpoint.submit([AnyMessage(MsgRegisterCounterparty.TYPE_URL, raw)]))

    def outstanding(self) -> list[tuple[str, int]]:
        """Packets that are neither acknowledged nor timed out: chain id and sequence."""
        chains = (way.near.chain for way in self.ways)
        return [(chain.chain_id, packet.sequence) for chain in chains for packet in outstanding(chain)]

    def broken_laws(self) -> list[str]:
        """Violated invariants of ICS-20, as text."""
        return broken_laws([channel_view(self.path, self.a.chain, self.b.chain)])

    def close(self) -> None:
        """Closes both chains."""
        self.chains.close()

    def _plugins(self) -> list[object]:
        self.mocks.append(ScriptedPluginV2([]))
        return [*plugins(Config(several_payloads=True)), self.mocks[-1]]


def scripted(data: bytes) -> Payload:
    """A payload for the scripted application."""
    return Payload(PORT_V2, PORT_V2, "v1", "text/plain", data)
