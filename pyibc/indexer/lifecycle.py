"""One row per packet: a single aggregation of all its events.

A packet is identified by its route (a path and the sending chain, `way` in the SQL) and its sequence. An
event of the sending chain determines the route itself; for an event of the receiving chain, the table `ends`
does. Unpaired ends have routes of their own, whose sending chain is null. Events are not joined with each
other.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from pyibc.indexer.ends import Ends, Pairs, Path, path_of
from pyibc.indexer.engines import Engine
from pyibc.indexer.event_order import HAS_TIMEOUT, POSITION, TURN, first
from pyibc.indexer.packet_facts import ACK, RECV, SEND, TIMEOUT
from pyibc.indexer.segments.numbers import BAND_BITS, KINDS, RECEIVING, TX_LIMBS, number_of

TX_KINDS = (SEND, RECV, ACK, TIMEOUT)
"""Steps whose transaction hash is in the packet's row."""
_TRANSFER = (
    *("denom_id", "amount_low", "amount_high", "big_amount_id"),
    *("sender_id", "receiver_id", "memo_id"),
)
ENDS = (("end_id", "bigint"), ("way", "bigint"), ("height_base", "bigint"))
"""Columns of the ends: their route, and what the heights of their events are raised by."""
_BANDS = (("way", "bigint"), ("band", "bigint"), ("part", "int"))
_RECEIVING = ", ".join(str(KINDS.index(kind)) for kind in RECEIVING)


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


def register_route_ends(engine: Engine, ends: Ends, routes: PacketRoutes) -> None:
    """Register the ends with their routes with `engine` as `ends`."""
    engine.table("ends", ENDS, [(end, way, ends.bases[end]) for end, way in routes.of_end.items()])


def register_bands(engine: Engine, bands: Iterable[tuple[int, int, int]]) -> None:
    """Register the sequence buckets to write with `engine` as `bands`: route, bucket and file group."""
    engine.table("bands", _BANDS, bands)


def packets_query() -> str:
    """Build the query for one row per packet, with numbers for names and its file group in `part`.

    The query reads `events`, `ends` and `bands`. Contradicting events are resolved by `event_order`.
    """
    columns = [
        *(f"{first(c, HAS_TIMEOUT)} AS {c}" for c in ("timeout_revision", "timeout_height", "timeout_ns")),
        *(column for kind in KINDS for column in first_seen(kind)),
        _earliest("relayer_id", ["recv_packet"], "relayer_recv_id"),
        _earliest("relayer_id", ["acknowledge_packet", "timeout_packet"], "relayer_back_id"),
        *(f"{first(column, 'denom_id IS NOT NULL')} AS {column}" for column in _TRANSFER),
        *(_earliest(limb, [kind], f"{kind}_{limb}") for kind in TX_KINDS for limb in TX_LIMBS),
        f"{first('payloads', 'payloads IS NOT NULL')} AS payloads",
        f"max(CASE WHEN kind IN ({_RECEIVING}) THEN ack_state END) AS ack_written",
        f"max(CASE WHEN kind NOT IN ({_RECEIVING}) THEN ack_state END) AS ack_returned",
        f"{first('detail_id', 'detail_id IS NOT NULL')} AS detail_id",
    ]
    listed = ",\n  ".join(columns)
    return (
        f"SELECT part, way, sequence,\n  {listed}\nFROM (\n{of_bands('events')}\n) AS told\n"
        "GROUP BY part, way, sequence"
    )


def of_bands(rows: str) -> str:
    """Select the rows of `rows` (with `end_id` and `sequence`) in `bands`.

    They get the columns `way`, `part` and `height_base`, which orders the revisions of a chain.
    The hint repartitions the rows by file group in Spark; other engines ignore it as a comment.
    """
    return (
        f"SELECT /*+ REPARTITION(part) */ bands.part, bands.way, ends.height_base, {rows}.*\nFROM {rows}\n"
        f"JOIN ends ON {rows}.end_id = ends.end_id\n"
        f"JOIN bands ON ends.way = bands.way AND ({rows}.sequence >> {BAND_BITS}) = bands.band"
    )


def of_ends(rows: str) -> str:
    """Select all rows of `rows` (with `end_id`) as `of_bands` does, as one file group."""
    return (
        f"SELECT 0 AS part, ends.way, ends.height_base, {rows}.*\nFROM {rows}\n"
        f"JOIN ends ON {rows}.end_id = ends.end_id"
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


def _earliest(column: str, kinds: list[str], name: str) -> str:
    return f"min_by({column}, CASE WHEN {_is(kinds)} AND {column} IS NOT NULL THEN {TURN} END) AS {name}"
