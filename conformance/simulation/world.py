"""The simulated network: three chains with users and exporters, and two independent relayers."""

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from conformance.simulation.export_runs import ExportRuns
from conformance.simulation.machine import Machine
from conformance.simulation.network import CallFaults, Connection, SimulatedEndpoint
from conformance.simulation.nodes import RELAYERS, ChainIdentity, Node, ObservedBlock
from conformance.simulation.relayers import Relayer
from conformance.simulation.routes import Route, opened
from conformance.simulation.rpc import RpcConnection
from localnet.endpoint import LocalEndpoint
from pyibc.core.host.block import CommittedBlock
from pyibc.relayer.money.wallet import Wallet
from pyibc.testing.pair import SECOND, SHIFTED, START_NS, Numbers

IDENTITIES = (
    ChainIdentity("sim-a-1", "cosmos", "stake", Numbers()),
    ChainIdentity("sim-b-7", "osmo", "uosmo", SHIFTED),
    ChainIdentity("sim-c-2", "juno", "ujuno", Numbers(client=11, connection=7, channel=30)),
)


Way = Callable[[Node, Wallet, CallFaults], Connection]
"""Connection of a relayer to a chain."""


class Clocks:
    """Common time, and the deviation of each chain's clock."""

    def __init__(self, now_ns: int = START_NS) -> None:
        self.now_ns = now_ns
        self.wrong_ns = [0] * len(IDENTITIES)

    def of(self, number: int) -> Callable[[], int]:
        """Return a chain's clock, which advances a second per block."""

        def read() -> int:
            self.now_ns += SECOND
            return self.now_ns + self.wrong_ns[number]

        return read


class Past(NamedTuple):
    """State that a new world continues from."""

    now_ns: int
    routes: tuple[Route, ...]
    observed: tuple[dict[int, CommittedBlock], ...]  # blocks by height, per chain


class World:
    """All chains, relayers and exporters of a simulation."""

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
        """Start the nodes in `folder`.

        Args:
            folder: Folder of all disks.
            log: File for the recording of their writes, outside of the folder.
            past: State of that folder; None: new chains, and routes between them.
            v2: For new chains, selects which of two routes uses IBC v2.
            by_rpc: Whether the last relayer uses the production RPC client.
            fetches: Whether `pyibc export` runs over the first chain's node.
        """
        self.clocks = Clocks(past.now_ns if past else START_NS)
        self.machine = Machine(folder, log)
        self.nodes = tuple(
            Node(identity, folder / identity.chain_id, self.clocks.of(number), self.machine)
            for number, identity in enumerate(IDENTITIES)
        )
        for node, observed in zip(self.nodes, past.observed if past else (), strict=past is not None):
            node.observed.update({height: ObservedBlock(block, 0) for height, block in observed.items()})
        for node in self.nodes:
            node.start()
        self.meanwhile: Callable[[Random], None] = lambda _: None
        """Called during a relayer's call, to let others act."""
        self.routes = past.routes if past else self._opened(v2=v2)
        self.export_runs = self._fetcher(folder) if fetches else None
        ways: tuple[Way, ...] = (SimulatedEndpoint, RpcConnection if by_rpc else SimulatedEndpoint)
        self.relayers = [
            self._relayer(name, folder / name, way) for name, way in zip(RELAYERS, ways, strict=True)
        ]

    @property
    def past(self) -> Past:
        """Return the state for another world to continue from."""
        observed = ({height: each.block for height, each in node.observed.items()} for node in self.nodes)
        return Past(self.clocks.now_ns, self.routes, tuple(observed))

    def ends(self, route: Route) -> tuple[Node, Node]:
        """Return the nodes at both ends of a route."""
        a, b = route.nodes
        return self.nodes[a], self.nodes[b]

    def close(self) -> None:
        """End all processes."""
        for relayer in self.relayers:
            relayer.stop()
        for node in self.nodes:
            node.stop()
        self.machine.close()

    def _goes_on(self, choice: Random) -> None:
        self.meanwhile(choice)

    def _fetcher(self, folder: Path) -> ExportRuns:
        node, stranger, _ = self.nodes
        return ExportRuns(folder / "fetched", node, stranger, self._goes_on)

    def _relayer(self, name: str, folder: Path, way: Way) -> Relayer:
        call_faults = CallFaults(self._goes_on)
        ends = [way(node, node.identity.wallet(name), call_faults) for node in self.nodes]
        is_creator = name == RELAYERS[0]
        return Relayer(folder, self.routes, ends, call_faults, self.machine.now, is_creator=is_creator)

    def _opened(self, *, v2: bool) -> tuple[Route, ...]:
        chains: Sequence[LocalEndpoint] = [
            LocalEndpoint(each.chain, each.identity.wallet(RELAYERS[0])) for each in self.nodes
        ]
        return opened(chains, v2=v2)
