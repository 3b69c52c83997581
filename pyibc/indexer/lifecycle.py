"""Routes of packets, and SQL of the steps of a packet.

A packet is identified by its route (a path and the sending chain, `way` in the SQL) and its sequence. An
event of the sending chain determines the route itself; for an event of the receiving chain, the table `ends`
does. Unpaired ends have routes of their own, whose sending chain is null. Events are not joined with each
other.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from pyibc.indexer.ends import Ends, Pairs, Path, path_of
from pyibc.indexer.event_order import POSITION
from pyibc.indexer.ids import KINDS, number_of
from pyibc.indexer.packet_facts import ACK, RECV, SEND, TIMEOUT

TX_KINDS = (SEND, RECV, ACK, TIMEOUT)
"""Steps whose transaction hash is in the packet's row."""
ENDS = (("end_id", "bigint"), ("way", "bigint"), ("height_base", "bigint"))
"""Columns of the ends: their route, and what the heights of their events are raised by."""


class PacketRoute(NamedTuple):
    """Path from a sending chain, or to a receiving chain if the sender is not known."""

    path: Path
    src_chain: str | None
    dst_chain: str | None

    def key(self, origin: Callable[[str], str]) -> str:
        """Return the identifier of the route, 16 hex digits; `origin` returns a lineage's first chain.

        It changes only if the sender becomes known or unknown, or older chains of its lineage become known.
        """
        src, dst = (origin(chain) if chain else None for chain in (self.src_chain, self.dst_chain))
        side = ("to", dst) if src is None else ("from", src)
        texts = ("\1" + str(part) if part is not None else "" for part in (*side, *self.path))
        return f"{number_of(*texts) & (1 << 64) - 1:016x}"


class PacketRoutes(NamedTuple):
    """All routes of a run."""

    every: list[PacketRoute]  # the number of a route is its index
    of_end: dict[int, int]  # number of the route by the number of an end


def find_routes(ends: Ends, pairs: Pairs) -> PacketRoutes:
    """Find the route of every end."""
    ways, of_end = dict[PacketRoute, int](), dict[int, int]()
    for number, end in sorted(ends.by_number.items()):
        sender = pairs.senders.get(end) if end.receiving else end.chain
        path = path_of(end)
        receiver = end.chain if sender is None else pairs.receivers.get((path, sender))
        of_end[number] = ways.setdefault(PacketRoute(path, sender, receiver), len(ways))
    return PacketRoutes(list(ways), of_end)


def of_ends(rows: str) -> str:
    """Select all rows of `rows` (with `end_id`), with `way` and `height_base`, which orders revisions."""
    return (
        f"SELECT ends.way, ends.height_base, {rows}.*\nFROM {rows}\nJOIN ends ON {rows}.end_id = ends.end_id"
    )


def _is(kinds: Iterable[str]) -> str:
    return f"kind IN ({', '.join(str(KINDS.index(kind)) for kind in kinds)})"


def first_seen(kind: str) -> list[str]:
    """Aggregate to height, `POSITION` and time of the first event of a kind; others are redundant relays."""
    position = f"CASE WHEN {_is([kind])} THEN {POSITION} END"
    return [
        f"min_by(height, {position}) AS {kind}_height",
        f"min({position}) AS {kind}_position",
        f"min(CASE WHEN {_is([kind])} THEN time_ns END) AS {kind}_ns",
    ]
