"""Plugin of the queue protocol, off unless a host lists it. Its state is in a store of its own, `queue`."""

from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import Any

from handlers.dispatch import routes
from handlers.keepers_ref import KeepersRef
from ibc_module import hookimpl
from ibc_module.entry_store import EntryStore
from ibc_module.pipeline import Pipeline
from ibc_module.registration import AtWiring
from keepers.keepers import Keepers
from pyibc.core.errors import IbcError
from pyibc.core.height import ZERO_HEIGHT
from pyibc.core.host.context import MessageRoute, QueryRoute, WriteContext
from pyibc.core.host.gas import GasMeter
from pyibc.core.wire.requests import query_routes
from pyibc.isolation.boundary import Place, is_sound, raised_by
from pyibc.isolation.call_depth import TooDeep
from pyibc.isolation.isolate import builtin, is_builtin, isolate
from pyibc.isolation.limits import MAX_EVENT_BYTES, MAX_EVENTS, bounded_events
from pyibc.queues import hookspecs
from pyibc.queues.application import BoundQueueApp, QueueReceived, QueueServices, bind_queue_app
from pyibc.queues.errors import QueueError
from pyibc.queues.handlers.dispatch import HANDLERS
from pyibc.queues.handlers.send import TypeSender
from pyibc.queues.keepers import QueueKeeper, QueueKeepers, RegistrationKeeper
from pyibc.queues.packet import QueueConfig, check_packet
from pyibc.queues.queries import QueueQueries
from pyibc.queues.types import STORE_NAME

# -- error boundary around `on_receive`: a bug becomes an error receipt, so that the queue goes on
#
# A packet whose handler failed the transaction would block its queue forever. So every exception of
# `on_receive` becomes an `IbcError`, whose code the protocol writes into the receipt, except for machine
# errors, which stop the node (docs/adr/0005).

_MOST_EVENTS = MAX_EVENTS // 2
_MOST_EVENT_BYTES = MAX_EVENT_BYTES // 2


def with_error_boundary(app: BoundQueueApp, packet_type: str) -> BoundQueueApp:
    """Wrap an application so that `on_receive` raises only `IbcError` and machine errors.

    The other callbacks stay unchanged. A bug in `on_send` fails the sender's transaction. A bug in
    `on_commit` or `on_rollback` fails the relayer's transaction and leaves the packet in the queue until the
    application is fixed: removing the packet without its callback would lose its escrow.
    """
    return app._replace(on_receive=_bounded_call(app.on_receive, Place(f"on_receive of {packet_type!a}")))


def _bounded_call(
    on_receive: Callable[[WriteContext, QueueReceived], bytes], place: Place
) -> Callable[[WriteContext, QueueReceived], bytes]:
    def call(ctx: WriteContext, received: QueueReceived) -> bytes:
        results: list[bytes] = []

        def keep(ctx: Any, received: Any) -> None:
            results.append(on_receive(ctx, received))

        # A message that emits more fails as a whole; fail this packet alone before that.
        # guard: h300-events-have-no-end drop:bounded_events
        #   test_h300_a_handler_that_emits_too_much_is_answered
        within = bounded_events(keep, _MOST_EVENTS, _MOST_EVENT_BYTES)

        meter: GasMeter = ctx.gas  # type: ignore[assignment]  # the block's meter
        remaining = meter.remaining
        # guard: h300-a-bug-blocks-the-queue {raised_by(within, ctx, received) => within(ctx, received)}
        #   test_h300_a_bug_of_a_handler_is_answered
        raised = raised_by(within, ctx, received)
        if raised is None:
            return results[0]
        if isinstance(raised, TooDeep):
            _charge_too_deep(meter, remaining)
        error = _error_of(raised, place)
        if error is raised:
            raise error
        raise error from raised

    return call


def _charge_too_deep(meter: GasMeter, remaining: int) -> None:
    """Charge half of the remaining gas to a handler that exceeded the recursion limit.

    The gas used up to then depends on the stack depth of this Python's standard library and must not affect
    the block's results. Half of it bounds the work of a message with many such packets.
    """
    # guard: h300-gas-by-the-library-s-depth test_h300_a_handler_that_calls_too_deep_is_answered
    meter.used = meter.limit - remaining + remaining // 2


def _error_of(raised: BaseException, place: Place) -> IbcError:
    """Return the error for the receipt: a sound IbcError itself, else one of two generic ones."""
    if not isinstance(raised, IbcError):
        return place.failed(raised)
    if is_sound(raised):
        return raised
    place.failed(raised)
    # guard: h300-an-unsound-error-is-answered {QueueError() => raised}
    #   test_h300_an_error_whose_code_is_no_number_is_answered
    return QueueError()


# -- the plugin

__all__ = ["QueueConfig", "QueuePlugin"]


@builtin
class QueuePlugin(EntryStore):
    """Provable queues between this chain and others, verified by the light clients of the IBC plugin.

    A host lists it next to `pyibc.plugins(config)`. Counterparties verify proofs of its store.
    """

    store_name = STORE_NAME
    keepers = AtWiring[QueueKeepers]()
    """Keepers of the chain, set at wiring."""

    def __init__(self, config: QueueConfig | None = None) -> None:
        """Set the host's configuration."""
        self.config = config or QueueConfig()

    @hookimpl
    def chain_hookspecs(self) -> Iterable[ModuleType]:
        """Add the hook `ibc_register_queue_apps`."""
        return (hookspecs,)

    @hookimpl
    def ibc_wired(self, pipeline: Pipeline, keepers: Keepers) -> None:
        """Build the applications that other plugins register, each with a sender of its type.

        Raises:
            WiringError: a type is registered twice.
            InvalidQueuePacket: a type is malformed.
        """
        ref: KeepersRef[QueueKeepers] = KeepersRef()
        bank, apps = pipeline.bank(), {}
        registered = pipeline.registered("ibc_register_queue_apps", "type of queue packets")
        for packet_type, (plugin, make) in registered.items():
            check_packet(packet_type, b"", ZERO_HEIGHT, 0)
            sender = TypeSender(ref, packet_type)
            coins = isolate(plugin).bank(bank)
            app = make(QueueServices(sender, coins, keepers.addresses, keepers.authority))
            stores = None if is_builtin(plugin, app) else pipeline.stores_of(plugin)
            bound = bind_queue_app(app, f"queue packets of type {packet_type!a}", stores)
            apps[packet_type] = with_error_boundary(bound, packet_type)
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
        """Route the messages of the protocol: register, send, receive, handle receipt, timeout, advance."""
        return routes(self.keepers, HANDLERS)

    @hookimpl
    def chain_queries(self) -> Mapping[str, QueryRoute]:
        """Route the queries for registrations, queues and elements."""
        return query_routes(QueueQueries(self.keepers.queues))
