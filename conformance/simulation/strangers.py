"""What strangers open beside a route: clients of other terms, channels and pairs that stand on them."""

from contextlib import closing
from pathlib import Path as File
from random import Random

from conformance.simulation.network import SimulatedEndpoint, Weather
from conformance.simulation.nodes import USERS
from conformance.simulation.routes import Route
from conformance.simulation.world import World
from ibc_core.any_message import AnyMessage
from ibc_core.client_v2.register_counterparty import MsgRegisterCounterparty
from ibc_core.errors import IbcError
from ibc_core.wire.message import pack_msg
from ibc_relayer.driver import ClientDriver, InitialStates
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.foreign_client import ForeignClient
from ibc_relayer.handshake import Clients
from ibc_relayer.ledger import Ledger
from ibc_relayer.open_channel import ChannelParams
from ibc_relayer.open_connection import open_connection
from ibc_relayer.open_path import create_client, make_channel
from ibc_relayer.path import SIDES, ClientPath, Path, Side, other
from ibc_relayer.submission import send
from ibc_relayer.tendermint import DAY, SECOND, TENDERMINT_DRIVER, ClientSettings, TendermintDriver
from light_client.tendermint import state_codec as codec

YEAR = 365 * DAY
DELAYS_NS = (0, 5 * SECOND, 20 * SECOND)
"""Of strangers' connections."""


class ForgedPast(TendermintDriver):
    """Creates clients with our terms whose first consensus state is forged."""

    def initial_states(self, reference: ChainEndpoint) -> InitialStates:
        """States with another app hash: the creator can prove anything at that height."""
        states = super().initial_states(reference)
        true = codec.decode_consensus_state(states.consensus_state.value)
        forged = true._replace(root=bytes(len(true.root)))
        packed = AnyMessage(codec.CONSENSUS_STATE_TYPE_URL, codec.encode_consensus_state(forged))
        return states._replace(consensus_state=packed)


STRANGE: tuple[ClientDriver, ...] = (
    TendermintDriver(ClientSettings(unbonding_ns=100 * YEAR)),  # validators of long ago are believed
    TendermintDriver(ClientSettings(max_clock_drift_ns=10 * YEAR)),  # and headers of the future
    TendermintDriver(ClientSettings(trust_level=(2, 3))),
    ForgedPast(),
)


class Stranger:
    """A user who opens something between the two chains of a route."""

    def __init__(self, world: World, route: Route, choice: Random) -> None:
        self._route = route
        self._choice = choice
        self._nodes = world.ends(route)
        self._user = choice.choice(USERS)

    def opens(self) -> None:
        """Opens a channel or a pair of clients, as the route is; a fault leaves it half open."""
        path = self._route.path
        with closing(Ledger(File(":memory:"))) as ledger:
            self._chains = tuple(self._reached(side, ledger) for side in SIDES)
            try:
                if isinstance(path, ClientPath):
                    self._pair(path)
                elif isinstance(path, Path):
                    self._channel(path)
            except IbcError:  # a node is down, or has pruned the state to be proven
                return

    def _reached(self, side: Side, ledger: Ledger) -> ChainEndpoint:
        node = self._nodes[side]
        return SimulatedEndpoint(node, node.terms.wallet(self._user), Weather(lambda _: None)).begin(ledger)

    def _channel(self, path: Path) -> None:
        """Opens a channel over new clients with other terms, or over the clients of the route's channel."""
        if self._choice.random() < 0.5:
            clients = self._strange()
        else:
            clients = self._client(0, path.a.client_id), self._client(1, path.b.client_id)
        connection = open_connection(clients, self._choice.choice(DELAYS_NS), new=True)
        ports = path.a.port_id, path.b.port_id
        make_channel(clients, ChannelParams(ports, connection, path.order, path.version), new=True)

    def _pair(self, path: ClientPath) -> None:
        """Registers new clients with other terms, or one that names a client of the route."""
        if self._choice.random() < 0.5:
            clients = self._strange()
            for side in SIDES:
                self._register(clients[side], clients[other(side)].client_id)
        else:
            side = self._choice.choice(SIDES)
            self._register(self._created(side, TENDERMINT_DRIVER), path.end(other(side)).client_id)

    def _strange(self) -> Clients:
        """Creates a client on each chain, at least one of them with terms that we would not give it."""
        drivers = [self._choice.choice(STRANGE), self._choice.choice((TENDERMINT_DRIVER, *STRANGE))]
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
