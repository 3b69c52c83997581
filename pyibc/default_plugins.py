"""Default plugins of a chain."""

from ibc_module.plugin import IbcPlugin, LightClientsPlugin
from pyibc.apps.transfer.plugin import TransferPlugin
from pyibc.core.host.context import Config


def plugins(config: Config, *, transfer: bool = True) -> list[object]:
    """Return the IBC plugins for a host, to append to the host's own plugins.

    `transfer`: include ICS-20, which needs a plugin with the hook `ibc_bank`.
    """
    parts: list[object] = [IbcPlugin(config), LightClientsPlugin(config.prices)]
    if transfer:
        parts.append(TransferPlugin())
    return parts
