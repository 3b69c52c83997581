"""A chain's state in dictionaries, written by the keepers, and its query routes."""

import os
from pathlib import Path

import pytest

from ibc_module import queries
from keepers.channel import ChannelKeeper, PacketKeeper
from keepers.client import ClientKeeper, ClientKeeperV2
from keepers.connection import ConnectionKeeper
from keepers.keepers import Keepers, KeepersV2
from keepers.packet_v2 import PacketKeeperV2
from keepers.port import PortKeeper
from keepers.upgrade import UpgradeKeeper
from light_client.interface import LightClient
from light_client.registry import Registry
from pyibc.apps.transfer import queries as transfer_queries
from pyibc.codec.anys import AnyMessage, encode_any
from pyibc.core import paths
from pyibc.core.address import AddressCodec
from pyibc.core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from pyibc.core.client.types import Status
from pyibc.core.connection.types import (
    COMPATIBLE_VERSIONS,
    ConnectionCounterparty,
    ConnectionEnd,
    ConnectionState,
)
from pyibc.core.errors import ConsensusStateNotFound, InvalidProof
from pyibc.core.height import Height
from pyibc.core.host.overlay import BlockContext
from pyibc.core.packet.types import Packet
from pyibc.core.packet_v2.types import PacketV2, Payload

TYPE = "99-dictionary"
CLIENT = "99-dictionary-0"
CONNECTION = "connection-0"


class DictStore:
    """A committed store in a dictionary."""

    def __init__(self, entries=()):
        self.entries = dict(entries)

    def get(self, key):
        return self.entries.get(key)

    def iterate(self, start, end):
        for key in sorted(self.entries):
            if start <= key and (end is None or key < end):
                yield key, self.entries[key]


class DictionaryClient(LightClient):
    """A light client whose states are texts, Active while it has a state; proves what it is told to."""

    client_type = TYPE

    def __init__(self):
        self.asked = []

    def status(self, ctx, client_id):
        return Status.ACTIVE if ctx.ibc.has(paths.client_state_path(client_id)) else Status.UNKNOWN

    def latest_height(self, ctx, client_id):
        return Height(1, 10) if self.status(ctx, client_id) is Status.ACTIVE else Height(0, 0)

    def timestamp_at_height(self, ctx, client_id, height):
        raise ConsensusStateNotFound(client_id, str(height))

    def verify_membership(self, ctx, client_id, claim):
        self.asked.append((client_id, claim))
        if claim.proof != b"good":
            raise InvalidProof("bad")

    def verify_non_membership(self, ctx, client_id, claim):
        raise InvalidProof("bad")


class Chain:
    """State, keepers and routes."""

    def __init__(self, chain_id="py-1", height=77):
        self.light_client = DictionaryClient()
        clients = ClientKeeper(Registry([self.light_client]))
        self.keepers = Keepers(
            clients,
            ConnectionKeeper(clients),
            ChannelKeeper(),
            PacketKeeper(),
            PortKeeper({}),
            UpgradeKeeper(),
            AddressCodec("cosmos"),
            "",
            KeepersV2(ClientKeeperV2(AddressCodec("cosmos")), PacketKeeperV2(), PortKeeper({}), False),
        )
        self.stores = {"ibc": DictStore(), "transfer": DictStore(), "upgrade": DictStore()}
        self.ctx = BlockContext(chain_id, height, 10**18, self.stores)
        self.keepers.clients.set_allowed_clients(self.ctx, ("*",))
        self.keepers.connections.set_max_expected_time_per_block(self.ctx, 30_000_000_000)
        self.routes = {
            **queries.routes(self.keepers),
            **transfer_queries.routes(self.keepers.addresses),
        }

    def add_client(self, client_id=CLIENT, heights=((1, 10),)):
        ibc = self.ctx.ibc
        ibc.set(paths.client_state_path(client_id), encode_any(AnyMessage("/x.State", client_id.encode())))
        for numbers in heights:
            height = Height(*numbers)
            state = encode_any(AnyMessage("/x.Consensus", str(height).encode()))
            ibc.set(paths.consensus_state_path(client_id, height), state)
            ibc.set(paths.processed_time_path(client_id, height), bytes(8))
            ibc.set(paths.processed_height_path(client_id, height), b"1-5")
            ibc.set(paths.iteration_path(client_id, height), paths.consensus_state_suffix(height))

    def add_connection(self, connection_id=CONNECTION, client_id=CLIENT):
        other = ConnectionCounterparty("07-tendermint-4", "connection-9", b"ibc")
        end = ConnectionEnd(client_id, COMPATIBLE_VERSIONS, ConnectionState.OPEN, other, 0)
        self.keepers.connections.set(self.ctx, connection_id, end)
        self.keepers.connections.add_to_client(self.ctx, client_id, connection_id)

    def add_channel(self, channel_id="channel-0", port_id="transfer", order=Order.UNORDERED, hop=CONNECTION):
        other = ChannelCounterparty("transfer", "channel-8")
        end = ChannelEnd(ChannelState.OPEN, order, other, (hop,), "ics20-1")
        self.keepers.channels.set(self.ctx, port_id, channel_id, end)
        self.keepers.channels.start_sequences(self.ctx, port_id, channel_id)

    def packet(self, sequence, channel_id="channel-0"):
        """From and to the same channel name, so that it serves chain A's queries and chain B's."""
        return Packet(
            sequence, "transfer", channel_id, "transfer", channel_id, b"%d" % sequence, Height(1, 9), 0
        )

    def commit(self, *sequences, channel_id="channel-0"):
        for n in sequences:
            self.keepers.packets.commit(self.ctx, self.packet(n, channel_id))

    def receive(self, *sequences, channel_id="channel-0"):
        for n in sequences:
            self.keepers.packets.set_receipt(self.ctx, self.packet(n, channel_id))

    def acknowledge(self, *sequences, channel_id="channel-0"):
        for n in sequences:
            self.keepers.packets.set_acknowledgement(self.ctx, self.packet(n, channel_id), b"ack %d" % n)

    def packet_v2(self, sequence, client_id=CLIENT):
        """From and to the same client name, so that it serves chain A's queries and chain B's."""
        payload = Payload("transfer", "transfer", "ics20-1", "application/json", b"%d" % sequence)
        return PacketV2(sequence, client_id, client_id, 2 * 10**9, (payload,))

    def commit_v2(self, *sequences, client_id=CLIENT):
        for n in sequences:
            self.keepers.v2.packets.commit(self.ctx, self.packet_v2(n, client_id))

    def receive_v2(self, *sequences, client_id=CLIENT):
        for n in sequences:
            self.keepers.v2.packets.set_receipt(self.ctx, self.packet_v2(n, client_id))

    def acknowledge_v2(self, *sequences, client_id=CLIENT):
        for n in sequences:
            self.keepers.v2.packets.set_acknowledgement(
                self.ctx, self.packet_v2(n, client_id), (b"ack %d" % n,)
            )

    def ask(self, path, request, answer_class):
        """The answer of one query; checks that nothing was written."""
        before = {name: self.ctx.writes(name) for name in self.stores}
        answer = answer_class.FromString(self.routes[path](self.ctx, request.SerializeToString()))
        assert before == {name: self.ctx.writes(name) for name in self.stores}
        return answer


@pytest.fixture(scope="session")
def make_chain():
    """The class, for tests that need a fresh chain an example."""
    return Chain


@pytest.fixture
def chain():
    """A chain with a client, a connection, an unordered and an ordered channel."""
    made = Chain()
    made.add_client()
    made.add_connection()
    made.add_channel("channel-0")
    made.add_channel("channel-1", order=Order.ORDERED)
    return made


@pytest.fixture
def call(chain):
    """`call(pb, service, method, **fields)` asks one query and gives its answer."""

    def ask(pb, service, method, **fields):
        request = getattr(pb, f"Query{method}Request")(**fields)
        return chain.ask(f"/{service}.Query/{method}", request, getattr(pb, f"Query{method}Response"))

    return ask


@pytest.fixture(scope="session")
def live_dump():
    """Folder of calls recorded between Hermes and two ibc-go chains; not part of the repository."""
    place = os.environ.get("IBC_LIVE_DIR")
    root = Path(place) if place else Path(__file__).resolve().parents[5] / "shared" / "live"
    if not (root / "dump" / "grpc.json.gz").is_file():
        pytest.skip(f"no recorded calls at {root}: set IBC_LIVE_DIR")
    return root / "dump"
