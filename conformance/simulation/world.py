"""The simulated network: three chains with users and exporters, two relayers that do not know each other."""

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from conformance.simulation.fetched import Fetcher
from conformance.simulation.machine import Machine
from conformance.simulation.network import Reach, SimulatedEndpoint, Weather
from conformance.simulation.nodes import RELAYERS, Heard, Node, Terms
from conformance.simulation.relayers import Relayer
from conformance.simulation.routes import Route, opened
from conformance.simulation.rpc import RpcReach
from ibc_core.host.block import CommittedBlock
from ibc_relayer.wallet import Wallet
from ibc_testing.clock import SECOND, START_NS
from ibc_testing.numbers import SHIFTED, Numbers
from localnet.endpoint import LocalEndpoint

TERMS = (
    Terms("sim-a-1", "cosmos", "stake", Numbers()),
    Terms("sim-b-7", "osmo", "uosmo", SHIFTED),
    Terms("sim-c-2", "juno", "ujuno", Numbers(client=11, connection=7, channel=30)),
)


Way = Callable[[Node, Wallet, Weather], Reach]
"""From a relayer to a chain."""


class Clocks:
    """The time of the world, and how wrong each chain's clock is."""

    def __init__(self, now_ns: int = START_NS) -> None:
        self.now_ns = now_ns
        self.wrong_ns = [0] * len(TERMS)

    def of(self, number: int) -> Callable[[], int]:
        """A chain's clock: a second passes whenever it makes a block."""

        def read() -> int:
            self.now_ns += SECOND
            return self.now_ns + self.wrong_ns[number]

        return read


class Past(NamedTuple):
    """What a world goes on from."""

    now_ns: int
    routes: tuple[Route, ...]
    heard: tuple[dict[int, CommittedBlock], ...]  # by chain: blocks by height


class World:
    """Everything there is."""

    def __init__(
        self,
        folder: Path,
        log: Path,
        past: Past | None,
        *,
        v2: bool = False,
        by_rpc: bool = False,
        fetches: bool = False,
    ) -> None:
        """Starts the nodes in `folder`.

        Args:
            folder: of all disks.
            log: what is written on them, a file outside of it.
            past: of that folder; None: new chains, and routes between them.
            v2: with new chains: which of two routes is IBC v2's.
            by_rpc: whether the last relayer reaches chains by what production has for a node's RPC.
            fetches: whether somebody runs `pyibc export` over the first chain's node.
        """
        self.clocks = Clocks(past.now_ns if past else START_NS)
        self.machine = Machine(folder, log)
        self.nodes = tuple(
            Node(terms, folder / terms.chain_id, self.clocks.of(number), self.machine)
            for number, terms in enumerate(TERMS)
        )
        for node, heard in zip(self.nodes, past.heard if past else (), strict=past is not None):
            node.heard.update({height: Heard(block, 0) for height, block in heard.items()})
        for node in self.nodes:
            node.start()
        self.meanwhile: Callable[[Random], None] = lambda _: None
        """What happens while a relayer's call is under way."""
        self.routes = past.routes if past else self._opened(v2=v2)
        self.fetcher = self._fetcher(folder) if fetches else None
        ways: tuple[Way, ...] = (SimulatedEndpoint, RpcReach if by_rpc else SimulatedEndpoint)
        self.relayers = [
            self._relayer(name, folder / name, way) for name, way in zip(RELAYERS, ways, strict=True)
        ]

    @property
    def past(self) -> Past:
        """What another world can go on from."""
        heard = ({height: each.block for height, each in node.heard.items()} for node in self.nodes)
        return Past(self.clocks.now_ns, self.routes, tuple(heard))

    def ends(self, route: Route) -> tuple[Node, Node]:
        """The nodes at both ends of a route."""
        a, b = route.nodes
        return self.nodes[a], self.nodes[b]

    def close(self) -> None:
        """Ends all processes."""
        for relayer in self.relayers:
            relayer.stop()
        for node in self.nodes:
            node.stop()
        self.machine.close()

    def _goes_on(self, choice: Random) -> None:
        self.meanwhile(choice)

    def _fetcher(self, folder: Path) -> Fetcher:
        node, stranger, _ = self.nodes
        return Fetcher(folder / "fetched", node, stranger, self._goes_on)

    def _relayer(self, name: str, folder: Path, way: Way) -> Relayer:
        weather = Weather(self._goes_on)
        ends = [way(node, node.terms.wallet(name), weather) for node in self.nodes]
        is_creator = name == RELAYERS[0]
        return Relayer(folder, self.routes, ends, weather, self.machine.now, is_creator=is_creator)

    def _opened(self, *, v2: bool) -> tuple[Route, ...]:
        chains: Sequence[LocalEndpoint] = [
            LocalEndpoint(each.chain, each.terms.wallet(RELAYERS[0])) for each in self.nodes
        ]
        return opened(chains, v2=v2)
