"""The IBC plugins of a local node, with queues if its settings enable them."""

from ibc_module.plugin import Config, plugins


def protocol(config: Config, *, queues: bool) -> list[object]:
    """The plugins of IBC and ICS-20, and optionally of the queue protocol."""
    if not queues:
        return plugins(config)
    from localnet.queue import plugins_with_queues  # noqa: PLC0415 - not loaded unless enabled

    return plugins_with_queues(config)
