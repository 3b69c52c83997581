"""Clients, channels and client pairs that other users open between the chains of a route."""

from contextlib import closing
from pathlib import Path as File
from random import Random

from conformance.simulation.network import CallFaults, SimulatedEndpoint
from conformance.simulation.nodes import USERS
from conformance.simulation.routes import Route
from conformance.simulation.world import World
from light_client.tendermint import states as codec
from pyibc.codec.anys import AnyMessage
from pyibc.core.client_v2 import MsgRegisterCounterparty
from pyibc.core.errors import IbcError
from pyibc.core.wire.message import pack_msg
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.clients.driver import ClientDriver, InitialStates
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.clients.tendermint import DAY, SECOND, TENDERMINT_DRIVER, ClientSettings, TendermintDriver
from pyibc.relayer.links.outcomes import send
from pyibc.relayer.money.ledger import Ledger
from pyibc.relayer.paths.handshake import Clients
from pyibc.relayer.paths.open_channel import ChannelParams
from pyibc.relayer.paths.open_connection import open_connection
from pyibc.relayer.paths.open_path import create_client, make_channel
from pyibc.relayer.paths.path import SIDES, ClientPath, Path, Side, other

YEAR = 365 * DAY
DELAYS_NS = (0, 5 * SECOND, 20 * SECOND)
"""Delay periods of other users' connections, nanoseconds."""


class ForgedStateDriver(TendermintDriver):
    """Creates clients with our parameters whose first consensus state is forged."""

    def initial_states(self, reference: ChainEndpoint) -> InitialStates:
        """Return states with another app hash, with which the creator can prove anything at that height."""
        states = super().initial_states(reference)
        true = codec.decode_consensus_state(states.consensus_state.value)
        forged = true._replace(root=bytes(len(true.root)))
        packed = AnyMessage(codec.CONSENSUS_STATE_TYPE_URL, codec.encode_consensus_state(forged))
        return states._replace(consensus_state=packed)


UNUSUAL: tuple[ClientDriver, ...] = (
    TendermintDriver(ClientSettings(unbonding_ns=100 * YEAR)),  # accepts very old validators
    TendermintDriver(ClientSettings(max_clock_drift_ns=10 * YEAR)),  # accepts headers of the future
    TendermintDriver(ClientSettings(trust_level=(2, 3))),
    ForgedStateDriver(),
)


class ThirdParty:
    """A user who opens a channel or a client pair between the two chains of a route."""

    def __init__(self, world: World, route: Route, choice: Random) -> None:
        self._route = route
        self._choice = choice
        self._nodes = world.ends(route)
        self._user = choice.choice(USERS)

    def opens(self) -> None:
        """Open a channel or a pair of clients, like the route; a fault leaves it half open."""
        path = self._route.path
        with closing(Ledger(File(":memory:"))) as ledger:
            self._chains = tuple(self._reached(side, ledger) for side in SIDES)
            try:
                if isinstance(path, ClientPath):
                    self._pair(path)
                elif isinstance(path, Path):
                    self._channel(path)
            except IbcError:  # a node is down, or pruned the state to be proven
                return

    def _reached(self, side: Side, ledger: Ledger) -> ChainEndpoint:
        node = self._nodes[side]
        return SimulatedEndpoint(node, node.identity.wallet(self._user), CallFaults(lambda _: None)).begin(
            ledger
        )

    def _channel(self, path: Path) -> None:
        """Open a channel over new clients with other parameters, or over those of the route's channel."""
        if self._choice.random() < 0.5:
            clients = self._unusual_clients()
        else:
            clients = self._client(0, path.a.client_id), self._client(1, path.b.client_id)
        connection = open_connection(clients, self._choice.choice(DELAYS_NS), new=True)
        ports = path.a.port_id, path.b.port_id
        make_channel(clients, ChannelParams(ports, connection, path.order, path.version), new=True)

    def _pair(self, path: ClientPath) -> None:
        """Register new clients with other parameters, or one that names a client of the route."""
        if self._choice.random() < 0.5:
            clients = self._unusual_clients()
            for side in SIDES:
                self._register(clients[side], clients[other(side)].client_id)
        else:
            side = self._choice.choice(SIDES)
            self._register(self._created(side, TENDERMINT_DRIVER), path.end(other(side)).client_id)

    def _unusual_clients(self) -> Clients:
        """Create a client on each chain, at least one of them with unusual parameters."""
        drivers = [self._choice.choice(UNUSUAL), self._choice.choice((TENDERMINT_DRIVER, *UNUSUAL))]
        self._choice.shuffle(drivers)
        return self._created(0, drivers[0]), self._created(1, drivers[1])

    def _created(self, side: Side, driver: ClientDriver) -> ForeignClient:
        return create_client(self._chains[side], self._chains[other(side)], driver)

    def _client(self, side: Side, client_id: str) -> ForeignClient:
        return ForeignClient(self._chains[side], self._chains[other(side)], client_id)

    def _register(self, client: ForeignClient, far_id: str) -> None:
        prefix = client.convention.merkle_prefix
        message = MsgRegisterCounterparty(client.client_id, prefix, far_id, client.host.signer)
        send(client.host, [pack_msg(message)])
