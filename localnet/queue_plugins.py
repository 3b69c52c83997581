"""The queue protocol as chains of this machine run it."""

from ibc_module.apps.queue_coins.plugin import QueueCoinsPlugin
from ibc_module.plugin import Config, QueueConfig, plugins


def plugins_with_queues(config: Config) -> list[object]:
    """IBC with ICS-20, and queues that anybody may register ends of, with coins over them."""
    return [*plugins(config, queue=QueueConfig(open_registration=True)), QueueCoinsPlugin()]
