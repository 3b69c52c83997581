"""The simulated network: two chains with users and exporters, two relayers that do not know each other."""

from collections.abc import Callable
from pathlib import Path
from random import Random

from conformance.simulation.network import SimulatedEndpoint, Weather
from conformance.simulation.nodes import RELAYERS, Node, Terms
from ibc_core.channel.types import Order
from ibc_core.errors import IbcError
from ibc_relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer
from ibc_relayer.link import Link, Options
from ibc_relayer.open_clients import make_client_path
from ibc_relayer.open_path import make_path
from ibc_relayer.path import SIDES, AnyPath, Side
from ibc_testing.clock import SECOND, START_NS
from ibc_testing.faults import Crashed
from ibc_testing.numbers import SHIFTED, Numbers
from localnet.endpoint import LocalEndpoint

TERMS = (
    Terms("sim-a-1", "cosmos", "stake", Numbers()),
    Terms("sim-b-7", "osmo", "uosmo", SHIFTED),
)
OPTIONS = Options(sleep=lambda _: None)


class Clocks:
    """The time of the world, and how wrong each chain's clock is."""

    def __init__(self, now_ns: int = START_NS) -> None:
        self.now_ns = now_ns
        self.wrong_ns = [0, 0]

    def of(self, side: Side) -> Callable[[], int]:
        """A chain's clock: a second passes whenever it makes a block."""

        def read() -> int:
            self.now_ns += SECOND
            return self.now_ns + self.wrong_ns[side]

        return read


class Relayer:
    """A relayer's process: its journal outlives it."""

    def __init__(self, name: str, folder: Path, nodes: tuple[Node, Node], weather: Weather) -> None:
        self.weather = weather
        self.ended: list[str] = []  # why its processes ended
        self._journal = folder / f"{name}.db"
        self._a, self._b = (SimulatedEndpoint(each, each.terms.wallet(name), weather) for each in nodes)
        self._link: Link | None = None
        self.is_busy = False
        """Whether a round is under way."""

    @property
    def pending(self) -> int | None:
        """Packets that it knows to be pending; None where it does not run."""
        return None if self._link is None else self._link.pending

    def round(self, path: AnyPath) -> bool:
        """One round, of a new process if there is none; whether there may be more to do.

        What `pyibc relay` does not go on after ends the process.
        """
        self.is_busy = True
        try:
            if self._link is None:
                self._link = Link([path], self._a, self._b, journal=self._journal, options=OPTIONS)
            return self._link.round()
        except (EndpointUnavailable, EndpointRefused, MalformedAnswer):
            return True
        except (Crashed, IbcError) as error:
            self.ended.append(f"{type(error).__name__}: {error}")
            self.stop()
            return True
        finally:
            self.is_busy = False

    def lose_journal(self) -> None:
        """The process ends, and its disk is gone."""
        self.stop()
        for file in self._journal.parent.glob(f"{self._journal.name}*"):
            file.unlink()

    def stop(self) -> None:
        """The process ends; what it had not saved is lost."""
        if self._link is not None:
            self._link.close()
        self._link = None


class World:
    """Everything there is."""

    def __init__(self, folder: Path, clocks: Clocks, path: AnyPath | None, *, v2: bool = False) -> None:
        """Starts the nodes in `folder`; without a path, opens one: a channel, or a pair of clients."""
        self.clocks = clocks
        self.nodes = self._nodes(folder)
        for node in self.nodes:
            node.start()
        self.relayers = [Relayer(name, folder, self.nodes, Weather(self._goes_on)) for name in RELAYERS]
        self.meanwhile: Callable[[Random], None] = lambda _: None
        """What happens while a relayer's call is under way."""
        self.path = path or self._opened(v2=v2)

    def _goes_on(self, choice: Random) -> None:
        self.meanwhile(choice)

    def _nodes(self, folder: Path) -> tuple[Node, Node]:
        a, b = (Node(TERMS[s], folder / TERMS[s].chain_id, self.clocks.of(s), START_NS) for s in SIDES)
        return a, b

    def _opened(self, *, v2: bool) -> AnyPath:
        a, b = (LocalEndpoint(each.chain, each.terms.wallet(RELAYERS[0])) for each in self.nodes)
        return make_client_path(a, b) if v2 else make_path(a, b, "transfer", Order.UNORDERED, "ics20-1")

    def close(self) -> None:
        """Ends all processes."""
        for relayer in self.relayers:
            relayer.stop()
        for node in self.nodes:
            node.stop()
