"""Callbacks as a plugin: list it beside the applications whose packets call contracts."""

from collections.abc import Iterable, Sequence
from types import ModuleType

from ibc_core.application.classic import BoundApp
from ibc_core.application.ports import PortKey
from ibc_core.application.services import PacketSender
from ibc_core.application.v2 import BoundAppV2, PacketSenderV2
from ibc_core.host.shipped import shipped
from ibc_module import hookimpl
from ibc_module.apps.callbacks import contracts, hookspecs
from ibc_module.apps.callbacks.caller import Caller
from ibc_module.apps.callbacks.layers import CallbacksApp, CallbacksSender, Stack
from ibc_module.apps.callbacks.layers_v2 import CallbacksAppV2, CallbacksSenderV2, StackV2
from ibc_module.hookspecs import Middleware, MiddlewareV2
from ibc_module.pipeline import Pipeline
from keepers.keepers import Keepers

NEEDS = ("decode_packet_data",)
"""Of what is below: who asks for a callback, and for which, stands in the packet's data."""
MAX_GAS = 1_000_000
"""What a contract may use where the host says nothing: as ibc-go's own test application."""


@shipped
class CallbacksPlugin:
    """Declares the middleware on each port, and asks the other plugins for their contracts."""

    def __init__(
        self,
        ports: Sequence[PortKey] = ("transfer",),
        ports_v2: Sequence[PortKey] = ("transfer",),
        max_gas: int = MAX_GAS,
    ) -> None:
        """`ports`, `ports_v2`: of IBC classic and of IBC v2; each has an application that tells packet data.

        Raises:
            ValueError: `max_gas` is not positive, or a port is listed twice: its contracts would be called
                twice.
        """
        if max_gas < 1:
            raise ValueError("contracts need gas: max_gas is at least 1")
        if any(len(set(each)) != len(each) for each in (ports, ports_v2)):
            raise ValueError(f"a port is listed twice: {(*ports, *ports_v2)}")
        self._caller = Caller(max_gas)
        self._ports, self._ports_v2 = tuple(ports), tuple(ports_v2)

    @hookimpl
    def chain_hookspecs(self) -> Iterable[ModuleType]:
        """`ibc_contracts`."""
        return (hookspecs,)

    @hookimpl
    def ibc_wired(self, pipeline: Pipeline, keepers: Keepers) -> None:  # noqa: ARG002 - the hook's arguments
        """Binds the contracts that the other plugins register.

        Raises:
            WiringError: two register one address, or a contract is malformed.
        """
        self._caller.contracts = contracts.registered(pipeline)

    @hookimpl
    def ibc_register_middleware(self) -> Iterable[Middleware]:
        """One layer around each application, one between it and the module."""
        return [self._layer(port) for port in self._ports]

    @hookimpl
    def ibc_register_middleware_v2(self) -> Iterable[MiddlewareV2]:
        """The same for applications of IBC v2."""
        return [self._layer_v2(port) for port in self._ports_v2]

    def _layer(self, port: PortKey) -> Middleware:
        stack = Stack(self._caller)

        def wrap(below: BoundApp) -> CallbacksApp:
            stack.below = below
            return CallbacksApp(stack)

        def wrap_sender(above: PacketSender) -> PacketSender:
            return CallbacksSender(above, stack)

        return Middleware(port, lambda below, _: wrap(below), wrap_sender, NEEDS)

    def _layer_v2(self, port: PortKey) -> MiddlewareV2:
        stack = StackV2(self._caller)

        def wrap(below: BoundAppV2) -> CallbacksAppV2:
            stack.below = below
            return CallbacksAppV2(stack)

        def wrap_sender(above: PacketSenderV2) -> PacketSenderV2:
            return CallbacksSenderV2(above, stack)

        return MiddlewareV2(port, lambda below, _: wrap(below), wrap_sender, NEEDS)
