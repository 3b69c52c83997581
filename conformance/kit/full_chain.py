"""A chain that knows every message and every query of this distribution."""

from collections.abc import Callable, Sequence
from typing import Any

from conformance.kit.paired_chain import PairedChain
from localnet import applications
from pyibc.core.coin import Coin
from pyibc.queues.coins import QueueCoinsPlugin
from pyibc.queues.packet import QueueConfig


def full_chain(
    chain_id: str, clock: Callable[[], int], coins: Sequence[Coin] = (), **options: Any
) -> PairedChain:
    """Make a `PairedChain` with all applications, with queues and with direct calls."""
    extra = [*applications.plugins(), QueueCoinsPlugin()]
    queue = QueueConfig(open_registration=True)
    return PairedChain(chain_id, clock, coins, extra, direct=True, queue=queue, **options)
