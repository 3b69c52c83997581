"""The plugin set with the queue protocol, as local chains use it."""

from ibc_module.apps.queue_coins.plugin import QueueCoinsPlugin
from ibc_module.plugin import Config, QueueConfig, plugins


def plugins_with_queues(config: Config) -> list[object]:
    """IBC with ICS-20, and coins over queues with open registration."""
    return [*plugins(config, queue=QueueConfig(open_registration=True)), QueueCoinsPlugin()]
