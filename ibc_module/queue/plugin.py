"""The queue protocol as a plugin: off unless a host lists it. Its state is a store of its own, `queue`."""

from collections.abc import Iterable, Mapping
from types import ModuleType

from handlers.dispatch import routes
from handlers.keepers_ref import KeepersRef
from handlers.queue.dispatch import HANDLERS
from handlers.queue.sender import TypeSender
from ibc_core.height import ZERO_HEIGHT
from ibc_core.host.routes import MessageRoute, QueryRoute
from ibc_core.host.shipped import is_shipped, shipped
from ibc_core.queue.application import QueueServices, bind_queue_app, confined_queue_app
from ibc_core.queue.packet import QueueConfig, check_packet
from ibc_core.queue.types import STORE_NAME
from ibc_module import hookimpl
from ibc_module.at_wiring import AtWiring
from ibc_module.entry_store import EntryStore
from ibc_module.pipeline import Pipeline
from ibc_module.queue import hookspecs
from ibc_module.queue import queries as queue_queries
from ibc_module.services import bank_for
from keepers.keepers import Keepers
from keepers.queue.keeper import QueueKeeper
from keepers.queue.keepers import QueueKeepers
from keepers.queue.registration import RegistrationKeeper

__all__ = ["QueueConfig", "QueuePlugin"]


@shipped
class QueuePlugin(EntryStore):
    """Provable queues between this chain and others, over the light clients of the IBC plugin.

    A host lists it beside `ibc_module.plugin.plugins(config)`. Counterparties prove against its store.
    """

    store_name = STORE_NAME
    keepers = AtWiring[QueueKeepers]()
    """The chain's keepers."""

    def __init__(self, config: QueueConfig | None = None) -> None:
        """`config`: what the host settles."""
        self.config = config or QueueConfig()

    @hookimpl
    def chain_hookspecs(self) -> Iterable[ModuleType]:
        """`ibc_register_queue_apps`."""
        return (hookspecs,)

    @hookimpl
    def ibc_wired(self, pipeline: Pipeline, keepers: Keepers) -> None:
        """Makes the applications that the other plugins register, each with a sender of its type.

        Raises:
            WiringError: two register one type.
            InvalidQueuePacket: a type is malformed.
        """
        ref: KeepersRef[QueueKeepers] = KeepersRef()
        bank, apps = pipeline.bank(), {}
        registered = pipeline.registered("ibc_register_queue_apps", "type of queue packets")
        for packet_type, (plugin, make) in registered.items():
            check_packet(packet_type, b"", ZERO_HEIGHT, 0)
            sender = TypeSender(ref, packet_type)
            coins = bank_for(plugin, bank)
            app = make(QueueServices(sender, coins, keepers.addresses, keepers.authority))
            where, ours = f"queue packets of type {packet_type!a}", is_shipped(plugin, app)
            bound = bind_queue_app(app, where, shipped=ours)
            apps[packet_type] = bound if ours else confined_queue_app(bound, pipeline.stores_of(plugin))
        self.keepers = QueueKeepers(
            QueueKeeper(),
            RegistrationKeeper(),
            keepers.clients,
            apps,
            keepers.addresses,
            keepers.authority,
            self.config,
        )
        ref.bind(self.keepers)

    @hookimpl
    def chain_messages(self) -> Mapping[str, MessageRoute]:
        """Register, send, receive, handle receipt, timeout, advance."""
        return routes(self.keepers, HANDLERS)

    @hookimpl
    def chain_queries(self) -> Mapping[str, QueryRoute]:
        """Registrations, queues, elements."""
        return queue_queries.routes(self.keepers.queues)
