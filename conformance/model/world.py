"""Two connected real chains with their reference models, and the objects that a schedule chooses from."""

from conformance.model.messages_v2 import DatagramsV2
from conformance.model.twin import TRUSTING_S, Twin
from pyibc.relayer.clients.tendermint import ClientSettings, TendermintDriver
from pyibc.relayer.paths.open_connection import open_connection
from pyibc.relayer.paths.open_path import create_client
from pyibc.testing.pair import SECOND, ManualClock

DELAY_S = 50


class SkewedClock:
    """Another clock's time plus an offset."""

    def __init__(self, clock: ManualClock) -> None:
        self._clock = clock
        self.skew_ns = 0

    def __call__(self) -> int:
        """Return the time of the next block, unix nanoseconds."""
        return self._clock() + self.skew_ns


class World:
    """Two chains with clients of each other, a connection without delay and one with `DELAY_S`."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.fast_clock = SkewedClock(self.clock)
        self.twins = (Twin("alpha-1", self.clock, "ualpha"), Twin("beta-1", self.fast_clock, "ubeta"))
        a, b = (twin.side.relayer for twin in self.twins)
        driver = TendermintDriver(ClientSettings(2 * TRUSTING_S * SECOND, TRUSTING_S * SECOND))
        clients = create_client(a, b, driver), create_client(b, a, driver)
        delays = (0, DELAY_S * SECOND)
        names = [open_connection(clients, delay) for delay in delays]
        for side, twin in enumerate(self.twins):
            connections = {
                pair[side]: (pair[1 - side], delay) for pair, delay in zip(names, delays, strict=True)
            }
            twin.adopt(clients[side].client_id, connections)
        for twin, other in (self.twins, self.twins[::-1]):
            twin.model.other = other.model
            twin.datagrams = DatagramsV2(twin.model, other.side.chain)

    def learn(self, side: int) -> int:
        """Record a new header of the other chain; return the newest known height."""
        twin, other = self.twins[side], self.twins[1 - side]
        other.block()
        if not twin.is_free(0):
            twin.block()
        height = other.side.chain.height
        twin.tell(0, ("update", (height, max(twin.model.state.seen), False)))
        twin.block()
        return max(twin.model.state.seen)

    def open(self, port: str, ordered: bool, connection: str = "connection-0", version: str = "") -> None:
        """Open a channel by a complete handshake."""
        a, b = self.twins
        places = ((port, f"channel-{a.model.state.channels}"), (port, f"channel-{b.model.state.channels}"))
        self._step(0, "open_init", port, ordered, connection, version)
        asked = a.model.state.ends[places[0]].version
        far = a.model.connections[connection][0]
        self._step(1, "open_try", port, ordered, far, places[0], asked, self.learn(1))
        agreed = b.model.state.ends[places[1]].version
        self._step(0, "open_ack", places[0], places[1][1], agreed, self.learn(0))
        self._step(1, "open_confirm", places[1], self.learn(1))

    def _step(self, side: int, name: str, *arguments: object) -> None:
        self.twins[side].tell(0, (name, arguments))
        self.twins[side].block()

    def close(self) -> None:
        """Close both chains."""
        for twin in self.twins:
            twin.side.chain.close()
