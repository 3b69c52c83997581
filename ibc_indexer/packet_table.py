"""The packet table: the aggregated numbers with their names, states and latencies."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ibc_indexer.engines import Columns, Dialect, Engine
from ibc_indexer.lifecycle import TX_KINDS, Way, packets_query
from ibc_indexer.names.ways import WayNames
from ibc_indexer.packet_facts import ACK, QUEUE, RECV, SEND, TIMEOUT, WRITE_ACK
from ibc_indexer.segments.numbers import ACK_STATES, LIMB, TX_LIMBS

STUCK_AFTER_S = 3600  # a packet that is silent for an hour
OLDER_S = 60  # by which the last block of one chain may be older than that of another it is in step with
STUCK_AFTER_BLOCKS = 600  # the same where no times are known: an hour of six-second blocks
_STEPS = {SEND: "send", RECV: "recv", WRITE_ACK: "write_ack", ACK: "ack", TIMEOUT: "timeout"}
_NAMED = {
    "relayer_recv": "relayer",
    "relayer_back": "relayer",
    "denom": "denom",
    "detail": "detail",
    "big_amount": "big_amount",
    "sender": "sender",
    "receiver": "receiver",
    "memo": "memo",
}
"""What the dictionary names, by the field it is of."""
ENDS: Columns = (
    ("src_chain", "string"),
    ("dst_chain", "string"),
    ("protocol", "tinyint"),
    ("src_port", "string"),
    ("src_channel", "string"),
    ("dst_port", "string"),
    ("dst_channel", "string"),
)
"""Columns that say from where to where, in every table of packets."""
_WAYS: Columns = (
    ("way", "bigint"),
    *ENDS,
    ("src_known_by", "string"),
    ("dst_known_by", "string"),
    ("dst_revision", "bigint"),
    ("account", "string"),
    ("src_tip", "bigint"),
    ("src_tip_ns", "bigint"),
    ("src_lacks", "bigint"),
    ("dst_tip", "bigint"),
    ("dst_tip_ns", "bigint"),
    ("way_key", "string"),
)
COLUMNS: Columns = (
    *ENDS,
    ("sequence", "bigint"),
    ("state", "string"),
    *((name, "boolean") for name in ("sent", "received", "acknowledged", "timed_out")),
    *((name, "boolean") for name in ("in_flight", "unknown", "stuck")),
    ("ack", "string"),
    ("error_written", "boolean"),
    ("error_returned", "boolean"),
    ("ack_error", "string"),
    *(
        column
        for name in _STEPS.values()
        for column in ((f"{name}_height", "bigint"), (f"{name}_time", "timestamp"))
    ),
    ("expires_height", "string"),
    ("expires_time", "timestamp"),
    *((f"{name}_latency_s", "double") for name in ("recv", "ack", "timeout")),
    *((name, "string") for name in ("relayer_recv", "relayer_back", "denom", "amount")),
    *((name, "string") for name in ("sender", "receiver", "memo")),
    ("payloads", "int"),
    *((f"{_STEPS[kind]}_tx", "string") for kind in TX_KINDS),
    ("src_known_by", "string"),
    ("dst_known_by", "string"),
    ("packet_id", "string"),
)
"""Columns of the packet table, in order."""


class Tip(NamedTuple):
    """The last block seen of a chain."""

    chain: str
    height: int
    time_ns: int | None
    lacks: int = 0  # the highest height below it that is not known whole; 0: none
    revision: int = 0


class WayRow(NamedTuple):
    """What the rows of a way's packets depend on, beside their events."""

    key: str
    fixed: list[str | int | None]  # names, and what they are founded on
    moving: list[int | None]  # last blocks, and the last height of the sender that lacks


def way_rows(ways: Iterable[Way], chains: Iterable[WayNames], tips: Mapping[str, Tip]) -> list[WayRow]:
    """Names and last blocks of every way.

    Last blocks are those of the packets' own chains: no packet is judged by a chain that is merely claimed.
    """
    rows = []
    for way, names in zip(ways, chains, strict=True):
        src, dst = (tips.get(chain or "") for chain in (way.src_chain, way.dst_chain))
        src_seen = (src.height, src.time_ns, src.lacks) if src else (None, None, 0)
        dst_seen = (dst.height, dst.time_ns) if dst else (None, None)
        known_by = (names.src.by or None, names.dst.by or None, dst.revision if dst else None)
        ends = (names.src.chain, names.dst.chain, *way.path)
        rows.append(WayRow(way.key, [*ends, *known_by, names.account], [*src_seen, *dst_seen]))
    return rows


def name_ways(engine: Engine, rows: Iterable[WayRow]) -> None:
    """Tells `engine` of every way, as `ways`; its number is its place."""
    engine.table("ways", _WAYS, [(n, *row.fixed, *row.moving, row.key) for n, row in enumerate(rows)])


def packet_table_query(dialect: Dialect) -> str:
    """One row a packet, for people, with its part; out of `events`, `ends`, `bands`, `ways` and `names`.

    `sent`, `acknowledged`, `timed_out` are what the sending chain said, `received` what the receiving one
    did. `in_flight`: sent, neither acknowledged nor timed out. `unknown`: in flight, and blocks of the
    sending chain lack behind the send, where the answer may stand. `stuck`: in flight, not unknown, and
    either its timeout has passed at the last block seen (of the receiving chain; of the sending one's clock
    where the other is not known), or nothing was heard of it for `STUCK_AFTER_S` before the last block of
    the sending chain.
    """
    told = {
        **{name: name for name in ("src_chain", "dst_chain", "protocol", "src_port", "src_channel")},
        **{name: name for name in ("dst_port", "dst_channel", "sequence")},
        **_states(),
        **_moments(dialect),
        **_latencies(),
        "relayer_recv": "relayer_recv.name",
        "relayer_back": "relayer_back.name",
        "denom": "denom.name",
        "amount": _amount(),
        "sender": "sender.name",
        "receiver": "receiver.name",
        "memo": "memo.name",
        "payloads": "payloads",
        **{f"{_STEPS[kind]}_tx": _hash(kind) for kind in TX_KINDS},
        "src_known_by": "src_known_by",
        "dst_known_by": "dst_known_by",
        "packet_id": "(way_key || '-' || CAST(sequence AS string))",
    }
    listed = ",\n  ".join(f"CAST({told[name]} AS {dialect.type(kind)}) AS {name}" for name, kind in COLUMNS)
    joins = "\n".join(
        f"LEFT JOIN (SELECT id, name FROM names WHERE field = '{field}') AS {name} ON {name}.id = {name}_id"
        for name, field in _NAMED.items()
    )
    parts = (f"packets AS (\n{packets_query()}\n)", f"followed AS (\n{_followed()}\n)")
    return f"WITH {', '.join(parts)}\nSELECT part,\n  {listed}\nFROM followed\n{joins}"


def _followed() -> str:
    """Packets with their ways, and whether they are under way and overdue."""
    return (
        "SELECT packets.*, src_chain, dst_chain, protocol, src_port, src_channel, dst_port, dst_channel,\n"
        "  src_known_by, dst_known_by, way_key,\n"
        f"  ({_seen(SEND)} AND NOT {_seen(ACK)} AND NOT {_seen(TIMEOUT)}) AS in_flight,\n"
        f"  coalesce({_expired_by_time()}, FALSE) OR coalesce({_expired_by_height()}, FALSE)\n"
        f"    OR coalesce({_silent()}, FALSE) AS overdue,\n"
        f"  src_lacks > coalesce({SEND}_height, src_lacks) AS gap\n"
        "FROM packets JOIN ways ON packets.way = ways.way"
    )


def _states() -> dict[str, str]:
    received = f"({_seen(RECV)} OR {_seen(WRITE_ACK)})"
    return {
        "state": (
            f"CASE WHEN {_seen(TIMEOUT)} THEN 'timed_out' WHEN {_seen(ACK)} THEN 'acknowledged'"
            " WHEN in_flight AND gap THEN 'unknown' WHEN in_flight AND overdue THEN 'stuck'"
            f" WHEN {received} THEN 'received' ELSE 'sent' END"
        ),
        "sent": _seen(SEND),
        "received": received,
        "acknowledged": _seen(ACK),
        "timed_out": _seen(TIMEOUT),
        "in_flight": "in_flight",
        "unknown": "(in_flight AND gap)",
        "stuck": "(in_flight AND overdue AND NOT gap)",
        "ack": _ack_state("greatest(ack_written, ack_returned)"),
        "error_written": "coalesce(ack_written = 3, FALSE)",
        "error_returned": "coalesce(ack_returned = 3, FALSE)",
        "ack_error": "detail.name",
    }


def _seen(kind: str) -> str:
    return f"{kind}_height IS NOT NULL"


def _expired_by_time() -> str:
    """Its timeout has passed where it would be received, and where its answer would stand.

    A channel's packet is too late at its timeout, a queue's after it.
    """
    passed = f"timeout_ns <= coalesce(dst_tip_ns, src_tip_ns) - {_grace()}"
    return f"timeout_ns > 0 AND {passed} AND timeout_ns <= coalesce(src_tip_ns, dst_tip_ns)"


def _expired_by_height() -> str:
    """As by time, where heights of the sending chain tell nothing: its last block must not be older.

    Height 0 of a revision is a timeout, too.
    """
    reached = (
        "(dst_revision > timeout_revision"
        f" OR (dst_revision = timeout_revision AND dst_tip - {_grace()} >= timeout_height))"
    )
    as_far = f"coalesce(src_tip_ns >= dst_tip_ns - {OLDER_S * 10**9}, TRUE)"
    return f"{_has_height()} AND dst_tip IS NOT NULL AND {reached} AND {as_far}"


def _grace() -> str:
    return f"(CASE WHEN protocol = {QUEUE} THEN 1 ELSE 0 END)"


def _has_height() -> str:
    return "(timeout_height > 0 OR timeout_revision > 0)"


def _silent() -> str:
    """Nothing was heard of it for a long time."""
    heard = f"greatest({', '.join(f'{kind}_ns' for kind in (SEND, RECV, WRITE_ACK))})"
    return (
        f"CASE WHEN {heard} IS NOT NULL THEN src_tip_ns - {heard} > {STUCK_AFTER_S * 10**9}"
        f" ELSE src_tip - {SEND}_height > {STUCK_AFTER_BLOCKS} END"
    )


def _ack_state(number: str) -> str:
    cases = " ".join(f"WHEN {place} THEN '{state}'" for place, state in enumerate(ACK_STATES, 1))
    return f"CASE {number} {cases} END"


def _moments(dialect: Dialect) -> dict[str, str]:
    limit = "(CAST(timeout_revision AS string) || '-' || CAST(timeout_height AS string))"
    found = {
        "expires_height": f"CASE WHEN {_has_height()} THEN {limit} END",
        "expires_time": f"CASE WHEN timeout_ns > 0 THEN {dialect.time('timeout_ns')} END",
    }
    for kind, name in _STEPS.items():
        found |= {f"{name}_height": f"{kind}_height", f"{name}_time": dialect.time(f"{kind}_ns")}
    return found


def _latencies() -> dict[str, str]:
    return {f"{_STEPS[kind]}_latency_s": f"({kind}_ns - {SEND}_ns) / 1e9" for kind in (RECV, ACK, TIMEOUT)}


def _hash(kind: str) -> str:
    """The digits again, of a transaction's hash in numbers."""
    digits = [f"lpad(hex({kind}_{limb}), 16, '0')" for limb in TX_LIMBS]
    return f"({' || '.join(digits)})"


def _amount() -> str:
    """The digits again, of two numbers of `LIMB` digits each."""
    low = "CAST(amount_low AS string)"
    both = f"(CAST(amount_high AS string) || lpad({low}, {LIMB}, '0'))"
    return f"coalesce(big_amount.name, CASE WHEN amount_high > 0 THEN {both} ELSE {low} END)"
