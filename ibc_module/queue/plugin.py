"""The queue protocol as a plugin: off unless a host lists it. Its state is a store of its own, `queue`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from handlers.queue.dispatch import routes
from handlers.queue.sender import TypeSender, Wiring
from ibc_core.genesis.entries import export_entries, restore_entries
from ibc_core.height import ZERO_HEIGHT
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.host.routes import MessageRoute, QueryRoute
from ibc_core.queue.application import QueueServices, bind_queue_app
from ibc_core.queue.packet import QueueConfig, check_packet
from ibc_core.queue.types import STORE_NAME
from ibc_module import hookimpl
from ibc_module.at_wiring import AtWiring
from ibc_module.pipeline import Pipeline
from ibc_module.queries import queue as queue_queries
from keepers.keepers import Keepers
from keepers.queue.keeper import QueueKeeper
from keepers.queue.keepers import QueueKeepers
from keepers.queue.registration import RegistrationKeeper

ENTRY = "queue"
"""The module's name in a host's genesis."""


class QueuePlugin:
    """Provable queues between this chain and others, over the light clients of the IBC plugin.

    Args:
        ibc: Tells the IBC plugin's keepers once it is wired; that plugin stands before this one.
        config: What the host settles.
    """

    keepers = AtWiring[QueueKeepers]()
    """The chain's keepers."""

    def __init__(self, ibc: Callable[[], Keepers], config: QueueConfig | None = None) -> None:
        self._ibc = ibc
        self.config = config or QueueConfig()

    @hookimpl
    def chain_wired(self, pipeline: Pipeline) -> None:
        """Makes the applications that the other plugins register, each with a sender of its type."""
        ibc, wiring = self._ibc(), Wiring()
        bank = pipeline.bank()
        apps = {}
        for packet_type, make in pipeline.queue_apps().items():
            check_packet(packet_type, b"", ZERO_HEIGHT, 0)
            sender = TypeSender(wiring, packet_type)
            services = QueueServices(sender, bank, ibc.addresses, ibc.authority)
            apps[packet_type] = bind_queue_app(make(services), packet_type)
        self.keepers = QueueKeepers(
            QueueKeeper(),
            RegistrationKeeper(),
            ibc.clients,
            apps,
            ibc.addresses,
            ibc.authority,
            self.config,
        )
        wiring.bind(self.keepers)

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """`queue`: counterparties prove against it."""
        return (STORE_NAME,)

    @hookimpl
    def chain_messages(self) -> Mapping[str, MessageRoute]:
        """Register, send, receive, handle receipt, timeout, advance."""
        return routes(self.keepers)

    @hookimpl
    def chain_queries(self) -> Mapping[str, QueryRoute]:
        """Registrations, queues, elements."""
        return queue_queries.routes(self.keepers.queues)

    @hookimpl
    def chain_init_genesis(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """Restores what was exported; a new chain has no queues.

        Raises:
            InvalidGenesis: the entry is malformed; the message names key and value.
        """
        restore_entries(ctx.store(STORE_NAME), genesis, ENTRY)

    @hookimpl
    def chain_export_genesis(self, ctx: ReadContext) -> Mapping[str, Any]:
        """Every entry of the store."""
        return {ENTRY: {"entries": export_entries(ctx.reader(STORE_NAME).iterate(b"\0", None))}}
