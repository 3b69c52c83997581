"""Plugin of callbacks; list it next to the applications whose packets call contracts."""

from collections.abc import Iterable, Sequence
from types import ModuleType

from ibc_module import hookimpl
from ibc_module.hookspecs import Middleware, MiddlewareV2
from ibc_module.pipeline import Pipeline
from keepers.keepers import Keepers
from pyibc.apps.callbacks import contract, hookspecs
from pyibc.apps.callbacks.caller import ContractCaller
from pyibc.apps.callbacks.middleware import (
    CallbacksApp,
    CallbacksAppV2,
    CallbacksSender,
    CallbacksSenderV2,
    PortLayers,
    PortLayersV2,
)
from pyibc.core.application.services import PortKey
from pyibc.isolation.isolate import builtin

NEEDS = ("decode_packet_data",)
"""Callbacks that applications below must have: the callback data is in the packet data."""
MAX_GAS = 1_000_000
"""Default gas limit of a contract call, as in ibc-go's test application."""


@builtin
class CallbacksPlugin:
    """Middleware on the given ports; collects contracts through the hook `ibc_contracts`."""

    def __init__(
        self,
        ports: Sequence[PortKey] = ("transfer",),
        ports_v2: Sequence[PortKey] = ("transfer",),
        max_gas: int = MAX_GAS,
    ) -> None:
        """Set the ports of IBC v1 and v2, whose applications must decode packet data, and the gas limit.

        Raises:
            ValueError: `max_gas` is not positive, or a port is listed twice: its contracts would be
                called twice.
        """
        if max_gas < 1:
            raise ValueError("max_gas must be at least 1")
        if any(len(set(each)) != len(each) for each in (ports, ports_v2)):
            raise ValueError(f"a port is listed twice: {(*ports, *ports_v2)}")
        self._caller = ContractCaller(max_gas)
        self._ports, self._ports_v2 = tuple(ports), tuple(ports_v2)

    @hookimpl
    def chain_hookspecs(self) -> Iterable[ModuleType]:
        """Add the hook `ibc_contracts`."""
        return (hookspecs,)

    @hookimpl
    def ibc_wired(self, pipeline: Pipeline, keepers: Keepers) -> None:  # noqa: ARG002 - the hook's arguments
        """Bind the contracts that other plugins register.

        Raises:
            WiringError: an address is registered twice, or a contract is malformed.
        """
        self._caller.contracts = contract.registered(pipeline)

    @hookimpl
    def ibc_register_middleware(self) -> Iterable[Middleware]:
        """Register a layer around each application and one between it and core."""
        return [self._layer(port) for port in self._ports]

    @hookimpl
    def ibc_register_middleware_v2(self) -> Iterable[MiddlewareV2]:
        """Register both layers for applications of IBC v2."""
        return [self._layer_v2(port) for port in self._ports_v2]

    def _layer(self, port: PortKey) -> Middleware:
        layers = PortLayers(self._caller)
        return Middleware(
            port,
            lambda below, _: CallbacksApp(below, layers),
            lambda above: CallbacksSender(above, layers),
            NEEDS,
        )

    def _layer_v2(self, port: PortKey) -> MiddlewareV2:
        layers = PortLayersV2(self._caller)
        return MiddlewareV2(
            port,
            lambda below, _: CallbacksAppV2(below, layers),
            lambda above: CallbacksSenderV2(above, layers),
            NEEDS,
        )
