"""IBC as a node of this machine has it: with queues where its settings say so."""

from ibc_module.plugin import Config, plugins


def protocol(config: Config, *, queues: bool) -> list[object]:
    """The plugins of IBC and ICS-20, and of the queue protocol."""
    if not queues:
        return plugins(config)
    from localnet.queue import plugins_with_queues  # noqa: PLC0415 - nothing of it is loaded without queues

    return plugins_with_queues(config)
