"""IBC plugins of a local node, with queues if its settings enable them."""

from ibc_module.plugin import Config
from pyibc.default_plugins import plugins
from pyibc.queues.coins import QueueCoinsPlugin
from pyibc.queues.packet import QueueConfig
from pyibc.queues.plugin import QueuePlugin


def protocol(config: Config, *, queues: bool) -> list[object]:
    """Return the plugins of IBC and ICS-20, and optionally of the queue protocol."""
    return plugins_with_queues(config) if queues else plugins(config)


# -- plugins with the queue protocol, as used by local chains


def plugins_with_queues(config: Config) -> list[object]:
    """Return the plugins of IBC, ICS-20, queues with open registration, and coins over queues."""
    return [*plugins(config), QueuePlugin(QueueConfig(open_registration=True)), QueueCoinsPlugin()]
