"""Two chains with clients of each other that exchange IBC v2 packets."""

from collections.abc import Callable, Sequence
from math import inf
from typing import Any, NamedTuple

from conformance.kit.outcomes import must
from conformance.kit.schedules import outstanding
from conformance.kit.scripted_app_v2 import PORT_V2, ScriptedPluginV2
from conformance.kit.seconds import SECONDS
from ibc_module.plugin import Config
from localnet.endpoint import LocalEndpoint
from pyibc.apps.transfer import packet_data
from pyibc.apps.transfer.denom import native
from pyibc.codec.anys import AnyMessage
from pyibc.core.client_v2 import MsgRegisterCounterparty
from pyibc.core.coin import coin
from pyibc.core.packet_v2.messages import MsgSendPacket
from pyibc.core.packet_v2.types import JSON, NS_PER_S, Payload
from pyibc.core.wire.message import encode_msg
from pyibc.default_plugins import plugins
from pyibc.relayer.links.link import Link
from pyibc.relayer.links.options import Options
from pyibc.relayer.metrics import Metrics
from pyibc.relayer.paths.path import ClientEnd
from pyibc.testing.ledger import broken_laws, channel_view
from pyibc.testing.pair import Party, two_chains
from pyibc.testing.transfers import transfer_v2

FUNDS = (coin("stake", 10**12), coin("uatom", 1_000))
QUICK = Options(sleep=lambda _: None, clock=SECONDS, retry_wait_s=inf)


class Direction(NamedTuple):
    """One direction between two chains."""

    near: Party
    far: Party
    here: ClientEnd
    there: ClientEnd


class V2Chains:
    """Two in-memory chains with ICS-20 and a scripted application; the users are alice, bob and rival."""

    def __init__(self, apps: Callable[[], Sequence[object]] = tuple) -> None:
        """Create it; `apps` returns additional plugins of a chain."""
        self._apps = apps
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
        """Return endpoints of both chains with a user's account."""
        return LocalEndpoint(self.a.chain, self.a.users[user]), LocalEndpoint(
            self.b.chain, self.b.users[user]
        )

    def link(self, user: str = "relayer", **how: Any) -> Link:
        """Return a relayer that uses a user's account."""
        return Link([self.path], *self.as_user(user), **{"options": QUICK, **how})

    def relay(self, user: str = "relayer", **how: Any) -> Metrics:
        """Relay until idle, with a new relayer."""
        link = self.link(user, **how)
        try:
            return link.until_idle()
        finally:
            link.close()

    def transfer(self, amount: int = 7, count: int = 1, receiver: str = "", **more: Any) -> None:
        """Send `count` transfers from alice on chain a to bob on chain b, in one transaction."""
        to = receiver or self.b.address("bob")
        message = transfer_v2(self.a, "alice", self.path.a, "uatom", amount, to, **more)
        must(self.a.execute("alice", *[message] * count))

    def send(self, *payloads: Payload, seconds: int = 600) -> None:
        """Send a packet with these payloads from alice on chain a."""
        until = self.a.chain.tip().time_ns // NS_PER_S + seconds
        message = MsgSendPacket(self.path.a.client_id, until, payloads, self.a.address("alice"))
        raw = encode_msg(message)
        must(self.a.execute("alice", AnyMessage(MsgSendPacket.TYPE_URL, raw)))

    def coins(self, amount: int, encoding: str = JSON, receiver: str = "") -> Payload:
        """Return an ICS-20 payload from alice on chain a to bob on chain b."""
        to = receiver or self.b.address("bob")
        data = packet_data.make(native("uatom"), amount, self.a.address("alice"), to, "")
        raw = packet_data.encode_payload(data, encoding)
        return Payload(packet_data.PORT_ID, packet_data.PORT_ID, packet_data.VERSION, encoding, raw)

    def register(self, party: Party, client_id: str, far_id: str, prefix: Sequence[bytes]) -> None:
        """Register a counterparty from the relayer's account."""
        message = MsgRegisterCounterparty(client_id, tuple(prefix), far_id, party.endpoint.signer)
        raw = encode_msg(message)
        must(party.endpoint.submit([AnyMessage(MsgRegisterCounterparty.TYPE_URL, raw)]))

    def outstanding(self) -> list[tuple[str, int]]:
        """Return chain id and sequence of packets that are neither acknowledged nor timed out."""
        chains = (way.near.chain for way in self.ways)
        return [(chain.chain_id, packet.sequence) for chain in chains for packet in outstanding(chain)]

    def broken_laws(self) -> list[str]:
        """Return violated invariants of ICS-20, as text."""
        return broken_laws([channel_view(self.path, self.a.chain, self.b.chain)])

    def close(self) -> None:
        """Close both chains."""
        self.chains.close()

    def _plugins(self) -> list[object]:
        self.mocks.append(ScriptedPluginV2([]))
        return [*plugins(Config(several_payloads=True)), self.mocks[-1], *self._apps()]


def scripted(data: bytes) -> Payload:
    """Return a payload for the scripted application."""
    return Payload(PORT_V2, PORT_V2, "v1", "text/plain", data)
