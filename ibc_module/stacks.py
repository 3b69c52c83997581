"""Application stacks of one chain: applications, their middleware, and the owners of their ports."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeVar

from handlers.keepers_ref import KeepersRef
from handlers.packet.sender import CoreSender, PortGate
from handlers.packet_v2.sender import CoreSenderV2, PortGateV2
from ibc_module.hook_results import check_offer, check_wrap
from ibc_module.pipeline import Pipeline
from ibc_module.senders import LayerSender, SenderRouter, SenderRouterV2, stack_senders
from keepers.keepers import Keepers
from keepers.port import PortOwners
from pyibc.core.address import AddressCodec
from pyibc.core.application.classic import BoundApp, IbcApp, bind_app
from pyibc.core.application.services import (
    PacketSender,
    PortKey,
    PortOwner,
    PortPrefix,
    Services,
    validate_port_key,
)
from pyibc.core.application.v2 import BoundAppV2, PacketSenderV2, bind_app_v2
from pyibc.core.errors import IbcError, PortExists
from pyibc.core.host.context import Config
from pyibc.core.setup_error import WiringError, name_of
from pyibc.isolation.binding import is_omitted
from pyibc.isolation.call_depth import depth_limited
from pyibc.isolation.isolate import grant_of, isolate
from pyibc.isolation.scoped_context import Grant

_App = TypeVar("_App")


class Owners(NamedTuple):
    """Port ownership of one plugin; a v1 port and a v2 port of one name may have different owners."""

    classic: PortOwner
    v2: PortOwner


class Layer(Protocol):
    """Declared middleware, of either IBC version."""

    @property
    def port_id(self) -> PortKey:
        """Port or prefix that it wraps."""

    @property
    def wrap(self) -> Callable[[Any, Services], Any]:
        """Factory of its layer around the application."""

    @property
    def needs(self) -> Sequence[str]:
        """Callbacks that the layers below must have."""


class ApplicationStacks:
    """Collects applications and middleware from plugins and stacks them."""

    def __init__(self, pipeline: Pipeline, config: Config, addresses: AddressCodec) -> None:
        self.keepers: KeepersRef[Keepers] = KeepersRef()
        self._pipeline = pipeline
        self._config = config
        self._bank, self._accounts = pipeline.bank(), pipeline.accounts()
        self._addresses = addresses
        self._ports, self._ports_v2 = PortOwners(), PortOwners()
        self._direct = pipeline.direct_calls(self.keepers, self._ports)
        self._registering = ""  # name of the plugin being asked
        self._owners: dict[int, Owners] = {}  # by the plugin's id; the pipeline keeps plugins alive
        self._layers, self._layers_v2 = pipeline.middleware(), pipeline.middleware_v2()
        self._sender, self._above = self._senders()
        self._sender_v2, self._above_v2 = self._senders_v2()

    def _senders(self) -> tuple[PacketSender, list[PacketSender]]:
        """Build the sender of applications and the senders above each layer."""
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
        """Return the applications wrapped by their middleware; the first declared is outermost.

        A plugin owns the ports it registers. A port that was bound without an application takes direct calls.

        Raises:
            WiringError: ports of two plugins overlap, a callback is missing, or a middleware has no
                application.
        """
        stacked: dict[PortKey, BoundApp] = {}
        for plugin, key, app in self._registered():
            _claim(self._ports, self._owners_of(plugin).classic, key)
            stacked[key] = self._bound(app, plugin, key)
        for key in self._ports.seal():
            if self._direct is not None and key not in stacked:
                stacked[key] = self._direct.application()
        declared, no_owner = zip(self._layers, self._above, strict=True), PortOwner("")
        layers = [
            (
                plugin,
                layer,
                self._make(plugin, above, self._sender_v2, owner_of(plugin, layer), no_owner),
            )
            for (plugin, layer), above in declared
        ]
        return wrapped(stacked, layers, self._bound)

    def _registered(self) -> list[tuple[object, PortKey, IbcApp]]:
        try:
            return self._pipeline.apps(self._services)
        except PortExists as error:  # raised by `bind_port` of a direct handler
            holder = self._ports.owner_of(error.port_id)
            owner = "another plugin" if holder is None else holder.name
            raise WiringError(
                f"{self._registering} binds port {error.port_id!a}, which {owner} has"
            ) from error

    def apps_v2(self) -> dict[PortKey, BoundAppV2]:
        """Return the applications of IBC v2 wrapped by their middleware, in the same order.

        Raises:
            WiringError: see `apps`.
        """
        stacked: dict[PortKey, BoundAppV2] = {}
        for plugin, key, app in self._pipeline.apps_v2(self._services):
            _claim(self._ports_v2, self._owners_of(plugin).v2, key)
            stacked[key] = self._bound_v2(app, plugin, key)
        self._ports_v2.seal()
        declared, no_owner = zip(self._layers_v2, self._above_v2, strict=True), PortOwner("")
        layers = [
            (plugin, layer, self._make(plugin, self._sender, above, no_owner, owner_of(plugin, layer)))
            for (plugin, layer), above in declared
        ]
        return wrapped(stacked, layers, self._bound_v2)

    def _sender_of_layer(
        self, interface: type, sender: PacketSender | PacketSenderV2, plugin: object
    ) -> LayerSender:
        grant = self._grant_of(plugin, sender)
        if grant is None:
            return LayerSender(sender, None)
        check_offer(sender, interface, f"{name_of(plugin)}: what `wrap_sender` returns")
        return LayerSender(depth_limited(sender), grant)

    def _grant_of(self, plugin: object, code: object) -> Grant | None:
        return grant_of(self._pipeline.stores_of(plugin), plugin, code)

    def _bound(self, app: object, plugin: object, key: PortKey, below: object = None) -> BoundApp:
        with _binding_errors():
            return bind_app(app, _place(plugin, key), self._grant_of(plugin, app), below)

    def _bound_v2(self, app: object, plugin: object, key: PortKey, below: object = None) -> BoundAppV2:
        with _binding_errors():
            return bind_app_v2(app, _place(plugin, key), self._grant_of(plugin, app), below)

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
        isolated = isolate(plugin)
        return Services(
            PortGate(sender, owner, self.keepers),
            isolated.bank(self._bank),
            self._addresses,
            self._config.authority,
            PortGateV2(sender_v2, owner_v2, self.keepers),
            isolated.messages(self._pipeline.executor),
            None if self._direct is None else self._direct.handler(owner),
            isolated.accounts(self._accounts),
        )


def owner_of(plugin: object, layer: Layer) -> PortOwner:
    """Return a middleware's ownership of the port or prefix that it wraps, in its IBC version only."""
    return PortOwner(name_of(plugin), layer.port_id)


def wrapped(
    apps: Mapping[PortKey, _App],
    layers: Sequence[tuple[object, Layer, Services]],
    bind: Callable[[object, object, PortKey, Any], _App],
) -> dict[PortKey, _App]:
    """Wrap applications with layers, the first outermost.

    Raises:
        WiringError: a layer's port has no application, or a layer does not return an application.
    """
    stacked = dict(apps)
    for plugin, layer, services in reversed(layers):
        if layer.port_id not in stacked:
            known = ", ".join(str(key) for key in stacked) or "none"
            raise WiringError(
                f"{name_of(plugin)} declares a middleware for port {str(layer.port_id)!a}, "
                f"which no application has; registered ports: {known}"
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
    """Check that the layers below have the callbacks that a middleware needs, as ibc-go does.

    Raises:
        WiringError: one is missing.
    """
    for name in layer.needs:
        callback = getattr(below, name, None)
        if callback is None or is_omitted(callback):
            raise WiringError(
                f"{name_of(plugin)} for port {str(layer.port_id)!a} needs the callback {name}, "
                "which the application below it does not have"
            )


def _place(plugin: object, key: PortKey) -> str:
    return f"{name_of(plugin)} for port {str(key)!a}"


@contextmanager
def _binding_errors() -> Iterator[None]:
    """Context manager that raises WiringError for the ValueError of a malformed application."""
    try:
        yield
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
