"""Rest of an idle link: the blocks and times that end it."""

from collections.abc import Sequence

from pyibc.relayer.blocks.feed import Rest
from pyibc.relayer.blocks.reader import BlockReader
from pyibc.relayer.links.client_refresh import ClientRefresh
from pyibc.relayer.links.client_watch import ClientWatch
from pyibc.relayer.links.reconciler import Reconciler
from pyibc.relayer.paths.path import Side


def rest_of(
    reader: BlockReader,
    reconciler: Reconciler,
    watch: ClientWatch | None,
    refreshes: Sequence[ClientRefresh],
) -> tuple[Rest, Rest]:
    """Return what an idle link waits for on both chains.

    It rests at most until its next comparison with state, the refresh of a client, or an upgrade. Each chain
    makes about half of the blocks that are left until the comparison.
    """
    blocks = max(1, reconciler.blocks_left() // 2 + 1)

    def rest(side: Side) -> Rest:
        cursor = reader.cursors[side]
        upgrade = 0 if watch is None else watch.next_height(side)
        latest = cursor.height + blocks
        latest = min(latest, upgrade) if upgrade > cursor.height else latest
        return Rest(cursor, reader.names(side), latest, refreshes[side].next_ns)

    return rest(0), rest(1)
