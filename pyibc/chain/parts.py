"""The parts of the finished host, each a plugin that a chain may replace or leave out."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ibc_module import hookimpl
from ibc_module.plugin import Config
from pyibc.chain.queries.node_queries import METHODS
from pyibc.chain.queries.store_query import PROOFS, ProofQueries
from pyibc.chain.queries.tx_service import SIMULATIONS, Run
from pyibc.chain.tx.steps import AnteHost, AnteStep, FeesStep, LimitsStep, SignaturesStep
from pyibc.core.host.context import QueryRoute, ReadContext
from pyibc.core.setup_error import WiringError, name_of
from pyibc.default_plugins import plugins
from pyibc.isolation.isolate import builtin
from pyibc.queues.coins import QueueCoinsPlugin
from pyibc.queues.packet import QueueConfig
from pyibc.queues.plugin import QueuePlugin

if TYPE_CHECKING:
    from pyibc.chain.app import HostApp


def protocol(config: Config, *, queues: bool) -> list[object]:
    """Return the plugins of IBC and ICS-20, and optionally of the queue protocol."""
    return plugins_with_queues(config) if queues else plugins(config)


# -- plugins with the queue protocol, as used by local chains


def plugins_with_queues(config: Config) -> list[object]:
    """Return the plugins of IBC, ICS-20, queues with open registration, and coins over queues."""
    return [*plugins(config), QueuePlugin(QueueConfig(open_registration=True)), QueueCoinsPlugin()]


_Steps = Mapping[str, Callable[[AnteHost], AnteStep]]
_NodeQueries = Mapping[str, Callable[["HostApp"], QueryRoute]]


@builtin
class LimitsPlugin:
    """Limits, timeouts and gas of transactions."""

    @hookimpl
    def chain_ante(self) -> _Steps:
        """Check them."""
        return {"limits": LimitsStep}


@builtin
class FeesPlugin:
    """Fees, paid to the module account `fee_collector`."""

    @hookimpl
    def chain_ante(self) -> _Steps:
        """Deduct them."""
        return {"fees": FeesStep}


@builtin
class SignaturesPlugin:
    """Signatures with secp256k1 keys, in protobuf or legacy amino JSON, and account sequences."""

    @hookimpl
    def chain_ante(self) -> _Steps:
        """Verify them."""
        return {"signatures": SignaturesStep}


@builtin
class NodeQueriesPlugin:
    """The queries of relayers and wallets about the node: versions, gas price, block limits, unbonding."""

    @hookimpl
    def chain_node_queries(self) -> _NodeQueries:
        """Answer them."""
        return {path: partial(_node_query, path) for path in METHODS}


@builtin
class ProofQueriesPlugin:
    """Several entries with their proofs in one query."""

    @hookimpl
    def chain_node_queries(self) -> _NodeQueries:
        """Answer it."""
        return {PROOFS: lambda app: ProofQueries(app.store).routes()[PROOFS]}


@builtin
class SimulationPlugin:
    """Simulation of transactions, by which wallets and relayers estimate gas."""

    @hookimpl
    def chain_node_queries(self) -> _NodeQueries:
        """Simulate."""
        return {path: partial(_simulation, method) for path, method in SIMULATIONS.items()}


def _node_query(path: str, app: "HostApp") -> QueryRoute:
    return app.node_queries.routes()[path]


def _simulation(method: Callable[[Run, bytes], bytes], app: "HostApp") -> QueryRoute:
    def answer(_ctx: ReadContext, request: bytes) -> bytes:
        return method(app.simulate, request)

    return answer


# -- the choice of parts

STANDARD: Mapping[str, Callable[[], object]] = {
    "limits": LimitsPlugin,
    "fees": FeesPlugin,
    "signatures": SignaturesPlugin,
    "node_queries": NodeQueriesPlugin,
    "proof_queries": ProofQueriesPlugin,
    "simulation": SimulationPlugin,
}
"""The parts by name, in their order."""

_REQUIRED = frozenset({"limits", "signatures"})


class LeaveOut:
    """Leaves out parts of the host: list `LeaveOut("fees")` among the plugins of a chain."""

    def __init__(self, *replaces: str) -> None:
        """Name the parts.

        Raises:
            WiringError: a part protects the chain, and can only be replaced.
        """
        for name in sorted(_REQUIRED.intersection(replaces)):
            raise WiringError(f"the part {name!a} protects the chain and cannot be left out: replace it")
        self.replaces = replaces


def with_parts(plugins: Sequence[object]) -> list[object]:
    """Return the host's parts and the plugins; a plugin stands in the place of a part that it replaces.

    A plugin names such parts in its attribute `replaces`.

    Raises:
        WiringError: there is no such part, or two plugins replace it.
    """
    replacing: dict[str, object] = {}
    for plugin in plugins:
        for name in getattr(plugin, "replaces", ()):
            if name not in STANDARD:
                raise WiringError(f"{name_of(plugin)} replaces {name!a}: the parts are {', '.join(STANDARD)}")
            if name in replacing:
                raise WiringError(f"{name_of(plugin)} and {name_of(replacing[name])} replace {name!a}")
            replacing[name] = plugin
    placed = [replacing[name] if name in replacing else make() for name, make in STANDARD.items()]
    found: list[object] = []
    for plugin in [*placed, *plugins]:
        if not any(plugin is other for other in found):  # it may replace several parts
            found.append(plugin)
    return found
