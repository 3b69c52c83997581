"""Hooks of the callbacks plugin; they exist if a host lists it."""

from collections.abc import Mapping

from ibc_module import hookspec
from pyibc.apps.callbacks.contract import Contract

# -- contracts, if CallbacksPlugin is listed


@hookspec
def ibc_contracts() -> Mapping[str, Contract]:  # type: ignore[empty-body]
    """Contracts by address, or `ANY_ADDRESS` for all other addresses; needs the callbacks plugin."""
