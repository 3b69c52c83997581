"""One row a packet: a single aggregation of all its events.

A packet is known by its way (a path and the sending chain) and its sequence. What a sending chain says has
the way by itself; what a receiving chain says gets it by `ends`. Ends that are not paired keep ways of their
own, whose sending chain is null. No event is joined to another.
"""

from collections.abc import Iterable
from typing import NamedTuple

from ibc_indexer.ends import Ends, Pairs, Path, path_of
from ibc_indexer.engines import Engine
from ibc_indexer.packet_facts import ACK, RECV, SEND, TIMEOUT
from ibc_indexer.segments.numbers import BAND_BITS, KINDS, RECEIVING, TX_LIMBS, number_of

TX_KINDS = (SEND, RECV, ACK, TIMEOUT)
"""Steps whose transaction a packet's row names."""
_ENDS = (("end_id", "bigint"), ("way", "bigint"))
_BANDS = (("way", "bigint"), ("band", "bigint"), ("part", "int"))
_RECEIVING = ", ".join(str(KINDS.index(kind)) for kind in RECEIVING)


class Way(NamedTuple):
    """A path from one chain; of packets whose sender is not known, to one chain."""

    path: Path
    src_chain: str | None
    dst_chain: str | None

    @property
    def key(self) -> str:
        """Sixteen hex digits that stand for it in every run that knows its sender, or does not."""
        side = ("to", self.dst_chain) if self.src_chain is None else ("from", self.src_chain)
        texts = ("\1" + str(part) if part is not None else "" for part in (*side, *self.path))
        return f"{number_of(*texts) & (1 << 64) - 1:016x}"


class Ways(NamedTuple):
    """All ways of a run."""

    every: list[Way]  # a way's number is its place
    of_end: dict[int, int]  # by the number of an end


def find_ways(engine: Engine, ends: Ends, pairs: Pairs) -> Ways:
    """The way of every end, which `engine` then knows as `ends`."""
    ways, of_end = dict[Way, int](), dict[int, int]()
    for number, end in sorted(ends.by_number.items()):
        sender = pairs.senders.get(end) if end.receiving else end.chain
        path = path_of(end)
        receiver = end.chain if sender is None else pairs.receivers.get((path, sender))
        of_end[number] = ways.setdefault(Way(path, sender, receiver), len(ways))
    engine.table("ends", _ENDS, of_end.items())
    return Ways(list(ways), of_end)


def name_bands(engine: Engine, bands: Iterable[tuple[int, int, int]]) -> None:
    """Tells `engine` which bands of packets are made, as `bands`: way, band, and its part."""
    engine.table("bands", _BANDS, bands)


def packets_query() -> str:
    """One row a packet, in numbers, out of `events`, `ends` and `bands`; with the part that it is of."""
    columns = [
        *(f"max({c}) AS {c}" for c in ("timeout_revision", "timeout_height", "timeout_ns")),
        *(column for kind in KINDS for column in _first(kind)),
        _earliest("relayer_id", ["recv_packet"], "relayer_recv_id"),
        _earliest("relayer_id", ["acknowledge_packet", "timeout_packet"], "relayer_back_id"),
        *(_stated(c) for c in ("denom_id", "amount_low", "amount_high", "big_amount_id")),
        *(_stated(c) for c in ("sender_id", "receiver_id", "memo_id")),
        *(_earliest(limb, [kind], f"{kind}_{limb}") for kind in TX_KINDS for limb in TX_LIMBS),
        "max(payloads) AS payloads",
        f"max(CASE WHEN kind IN ({_RECEIVING}) THEN ack_state END) AS ack_written",
        f"max(CASE WHEN kind NOT IN ({_RECEIVING}) THEN ack_state END) AS ack_returned",
        "max(detail_id) AS detail_id",
    ]
    listed = ",\n  ".join(columns)
    return (
        f"SELECT part, way, sequence,\n  {listed}\nFROM (\n{of_bands('events')}\n) AS told\n"
        "GROUP BY part, way, sequence"
    )


def of_bands(rows: str) -> str:
    """The rows of `rows` (with `end_id` and `sequence`) that are in `bands`, with their way and part.

    Spark is told to bring the rows of a part together; another engine reads that as a comment.
    """
    return (
        f"SELECT /*+ REPARTITION(part) */ bands.part, bands.way, {rows}.*\nFROM {rows}\n"
        f"JOIN ends ON {rows}.end_id = ends.end_id\n"
        f"JOIN bands ON ends.way = bands.way AND ({rows}.sequence >> {BAND_BITS}) = bands.band"
    )


def _is(kinds: Iterable[str]) -> str:
    return f"kind IN ({', '.join(str(KINDS.index(kind)) for kind in kinds)})"


def _first(kind: str) -> list[str]:
    """Height and time at which a kind of event was first seen: a repeated relay changes nothing."""
    return [
        f"min(CASE WHEN {_is([kind])} THEN height END) AS {kind}_height",
        f"min(CASE WHEN {_is([kind])} THEN time_ns END) AS {kind}_ns",
    ]


def _earliest(column: str, kinds: list[str], name: str) -> str:
    return f"min_by({column}, CASE WHEN {_is(kinds)} AND {column} IS NOT NULL THEN place END) AS {name}"


def _stated(column: str) -> str:
    """What the packet's own data states, before what an application said of it later."""
    own = f"max(CASE WHEN {_is(KINDS[:3])} THEN {column} END)"
    return f"coalesce({own}, max({column})) AS {column}"
