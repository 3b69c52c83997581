"""Callbacks on a chain of ours, with the contracts of ibc-go's callbacks test application."""

from typing import Final

from conformance.transcripts.mock_contracts import MockContractsPlugin
from ibc_module.apps.callbacks.plugin import CallbacksPlugin

NAME: Final = f"{__name__}:plugins"


def plugins() -> list[object]:
    """Contracts around transfers, over channels and clients."""
    return [CallbacksPlugin(), MockContractsPlugin()]
