"""Hooks that the callbacks plugin asks: they exist where a host lists it."""

from collections.abc import Mapping

from ibc_core.callbacks.contract import Contract
from ibc_module import hookspec

# -- what contracts are registered, where CallbacksPlugin is listed


@hookspec
def ibc_contracts() -> Mapping[str, Contract]:  # type: ignore[empty-body]
    """Address -> contract, or `ANY_ADDRESS` for all others; asked where the callbacks plugin is listed."""
