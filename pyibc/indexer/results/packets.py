"""Packet table: aggregated packets with names, states and latencies."""

from pyibc.indexer.chains.routes import TX_KINDS
from pyibc.indexer.events.acks import ERROR, OPAQUE, SUCCESS
from pyibc.indexer.events.packet_facts import ACK, ACK_STATES, QUEUE, RECV, SEND, TIMEOUT, V2, WRITE_ACK
from pyibc.indexer.sql import Columns, Dialect, columns_of

OVERDUE_AFTER_BLOCKS = 600  # used without block times: an hour of six-second blocks
OLDER_S = 60  # tolerated difference of the clocks of two chains
STEPS = {SEND: "send", RECV: "recv", WRITE_ACK: "write_ack", ACK: "ack", TIMEOUT: "timeout"}
_WORST_ACK = "greatest(ack_written, ack_returned)"
ENDS = columns_of(
    "src_chain string, dst_chain string, protocol tinyint, src_port string, src_channel string, "
    "dst_port string, dst_channel string"
)
"""Columns with the chains, protocol and channel ends of a packet, in every table of packets."""
WAYS: Columns = (
    *columns_of("way bigint"),
    *ENDS,
    *columns_of(
        "src_known_by string, dst_known_by string, account string, src_base bigint, src_tip bigint, "
        "src_tip_ns bigint, src_lacks bigint, dst_revision bigint, dst_height bigint, dst_tip bigint, "
        "dst_tip_ns bigint, overdue_ns bigint, dst_whole_ns bigint, way_key string"
    ),
)
COLUMNS: Columns = (
    *ENDS,
    *columns_of("sequence bigint, state string"),
    *((name, "boolean") for name in ("sent", "received", "acknowledged", "timed_out")),
    *((name, "boolean") for name in ("in_flight", "unknown", "stuck")),
    *columns_of("ack string, error_written boolean, error_returned boolean, ack_error string"),
    *(
        column
        for name in STEPS.values()
        for column in ((f"{name}_height", "bigint"), (f"{name}_time", "timestamp"))
    ),
    *columns_of("expires_height string, expires_time timestamp"),
    *((f"{name}_latency_s", "double") for name in ("recv", "ack", "timeout")),
    *((name, "string") for name in ("relayer_recv", "relayer_back", "denom", "amount")),
    *((name, "string") for name in ("sender", "receiver", "memo")),
    *columns_of("payloads int"),
    *((f"{STEPS[kind]}_tx", "string") for kind in TX_KINDS),
    *columns_of("src_known_by string, dst_known_by string, packet_id string, ack_overdue boolean"),
)
"""Columns of the table `packets`, in order."""


def followed() -> str:
    """Join packets with their routes, and compute `in_flight`, `arrived`, `gap`, `expired` and `silent`."""
    return (
        "SELECT packets.*, src_chain, dst_chain, protocol, src_port, src_channel, dst_port, dst_channel,\n"
        "  src_known_by, dst_known_by, way_key, dst_whole_ns,\n"
        f"  ({_seen(SEND)} AND NOT {_seen(ACK)} AND NOT {_seen(TIMEOUT)}) AS in_flight,\n"
        f"  ({_seen(RECV)} OR {_seen(WRITE_ACK)}) AS arrived,\n"
        f"  src_lacks > coalesce({SEND}_position, src_lacks) AS gap,\n"
        f"  coalesce({_expired_by_time()}, FALSE) OR coalesce({_expired_by_height()}, FALSE) AS expired,\n"
        f"  coalesce({_silent()}, FALSE) AS silent\n"
        "FROM packets JOIN ways ON packets.way = ways.way"
    )


def states() -> dict[str, str]:
    """Build the expressions for the state of a packet."""
    names = " ".join(f"WHEN {place} THEN '{state}'" for place, state in enumerate(ACK_STATES, 1))
    stuck = "(in_flight AND (expired OR silent) AND NOT arrived AND NOT gap)"
    return {
        "state": (
            f"CASE WHEN {_seen(TIMEOUT)} THEN 'timed_out' WHEN {_seen(ACK)} THEN {_result()}"
            " WHEN in_flight AND gap THEN 'unknown' WHEN arrived THEN 'received'"
            f" WHEN {stuck} THEN 'stuck' ELSE 'sent' END"
        ),
        "sent": _seen(SEND),
        "received": _received(),
        "acknowledged": _seen(ACK),
        "timed_out": _seen(TIMEOUT),
        "in_flight": "in_flight",
        "unknown": "(in_flight AND gap)",
        "stuck": stuck,
        "ack": f"CASE {_WORST_ACK} {names} END",
        "error_written": "coalesce(ack_written = 3, FALSE)",
        "error_returned": "coalesce(ack_returned = 3, FALSE)",
        "ack_error": "detail.name",
    }


def _received() -> str:
    """Build the expression for `received`: null if the receive may be in a block that is missing.

    A timeout proves that the packet was not received. An acknowledgement proves that it was, in a block that
    is missing if there is no event of it.
    """
    after = f"dst_whole_ns = 0 OR {SEND}_ns - {OLDER_S * 10**9} >= dst_whole_ns"
    return (
        f"CASE WHEN arrived THEN TRUE WHEN {_seen(TIMEOUT)} THEN FALSE WHEN {_seen(ACK)} THEN NULL"
        f" WHEN {after} THEN FALSE END"
    )


def _seen(kind: str) -> str:
    return f"{kind}_height IS NOT NULL"


def _expired_by_time() -> str:
    """Build the condition that the timeout has passed on the receiving chain, and on the sending chain.

    Packets of channels expire at their timeout, those of queues after it.
    """
    passed = f"timeout_ns <= coalesce(dst_tip_ns, src_tip_ns) - {_grace()}"
    return f"timeout_ns > 0 AND {passed} AND timeout_ns <= coalesce(src_tip_ns, dst_tip_ns)"


def _expired_by_height() -> str:
    """Build the condition that the timeout height was reached on the receiving chain.

    The last known block of the sending chain must not be older. Height 0 of a revision is a timeout, too.
    """
    reached = (
        "(dst_revision > timeout_revision"
        f" OR (dst_revision = timeout_revision AND dst_height - {_grace()} >= timeout_height))"
    )
    as_far = f"coalesce(src_tip_ns >= dst_tip_ns - {OLDER_S * 10**9}, TRUE)"
    return f"{_has_height()} AND dst_height IS NOT NULL AND {reached} AND {as_far}"


def _grace() -> str:
    return f"(CASE WHEN protocol = {QUEUE} THEN 1 ELSE 0 END)"


def _has_height() -> str:
    return "(timeout_height > 0 OR timeout_revision > 0)"


def _silent() -> str:
    """Build the condition that both chains went on for an hour since the last event of the packet.

    Without block times, each chain must have made `OVERDUE_AFTER_BLOCKS` since its own last event of it.
    """
    heard = f"greatest({', '.join(f'{kind}_ns' for kind in (SEND, RECV, WRITE_ACK))})"
    last = f"greatest({RECV}_position, {WRITE_ACK}_position)"
    return (
        f"CASE WHEN {heard} IS NOT NULL THEN {heard} < overdue_ns"
        f" ELSE src_tip - {SEND}_position > {OVERDUE_AFTER_BLOCKS}"
        f" AND coalesce(dst_tip - {last} > {OVERDUE_AFTER_BLOCKS}, TRUE) END"
    )


def _result() -> str:
    """Build the state of an acknowledged packet.

    Bytes of an application's own are a success in IBC v2, which reserves the bytes of an error. On a channel
    only the application knows.
    """
    names = (ERROR, OPAQUE, SUCCESS)
    error, opaque, success = (f"{_WORST_ACK} = {ACK_STATES.index(name) + 1}" for name in names)
    succeeded = f"{success} OR ({opaque} AND protocol = {V2})"
    return f"CASE WHEN {error} THEN 'failed' WHEN {succeeded} THEN 'succeeded' ELSE 'acknowledged' END"


def moments(dialect: Dialect) -> dict[str, str]:
    """Build the expressions for the heights and times of a packet."""
    limit = "(CAST(timeout_revision AS string) || '-' || CAST(timeout_height AS string))"
    found = {
        "expires_height": f"CASE WHEN {_has_height()} THEN {limit} END",
        "expires_time": f"CASE WHEN timeout_ns > 0 THEN {dialect.time('timeout_ns')} END",
    }
    for kind, name in STEPS.items():
        found |= {f"{name}_height": f"{kind}_height", f"{name}_time": dialect.time(f"{kind}_ns")}
    return found


def latencies() -> dict[str, str]:
    """Build the expressions for the latencies of a packet, in seconds."""
    return {f"{STEPS[kind]}_latency_s": f"({kind}_ns - {SEND}_ns) / 1e9" for kind in (RECV, ACK, TIMEOUT)}
