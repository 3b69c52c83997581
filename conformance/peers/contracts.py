"""Callbacks middleware on a pyibc chain, with the contracts of ibc-go's callbacks test application."""

from typing import Final

from conformance.transcripts.mock_contracts import MockContractsPlugin
from pyibc.apps.callbacks.plugin import CallbacksPlugin

NAME: Final = f"{__name__}:plugins"


def plugins() -> list[object]:
    """Return contracts, and callbacks around transfers over channels and clients."""
    return [CallbacksPlugin(), MockContractsPlugin()]
