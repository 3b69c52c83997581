"""The plugin set with the queue protocol, as local chains use it."""

from ibc_core.queue.packet import QueueConfig
from ibc_module.apps.queue_coins.plugin import QueueCoinsPlugin
from ibc_module.plugin import Config, plugins
from ibc_module.queue.plugin import QueuePlugin


def plugins_with_queues(config: Config) -> list[object]:
    """IBC with ICS-20, and coins over queues with open registration."""
    return [*plugins(config), QueuePlugin(QueueConfig(open_registration=True)), QueueCoinsPlugin()]
