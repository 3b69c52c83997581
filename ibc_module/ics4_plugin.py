"""The plugin for chains that want ICS-4's first text in messages: chosen names, cleanup (docs/adr/0013)."""

from collections.abc import Mapping

from handlers.dispatch import routes
from handlers.dispatch_ics4 import HANDLERS_ICS4
from ibc_module import hookimpl
from ibc_module.hookspecs import MessageRoute
from ibc_module.plugin import IbcPlugin

__all__ = ["Ics4Plugin"]


class Ics4Plugin:
    """Stands after the `IbcPlugin` whose keepers it uses; has no state of its own.

    ibc, *rest = plugins(config)
    pipeline = Pipeline([bank, ibc, *rest, Ics4Plugin(ibc)])
    """

    def __init__(self, ibc: IbcPlugin) -> None:
        self._ibc = ibc

    @hookimpl
    def chain_messages(self) -> Mapping[str, MessageRoute]:
        """The messages of `pyibc.connection.v1` and `pyibc.channel.v1`."""
        return routes(self._ibc.keepers, HANDLERS_ICS4)
