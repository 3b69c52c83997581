"""The application stacks of one chain: applications, their middleware, and the owners of their ports."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeVar

from handlers.keepers_ref import KeepersRef
from handlers.packet.sender import CoreSender, PortGate
from handlers.packet_v2.sender import CoreSenderV2, PortGateV2
from ibc_core.address import AddressCodec
from ibc_core.application.classic import BoundApp, IbcApp, bind_app, confined_app
from ibc_core.application.omitted import is_omitted
from ibc_core.application.ports import PortKey, PortOwner, PortPrefix, validate_port_key
from ibc_core.application.services import PacketSender, Services
from ibc_core.application.v2 import BoundAppV2, PacketSenderV2, bind_app_v2, confined_app_v2
from ibc_core.config import Config
from ibc_core.errors import IbcError, PortExists
from ibc_core.host.confined import Grant
from ibc_core.host.counted_calls import CountedCalls
from ibc_core.host.shipped import is_shipped
from ibc_module.offers import check_offer, check_wrap
from ibc_module.pipeline import Pipeline
from ibc_module.senders import LayerSender, SenderRouter, SenderRouterV2, stack_senders
from ibc_module.services import accounts_for, bank_for, messages_for
from ibc_module.wiring_error import WiringError, name_of
from keepers.keepers import Keepers
from keepers.port import PortOwners

_App = TypeVar("_App")


class Owners(NamedTuple):
    """One plugin as the owner of its ports, and of its ports of IBC v2: one name may be two plugins'."""

    classic: PortOwner
    v2: PortOwner


class Layer(Protocol):
    """A declared middleware, of either version of IBC."""

    @property
    def port_id(self) -> PortKey:
        """Where it stands."""

    @property
    def wrap(self) -> Callable[[Any, Services], Any]:
        """Its layer around the application."""

    @property
    def needs(self) -> Sequence[str]:
        """Callbacks that must not be left out below."""


class ApplicationStacks:
    """Asks plugins for their applications and middleware, and stacks the one around the other."""

    def __init__(self, pipeline: Pipeline, config: Config, addresses: AddressCodec) -> None:
        self.keepers: KeepersRef[Keepers] = KeepersRef()
        self._pipeline = pipeline
        self._config = config
        self._bank, self._accounts = pipeline.bank(), pipeline.accounts()
        self._addresses = addresses
        self._ports, self._ports_v2 = PortOwners(), PortOwners()
        self._direct = pipeline.direct_calls(self.keepers, self._ports)
        self._registering = ""  # the plugin that is asked
        self._owners: dict[int, Owners] = {}  # by the plugin's id; the pipeline keeps plugins alive
        self._layers, self._layers_v2 = pipeline.middleware(), pipeline.middleware_v2()
        self._sender, self._above = self._senders()
        self._sender_v2, self._above_v2 = self._senders_v2()

    def _senders(self) -> tuple[PacketSender, list[PacketSender]]:
        """The senders of applications and of each layer: the layers above them."""
        core = CoreSender(self.keepers)
        by_port, above = stack_senders(
            self._layers,
            lambda key: PortGate(core, PortOwner("middleware", key), self.keepers),
            partial(self._sender_of_layer, PacketSender),
        )
        return (SenderRouter(core, by_port) if by_port else core), above

    def _senders_v2(self) -> tuple[PacketSenderV2, list[PacketSenderV2]]:
        core = CoreSenderV2(self.keepers)
        by_port, above = stack_senders(
            self._layers_v2,
            lambda key: PortGateV2(core, PortOwner("middleware", key), self.keepers),
            partial(self._sender_of_layer, PacketSenderV2),
        )
        return (SenderRouterV2(core, by_port, self.keepers) if by_port else core), above

    def apps(self) -> dict[PortKey, BoundApp]:
        """Applications with their middleware around them; the first declared ends up outermost.

        A plugin owns the ports it registers; one that it bound without an application takes direct calls.

        Raises:
            WiringError: plugins' ports overlap, something lacks a callback, a middleware has no application.
        """
        stacked: dict[PortKey, BoundApp] = {}
        for plugin, key, app in self._registered():
            _claim(self._ports, self._owners_of(plugin).classic, key)
            stacked[key] = self._bound(app, plugin, key)
        for key in self._ports.seal():
            if self._direct is not None and key not in stacked:
                stacked[key] = self._direct.application()
        declared, nobody = zip(self._layers, self._above, strict=True), PortOwner("")
        layers = [
            (
                plugin,
                layer,
                self._make(plugin, above, self._sender_v2, owner_of(plugin, layer), nobody),
            )
            for (plugin, layer), above in declared
        ]
        return wrapped(stacked, layers, self._bound)

    def _registered(self) -> list[tuple[object, PortKey, IbcApp]]:
        try:
            return self._pipeline.apps(self._services)
        except PortExists as error:  # of a direct call to `bind_port`
            holder = self._ports.owner_of(error.port_id)
            who = "another plugin" if holder is None else holder.name
            raise WiringError(f"{self._registering} binds port {error.port_id!a}, which {who} has") from error

    def apps_v2(self) -> dict[PortKey, BoundAppV2]:
        """Applications of IBC v2 with their middleware around them, in the same order.

        Raises:
            WiringError: as for `apps`.
        """
        stacked: dict[PortKey, BoundAppV2] = {}
        for plugin, key, app in self._pipeline.apps_v2(self._services):
            _claim(self._ports_v2, self._owners_of(plugin).v2, key)
            stacked[key] = self._bound_v2(app, plugin, key)
        self._ports_v2.seal()
        declared, nobody = zip(self._layers_v2, self._above_v2, strict=True), PortOwner("")
        layers = [
            (plugin, layer, self._make(plugin, self._sender, above, nobody, owner_of(plugin, layer)))
            for (plugin, layer), above in declared
        ]
        return wrapped(stacked, layers, self._bound_v2)

    def _grant_of(self, plugin: object) -> Grant:
        """What the plugin's applications and middleware may do to a block: write the stores it declares."""
        return Grant(self._pipeline.stores_of(plugin))

    def _sender_of_layer(
        self, interface: type, sender: PacketSender | PacketSenderV2, plugin: object
    ) -> LayerSender:
        if is_shipped(plugin, sender):
            return LayerSender(sender, None)
        check_offer(sender, interface, f"{name_of(plugin)}: what `wrap_sender` returns")
        return LayerSender(CountedCalls.around(sender), self._grant_of(plugin))

    def _bound(self, app: object, plugin: object, key: PortKey, below: tuple[Any, ...] = ()) -> BoundApp:
        made = bound(bind_app, app, plugin, key)
        # guard: h82-a-stranger-s-plugin-gets-the-block-by-a-shipped-class drop:plugin
        #   test_h82_a_stranger_s_plugin_has_a_shipped_class_as_its_own
        return made if is_shipped(plugin, app) else confined_app(made, self._grant_of(plugin), below)

    def _bound_v2(self, app: object, plugin: object, key: PortKey, below: tuple[Any, ...] = ()) -> BoundAppV2:
        made = bound(bind_app_v2, app, plugin, key)
        return made if is_shipped(plugin, app) else confined_app_v2(made, self._grant_of(plugin), below)

    def _services(self, plugin: object) -> Services:
        self._registering = name_of(plugin)
        return self._make(plugin, self._sender, self._sender_v2, *self._owners_of(plugin))

    def _owners_of(self, plugin: object) -> Owners:
        found = self._owners.get(id(plugin))
        if found is None:
            name = name_of(plugin)
            found = self._owners[id(plugin)] = Owners(PortOwner(name), PortOwner(name))
        return found

    def _make(
        self,
        plugin: object,
        sender: PacketSender,
        sender_v2: PacketSenderV2,
        owner: PortOwner,
        owner_v2: PortOwner,
    ) -> Services:
        return Services(
            PortGate(sender, owner, self.keepers),
            bank_for(plugin, self._bank),
            self._addresses,
            self._config.authority,
            PortGateV2(sender_v2, owner_v2, self.keepers),
            messages_for(plugin, self._pipeline.executor),
            None if self._direct is None else self._direct.handler(owner),
            accounts_for(plugin, self._accounts),
        )


def owner_of(plugin: object, layer: Layer) -> PortOwner:
    """A middleware as the owner of the port or prefix that it is declared for; in its version of IBC only."""
    return PortOwner(name_of(plugin), layer.port_id)


def wrapped(
    apps: Mapping[PortKey, _App],
    layers: Sequence[tuple[object, Layer, Services]],
    bind: Callable[[object, object, PortKey, Any], _App],
) -> dict[PortKey, _App]:
    """Applications with the layers around them, the first outermost.

    Raises:
        WiringError: a layer's port has no application, or a layer does not return one.
    """
    stacked = dict(apps)
    for plugin, layer, services in reversed(layers):
        if layer.port_id not in stacked:
            known = ", ".join(str(key) for key in stacked) or "none"
            raise WiringError(
                f"{name_of(plugin)} declares a middleware for port {str(layer.port_id)!a}, "
                f"which no application has; the ports are: {known}"
            )
        below = stacked[layer.port_id]
        # guard: h177-nothing-is-needed-below test_a_layer_that_needs_what_the_application_leaves_out
        #   test_callbacks_need_packet_data
        _check_needs(plugin, layer, below)
        check_wrap(layer.wrap, ("below", "services"), f"{name_of(plugin)}: `wrap`")
        app = layer.wrap(below, services)
        stacked[layer.port_id] = bind(app, plugin, layer.port_id, below)
    return stacked


def _check_needs(plugin: object, layer: Layer, below: object) -> None:
    """Checks that a layer has below what it cannot do without, as ibc-go's middleware asks of what it wraps.

    Raises:
        WiringError: it has not.
    """
    for name in layer.needs:
        callback = getattr(below, name, None)
        if callback is None or is_omitted(callback):
            raise WiringError(
                f"{name_of(plugin)} for port {str(layer.port_id)!a} needs {name} of what is below it, "
                "which the application there leaves out"
            )


def bound(bind: Callable[..., _App], app: object, plugin: object, key: PortKey) -> _App:
    """Binds the application's callbacks once, so that they are called uniformly.

    Raises:
        WiringError: a callback is missing or misspelt, or has unknown parameters.
    """
    try:
        where = f"{name_of(plugin)} for port {str(key)!a}"
        return bind(app, where, shipped=is_shipped(plugin, app))
    except ValueError as error:
        raise WiringError(str(error)) from error


def _claim(ports: PortOwners, owner: PortOwner, key: PortKey) -> None:
    if type(key) is not str and not (type(key) is PortPrefix and type(key.text) is str):
        raise WiringError(f"{owner.name} names a port by a {type(key).__name__}, not by a str or PortPrefix")
    try:
        validate_port_key(key)
    except IbcError as error:
        raise WiringError(f"{owner.name} registers a malformed port: {error}") from error
    conflict = ports.conflict(owner, key)
    if conflict is not None:
        other, holder = conflict
        raise WiringError(
            f"{owner.name} registers port {str(key)!a}, and {holder.name} has port {str(other)!a}"
        )
    ports.claim(owner, key)
