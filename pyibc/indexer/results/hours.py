"""Aggregates by hour: what the report and the metrics count, so that they need not read all packets.

An aggregate is a query over views with the packets and the contents of blocks of some hours; its rows have
the hour, the number `n` of items with the same values in all other columns, and sums. The hour of a packet is
that of its first event on either chain, the hour of anything else that of its block. Sums over hours are
exact: amounts and latencies are decimals. Percentiles cannot be added up. Those of channels are computed from
all packets, and those of hops from latencies that are rounded up to three digits.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from pyibc.indexer.bronze.contents import FORWARDS, SCHEMAS
from pyibc.indexer.chains.routes import OTHER_END, OWN_END, of_ends
from pyibc.indexer.events.packet_facts import V1, V2
from pyibc.indexer.results.contents import TRANSFER_OUTCOME, first_transfers
from pyibc.indexer.results.packets import ENDS
from pyibc.indexer.sql import Columns, Dialect, columns_of

HOUR_NS = 3600 * 10**9
UNKNOWN_HOUR = -1
"""Hour of what has no time, or one before 1970."""
BOUNDS_S = (1, 5, 10, 15, 20, 30, 45, 60, 120, 300, 600, 1_800, 3_600, 21_600, 86_400)
"""Upper bounds of the latency buckets in seconds; one more bucket is above the last."""
WAITS = ("recv", "ack", "timeout")
"""Latencies of a packet: prefixes of columns."""
REDUNDANT = 22  # of codespace `channel`: ibc-go's ErrRedundantTx
TOO_LARGE = "too large"
"""Sum of amounts that has more than 38 digits, or an amount has."""

SEEN = "coalesce(send_time, recv_time, write_ack_time, ack_time, timeout_time)"
"""SQL expression: time of the first event of a packet on either chain."""
CHAIN = "coalesce(src_chain, 'to ' || dst_chain)"
"""SQL expression: the sending chain of a packet, or what is known instead."""
RESULT = (
    f"CASE WHEN ack = 'error' THEN 'error' WHEN ack = 'success' OR (ack = 'opaque' AND protocol = {V2})"
    " THEN 'success' ELSE 'unknown' END"
)
"""SQL expression: result of an acknowledgement. Opaque bytes are a success in IBC v2 (`packets.states`)."""
_DELIVERED = "(state = 'succeeded' OR coalesce(ack, '') = 'success')"
"""SQL condition: the transfer of a packet succeeded, perhaps without the sender's knowing yet."""
_FLAGS = (
    *("sent", "received", "acknowledged", "timed_out", "in_flight", "unknown", "stuck", "ack_overdue"),
    *("error_written", "written"),
)
_DIGITS = 3  # of rounded latencies
_LONGEST = 18  # digits of a bigint, except the largest


def hour_of(nanoseconds: str) -> str:
    """Build the expression for the beginning of the hour of a time, both in unix nanoseconds."""
    return (
        f"CASE WHEN {nanoseconds} >= 0 THEN {nanoseconds} - {nanoseconds} % {HOUR_NS} ELSE {UNKNOWN_HOUR} END"
    )


def packet_hour(dialect: Dialect) -> str:
    """Build the expression for the hour of a packet."""
    return hour_of(f"({dialect.micros(SEEN)} * 1000)")


def bucket(seconds: str) -> str:
    """Build the expression for the number of the bucket of a latency; null for null."""
    cases = " ".join(f"WHEN {seconds} <= {bound} THEN {place}" for place, bound in enumerate(BOUNDS_S))
    return f"CASE {cases} WHEN {seconds} IS NOT NULL THEN {len(BOUNDS_S)} END"


def latency(micros: str) -> str:
    """Convert a latency to a decimal, whose sum is exact; a negative one, as clocks differ, is 0."""
    return f"CAST(greatest({micros}, 0) AS DECIMAL(18,0))"


def in_seconds(micros: str) -> str:
    """Convert a sum of latencies in microseconds to seconds."""
    return f"CAST({micros} AS DECIMAL(31,0)) * CAST('0.000001' AS DECIMAL(7,6))"


def rounded_up(micros: str) -> str:
    """Round an expression for whole microseconds up to three digits, which keeps it in its bucket."""
    cases = [f"WHEN {micros} < {10**_DIGITS} THEN {micros}"]
    for digits in range(_DIGITS + 1, _LONGEST):
        unit = 10 ** (digits - _DIGITS)
        up = f"({micros} + {unit - 1})"
        cases.append(f"WHEN {micros} < {10**digits} THEN {up} - {up} % {unit}")
    return f"CASE {' '.join(cases)} ELSE {micros} END"


class Aggregate(NamedTuple):
    """Aggregate by hour."""

    name: str  # also its column in the table of all aggregates
    columns: Columns  # beside `hour_ns` and `n`
    alike: Sequence[str]  # columns that rows are grouped by
    rows: Callable[[Dialect], str]  # query of rows to be grouped, with `hour_ns`; of packets with `micros`
    sums: Callable[[Dialect], dict[str, str]]  # expressions for the other columns
    of_packets: bool = False  # rows of packets are counted by a window of time, too

    def query(self, dialect: Dialect, since: int | None = None) -> str:
        """Build the query for the rows, which also say whether they are since a moment, in unix microseconds.

        Without a moment all are.
        """
        is_split = since is not None and self.of_packets
        recent = "TRUE" if not is_split else f"coalesce(micros >= {since}, FALSE)"
        columns = dialect.listed(self.columns, self.sums(dialect))
        keys = ", ".join(("hour_ns", *self.alike, *((recent,) if is_split else ())))
        return (
            f"SELECT hour_ns, {recent} AS recent, count(*) AS n, {columns}\n"
            f"FROM (\n{self.rows(dialect)}\n) AS counted GROUP BY {keys}"
        )


def _packets(dialect: Dialect) -> str:
    """Select packets with their results and the buckets of their latencies, from `counted_packets`."""
    named = [name for name, _ in ENDS]
    sent = dialect.micros("send_time")
    waits = {name: f"({dialect.micros(f'{name}_time')} - {sent})" for name in WAITS}
    columns = [
        *named,
        *(name for name in _FLAGS if name != "written"),
        "state",
        "write_ack_height IS NOT NULL AS written",
        f"{RESULT} AS result",
        f"CASE WHEN in_flight THEN {sent} END AS send_us",
        *(f"{bucket(f'{name}_latency_s')} AS {name}_place" for name in WAITS),
        *(f"{latency(micros)} AS {name}_us" for name, micros in waits.items()),
    ]
    return _of_packets(dialect, columns, "counted_packets")


def _of_packets(dialect: Dialect, columns: Sequence[str], rows: str, condition: str = "TRUE") -> str:
    moment = f"{packet_hour(dialect)} AS hour_ns, {dialect.micros(SEEN)} AS micros"
    return f"SELECT {moment}, {', '.join(columns)} FROM {rows} WHERE {condition}"


def _relayed(dialect: Dialect) -> str:
    """Select what relayers did with packets."""
    back = "CASE WHEN acknowledged THEN 'acknowledge_packet' ELSE 'timeout_packet' END"
    result = f"CASE WHEN acknowledged THEN {RESULT} ELSE '' END"
    sides = {
        "relayer_recv": ("recv_time", "'recv_packet'", "''", "NULL"),
        "relayer_back": ("coalesce(ack_time, timeout_time)", back, result, "state"),
    }
    ends = [name for name, _ in ENDS]
    return "\nUNION ALL ".join(
        _of_packets(
            dialect,
            [
                *ends,
                f"{relayer} AS relayer, {event} AS event, {result} AS result, {state} AS state",
                f"{dialect.micros(time)} AS relayed_us",
            ],
            "counted_packets",
            f"{relayer} IS NOT NULL OR {time} IS NOT NULL",
        )
        for relayer, (time, event, result, state) in sides.items()
    )


def _coins(dialect: Dialect) -> str:
    columns = [f"{CHAIN} AS chain", "denom", f"{_DELIVERED} AS delivered", "amount"]
    return _of_packets(dialect, columns, "counted_packets", "denom IS NOT NULL")


def each_transfer(dialect: Dialect) -> str:
    """Build the query for the view `each_transfer`: transfers of packets, with latencies in microseconds.

    It reads `hour_packets`, `packet_transfers`, `packet_forwards`, `ends` and `ways`.
    """
    waits = (
        f"{dialect.micros(f'packet.{time}')} - {dialect.micros('packet.send_time')} AS {name}_wait_us"
        for name, time in (("recv", "recv_time"), ("end", "end_time"))
    )
    return (
        f"SELECT {packet_hour(dialect)} AS hour_ns, {dialect.micros(SEEN)} AS micros, packet.src_chain,\n"
        "  packet.dst_chain, packet.route, packet.sequence, told.src_coin, told.base_denom, told.amount,\n"
        f"  {TRANSFER_OUTCOME} AS outcome, linked.way IS NOT NULL AS is_linked, {', '.join(waits)}\n"
        f"FROM (\n{first_transfers('packet_transfers', _OF_TRANSFER)}\n) AS told\n"
        "JOIN (\n"
        "  SELECT ways.way, packets.*, coalesce(ack_time, timeout_time) AS end_time\n"
        "  FROM hour_packets AS packets JOIN ways ON packets.route = ways.way_key\n"
        ") AS packet ON packet.way = told.way AND packet.sequence = told.sequence\n"
        "LEFT JOIN (SELECT DISTINCT way, sequence FROM (\n"
        f"{of_ends('packet_forwards')}\n) AS every) AS linked\n"
        "  ON told.way = linked.way AND told.sequence = linked.sequence"
    )


def _transfers(_: Dialect) -> str:
    """Select transfers; those of forwarded packets with the packet and its latencies.

    The number of their hop may depend on packets of other hours, so it is found when the rows are read.
    """
    own = {"route": "route", "sequence": "sequence", "recv_us": "recv_wait_us", "end_us": "end_wait_us"}
    linked = (f"CASE WHEN is_linked THEN {of} END AS linked_{name}" for name, of in own.items())
    return f"SELECT *, {', '.join(linked)} FROM each_transfer"


def _hops(_: Dialect) -> str:
    """Select the latencies of the other transfers."""
    steps = {"recv": "'received'", "end": "outcome"}
    return "\nUNION ALL ".join(
        f"SELECT hour_ns, micros, '{step}' AS step, {outcome} AS outcome,\n"
        f"  {rounded_up(f'{step}_wait_us')} AS wait_us, {latency(f'{step}_wait_us')} AS exact_us\n"
        f"FROM each_transfer WHERE NOT is_linked AND {step}_wait_us IS NOT NULL"
        for step, outcome in steps.items()
    )


def _of_blocks(view: str, columns: Iterable[str], condition: str = "TRUE") -> str:
    listed = ", ".join(columns)
    return f"SELECT {hour_of('time_ns')} AS hour_ns, {listed} FROM {view} WHERE {condition}"


def _transactions(_: Dialect) -> str:
    relaying = "coalesce(relays > 0, FALSE)"
    columns = [
        "chain",
        *(f"CASE WHEN {relaying} THEN {name} END AS {name}" for name in ("signer", "fee_denom")),
        f"{relaying} AS relaying",
        "coalesce(code <> 0, FALSE) AS failed",
        f"coalesce(codespace = 'channel' AND code = {REDUNDANT}, FALSE) AS too_late",
        "CASE WHEN code = 0 THEN greatest(relays - steps, 0) ELSE 0 END AS idle",
        *("relays", "steps", "gas_used", "fee_amount"),
    ]
    return _of_blocks("hour_transactions", columns)


def _facts(_: Dialect) -> str:
    """Select facts; of the many about one client only its creation has a row of its own."""
    own = "CASE WHEN type <> 'client' OR told_by = 'create_client' THEN place END AS own_place"
    columns = [own, "other_height IS NULL AS lacks_height", *FACT_COLUMNS]
    return _of_blocks("hour_facts", columns, "type IN ('client', 'connection', 'channel')")


def _ends(_: Dialect) -> str:
    ends = (f"{expression} AS {name}" for name, expression in (OWN_END | OTHER_END).items())
    columns = ["chain", "connection", "ordering", *ends, "height"]
    return _of_blocks("hour_events", columns, f"protocol = {V1} AND tx_index IS NOT NULL")


def _total(dialect: Dialect, amount: str) -> str:
    """Aggregate to the sum of amounts as text; null without any."""
    found = f"coalesce(CAST({dialect.total(amount)} AS string), '{TOO_LARGE}')"
    return f"CASE WHEN count({amount}) > 0 THEN {found} END"


def _added(*names: str) -> dict[str, str]:
    return {name: f"sum({name})" for name in names}


_OF_TRANSFER = ("src_coin", "base_denom", "amount")
_OF_PACKETS = (*(name for name, _ in ENDS), "state", *_FLAGS, "result")
_PLACES = tuple(f"{name}_place" for name in WAITS)
_OF_FACTS = (
    *("chain", "type", "told_by", "client", "client_type", "connection", "port", "channel", "other_port"),
    *("other_channel", "ordering", "other_client", "other_connection", "trusting_ns", "account"),
)
FACT_COLUMNS = (*_OF_FACTS, *("place", "height", "other_revision", "other_height", "other_ns", "time_ns"))
"""Columns of facts from which the tables of clients and channels are made."""
_NUMBERS = {"trusting_ns", "place", "height", "other_revision", "other_height", "other_ns", "time_ns"}
END_COLUMNS = ("chain", "connection", "ordering", *OWN_END, *OTHER_END, "height")
"""Columns of channel ends in packets."""
_LINKED = ("linked_route", "linked_sequence", "linked_recv_us", "linked_end_us")
_FORWARD = tuple(SCHEMAS[FORWARDS].names)


def _texts(*names: str) -> Columns:
    return tuple((name, "string") for name in names)


AGGREGATES = (
    Aggregate(
        "packets",
        (
            *ENDS,
            *_texts("state"),
            *((name, "boolean") for name in _FLAGS),
            *_texts("result"),
            *((name, "int") for name in _PLACES),
            ("send_us", "bigint"),
            *((f"{name}_s", "decimal(38,6)") for name in WAITS),
            *columns_of("first_us bigint, last_us bigint"),
        ),
        (*_OF_PACKETS, *_PLACES, "send_us"),
        _packets,
        lambda _: (
            {f"{name}_s": in_seconds(f"sum({name}_us)") for name in WAITS}
            | {"first_us": "min(micros)", "last_us": "max(micros)"}
        ),
        of_packets=True,
    ),
    Aggregate(
        "relayed",
        (*ENDS, *_texts("relayer", "event", "result", "state"), ("last_us", "bigint")),
        (*(name for name, _ in ENDS), "relayer", "event", "result", "state"),
        _relayed,
        lambda _: {"last_us": "max(relayed_us)"},
        of_packets=True,
    ),
    Aggregate(
        "coins",
        columns_of("chain string, denom string, delivered boolean, amount string"),
        ("chain", "denom", "delivered"),
        _coins,
        lambda dialect: {"amount": _total(dialect, "amount")},
        of_packets=True,
    ),
    Aggregate(
        "transfers",
        columns_of(
            "src_chain string, dst_chain string, src_coin string, base_denom string, outcome string, "
            "linked_route string, linked_sequence bigint, linked_recv_us bigint, linked_end_us bigint, "
            "amount string"
        ),
        ("src_chain", "dst_chain", "src_coin", "base_denom", "outcome", *_LINKED),
        _transfers,
        lambda dialect: {"amount": _total(dialect, "amount")},
        of_packets=True,
    ),
    Aggregate(
        "hops",
        columns_of("step string, outcome string, wait_us bigint, seconds decimal(38,6)"),
        ("step", "outcome", "wait_us"),
        _hops,
        lambda _: {"seconds": in_seconds("sum(exact_us)")},
        of_packets=True,
    ),
    Aggregate(
        "forwards",
        tuple((name, "bigint") for name in _FORWARD),
        _FORWARD,
        lambda _: _of_blocks("hour_forwards", _FORWARD),
        lambda _: {},
    ),
    Aggregate(
        "transactions",
        columns_of(
            "chain string, signer string, fee_denom string, relaying boolean, failed boolean, "
            "too_late boolean, relays bigint, idle bigint, steps bigint, gas_used decimal(38,0), fees string"
        ),
        ("chain", "signer", "fee_denom", "relaying", "failed", "too_late"),
        _transactions,
        lambda dialect: (
            _added("relays", "idle", "steps")
            | {"gas_used": "sum(CAST(gas_used AS DECIMAL(38,0)))", "fees": _total(dialect, "fee_amount")}
        ),
    ),
    Aggregate(
        "facts",
        tuple((name, "bigint" if name in _NUMBERS else "string") for name in FACT_COLUMNS),
        (*_OF_FACTS, "own_place", "lacks_height"),
        _facts,
        lambda _: (
            {name: f"max_by({name}, place)" for name in ("height", "other_revision", "other_height")}
            | {name: f"max({name})" for name in ("place", "other_ns", "time_ns")}
        ),
    ),
    Aggregate(
        "ends",
        (*_texts(*END_COLUMNS[:-1]), ("height", "bigint")),
        END_COLUMNS[:-1],
        _ends,
        lambda _: {"height": "max(height)"},
    ),
    Aggregate(
        "events", _texts("type"), ("type",), lambda _: _of_blocks("hour_events", ["type"]), lambda _: {}
    ),
)
"""All aggregates."""
