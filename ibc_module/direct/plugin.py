"""The plugin for chains that want ICS-4's first text in messages: chosen names, cleanup (docs/adr/0013)."""

from collections.abc import Mapping
from typing import Protocol

from handlers.direct.dispatch import HANDLERS_ICS4
from handlers.dispatch import routes
from ibc_core.host.routes import MessageRoute
from ibc_module import hookimpl
from keepers.keepers import Keepers

__all__ = ["Ics4Plugin"]


class HoldsKeepers(Protocol):
    """What keeps the chain's keepers: `plugin.IbcPlugin`."""

    @property
    def keepers(self) -> Keepers:
        """The keepers, once a pipeline holds the plugin."""


class Ics4Plugin:
    """The messages of `pyibc.connection.v1` and `pyibc.channel.v1`; has no state of its own.

    `plugins(config, ics4=True)` brings it.
    """

    def __init__(self, ibc: HoldsKeepers) -> None:
        self._ibc = ibc

    @hookimpl
    def chain_messages(self) -> Mapping[str, MessageRoute]:
        """Routes to today's handlers, for ends of any name."""
        return routes(self._ibc.keepers, HANDLERS_ICS4)
