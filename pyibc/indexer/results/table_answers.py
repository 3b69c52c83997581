"""Queries about the rest: clients, channels, transfers, latencies by hop, transactions, costs.

Transfers and transactions are read from aggregates by hour (`hours.py`).
"""

from typing import Any, NamedTuple

from pyibc.indexer.results.hours import in_seconds, latency, rounded_up
from pyibc.indexer.sql import Dialect, SqlEngine

PERCENTILES = (0.5, 0.9, 0.95, 0.99)
COUNTED = 10_000  # maximum rows of a result list; the total is counted separately
OUTCOMES = ("delivered", "answered", "refunded", "refused", "received", "pending")
Row = Any  # a tuple with the query's column names as fields


class TableAnswers(NamedTuple):
    """Query results, at most `COUNTED` rows each. Times are in unix microseconds."""

    clients: list[Row]  # clients in use first
    client_count: int
    ends: list[Row]  # channel ends, last used first
    end_count: int
    flows: list[Row]  # transfers from chain to chain
    flow_count: int
    coins: list[Row]  # transfers by pair of chains and coin
    coin_count: int
    hops: list[Row]  # latency by hop
    costs: list[Row]  # by relayer, chain and fee coin
    cost_count: int
    transactions: list[Row]  # by chain


def answer_tables(engine: SqlEngine, is_part: bool = False) -> TableAnswers:
    """Run all queries; the tables and aggregates are registered with `engine` under their names.

    If the window `is_part` of the data, columns `recent_...` count the transfers in it.
    """
    dialect = engine.dialect
    pair, coin = ("src_chain", "dst_chain"), ("src_coin", "base_denom")
    return TableAnswers(
        *top(engine, clients_query(dialect), "(channels + packets)", "chain", "client"),
        *top(engine, _ENDS, "last_height", "chain", "port", "channel"),
        *top(engine, flows_query(pair, dialect, is_part), "transfers", *pair),
        *top(engine, flows_query((*pair, *coin), dialect, is_part), "transfers", *pair, *coin),
        engine.rows(hops_query(dialect) + " ORDER BY hop"),
        *top(engine, relayer_costs_query(dialect), "transactions", "relayer", "chain", "fee_denom"),
        engine.rows(_TRANSACTIONS),
    )


def top(engine: SqlEngine, query: str, by: str, *order: str) -> tuple[list[Row], int]:
    """Return the first rows by descending `by`, and the total number of rows."""
    ordered = ", ".join(f"{column} NULLS FIRST" for column in order)
    rows = engine.rows(f"SELECT * FROM ({query}) AS every ORDER BY {by} DESC, {ordered}\nLIMIT {COUNTED}")
    if len(rows) < COUNTED:
        return rows, len(rows)
    (whole,) = engine.rows(f"SELECT count(*) AS n FROM ({query}) AS every")
    return rows, whole.n


def clients_query(dialect: Dialect) -> str:
    """Build the query for one row per client, with its number of open channels and IBC v2 packets."""
    moments = ", ".join(
        f"{dialect.micros(f'{name}_time')} AS {name}" for name in ("last_update", "expires", "consensus")
    )
    return f"""SELECT clients.chain, clients.client, client_type, claimed_chain, trusting_period_s, updates,
  misbehaved, {moments}, coalesce(above.n, 0) AS channels, coalesce(v2.n, 0) AS packets
FROM clients
LEFT JOIN (
  SELECT chain, client, count(*) AS n FROM channels WHERE coalesce(state, '') <> 'CLOSED'
  GROUP BY chain, client
) AS above ON above.chain = clients.chain AND above.client = clients.client
LEFT JOIN (
  SELECT chain, client, CAST(sum(n) AS bigint) AS n FROM (
    SELECT src_chain AS chain, src_channel AS client, n FROM packets_by_hour WHERE protocol = 2
    UNION ALL SELECT dst_chain AS chain, dst_channel AS client, n FROM packets_by_hour WHERE protocol = 2
  ) AS named GROUP BY chain, client
) AS v2 ON v2.chain = clients.chain AND v2.client = clients.client"""


_ENDS = """SELECT chain, port, channel, state, ordering, client, other_chain, other_port, other_channel,
  known_by, coalesce(last_height, 0) AS last_height FROM channels"""


def flows_query(keys: tuple[str, ...], dialect: Dialect, is_part: bool = False) -> str:
    """Build the query for one row per `keys`: transfers by outcome, with the delivered `amount` per coin.

    `forwarded` counts the hops after the first one. A sum of more than 38 digits is null. Without `src_coin`
    in `keys`, there is no `amount`. If the window `is_part` of the data, columns `recent_...` count in it.
    """
    named = ", ".join(keys)
    columns = _flow(dialect, "src_coin" in keys)
    if is_part:
        columns |= {
            f"recent_{name}": what for name, what in _flow(dialect, "src_coin" in keys, "recent").items()
        }
    listed = ", ".join(f"{what} AS {name}" for name, what in columns.items())
    return f"SELECT {named}, {listed} FROM ({_TRANSFERS}) AS transfers GROUP BY {named}"


def _flow(dialect: Dialect, with_amount: bool, recent: str = "TRUE") -> dict[str, str]:
    """Return the columns of a flow: numbers of transfers, and the delivered amount."""
    conditions = {"transfers": "TRUE"} | {name: f"outcome = '{name}'" for name in OUTCOMES}
    conditions["forwarded"] = "hop > 1"
    columns = {name: added("n", f"{recent} AND {what}") for name, what in conditions.items()}
    if with_amount:
        columns["amount"] = dialect.total("amount", f"{recent} AND outcome = 'delivered'")
    return columns


def added(number: str, condition: str = "TRUE") -> str:
    """Aggregate to the sum of a number under `condition`; 0 without rows."""
    return f"CAST(coalesce(sum(CASE WHEN {condition} THEN {number} END), 0) AS bigint)"


_TRANSFERS = """SELECT transfers.*, 1 + coalesce(origins.step, CAST(0 AS bigint)) AS hop
FROM transfers_by_hour AS transfers
LEFT JOIN origins ON linked_route = origins.way_key AND linked_sequence = origins.sequence"""


def _waits_query() -> str:
    steps = {"recv": "'received'", "end": "outcome"}
    times = "CAST(n AS DECIMAL(12,0))"
    linked = "\nUNION ALL ".join(
        f"SELECT CAST(hop AS int) AS hop, '{step}' AS step, {outcome} AS outcome,"
        f" {rounded_up(f'linked_{step}_us')} AS wait_us,"
        f" n, {in_seconds('(' + latency(f'linked_{step}_us') + f' * {times})')} AS seconds\n"
        f"FROM ({_TRANSFERS}) AS transfers WHERE linked_{step}_us IS NOT NULL"
        for step, outcome in steps.items()
    )
    return (
        "SELECT 1 AS hop, step, outcome, wait_us, CAST(sum(n) AS bigint) AS n, sum(seconds) AS seconds\n"
        f"FROM hops_by_hour GROUP BY step, outcome, wait_us\nUNION ALL {linked}"
    )


WAITS_QUERY = _waits_query()
"""Query for the latencies of transfers by hop, with the number `n` of equal ones.

`step` is `recv` or `end`, `wait_us` is in microseconds, rounded up to three digits, and `seconds` is the sum
of the exact ones, in which negative ones are zero.
"""


def hops_query(dialect: Dialect) -> str:
    """Build the query for one row per hop number: outcomes, percentiles of seconds to receipt and end.

    Latencies are rounded up to three digits.
    """
    outcomes = (f"{added('n', f'outcome = {name!r}')} AS {name}" for name in OUTCOMES)
    columns = ", ".join([f"{added('n')} AS transfers", *outcomes])
    ranked = (
        "SELECT hop, step, wait_us, sum(n) OVER (PARTITION BY hop, step ORDER BY wait_us) AS upto,\n"
        "  sum(n) OVER (PARTITION BY hop, step) AS whole\n"
        f"FROM (SELECT hop, step, wait_us, sum(n) AS n FROM ({WAITS_QUERY}) AS waits"
        " GROUP BY hop, step, wait_us) AS equal"
    )
    quantiles = []
    for step in ("recv", "end"):
        values = dialect.array(
            f"min(CASE WHEN step = '{step}' AND upto >= {rank} * whole THEN wait_us END) / 1e6"
            for rank in PERCENTILES
        )
        known = f"count(CASE WHEN step = '{step}' THEN 1 END) > 0"
        quantiles.append(f"CASE WHEN {known} THEN {values} END AS {step}_quantiles")
    return (
        f"SELECT counted.*, recv_quantiles, end_quantiles\n"
        f"FROM (SELECT CAST(hop AS int) AS hop, {columns} FROM ({_TRANSFERS}) AS transfers\n"
        "  GROUP BY hop) AS counted\n"
        f"LEFT JOIN (SELECT hop, {', '.join(quantiles)} FROM ({ranked}) AS ranked GROUP BY hop) AS waits\n"
        "  ON counted.hop = waits.hop"
    )


_NAMED_TRANSACTIONS = """SELECT transactions.*, chain_names.chain AS named
FROM transactions_by_hour AS transactions JOIN chain_names ON transactions.chain = chain_names.key"""

_TRANSACTIONS = f"""SELECT named AS chain, {added("n")} AS transactions, {added("n", "failed")} AS failed,
  {added("n", "relaying")} AS relaying, {added("n", "relaying AND failed")} AS relaying_failed,
  {added("steps")} AS steps
FROM ({_NAMED_TRANSACTIONS}) AS transactions GROUP BY named ORDER BY named"""


GAPS_QUERY = """WITH known AS (
  SELECT chain, height, whole FROM blocks
  UNION ALL SELECT chain, height, TRUE FROM events WHERE tx_index IS NULL
), heights AS (
  SELECT chain, height FROM known WHERE whole GROUP BY chain, height
  UNION SELECT known.chain, coalesce(min(since_height), min(height)) - 1
    FROM known LEFT JOIN chains ON known.chain = chains.chain GROUP BY known.chain
  UNION SELECT chain, least(max(height), 9223372036854775806) + 1 FROM known GROUP BY chain
)
SELECT chain, below + 1 AS first, height - 1 AS last
FROM (
  SELECT chain, height, lag(height) OVER (PARTITION BY chain ORDER BY height) AS below FROM heights
) AS pairs
WHERE height > below + 1 ORDER BY chain, first"""
"""Query for all ranges of missing heights, over the tables `blocks`, `events` and `chains`."""


def relayer_costs_query(dialect: Dialect) -> str:
    """Build the query for one row per relayer, chain and fee coin, over transactions with relay messages.

    `failed` transactions have paid fees; `failed_redundant` ones failed because all packets had been relayed
    already (ibc-go's code 22). `redundant` counts messages without effect in successful transactions, because
    another relayer was first. Fees are paid for failed transactions, too; sums of more than 38 digits are
    null.
    """
    columns = [
        "signer AS relayer, named AS chain, fee_denom",
        f"{added('n')} AS transactions",
        f"{added('n', 'failed')} AS failed",
        f"{added('n', 'too_late')} AS failed_redundant",
        f"{added('relays')} AS messages, {added('idle')} AS redundant",
        "CAST(sum(gas_used) AS double) AS gas_used",
        f"{dialect.total('fees')} AS fees, {dialect.total('fees', 'failed')} AS failed_fees",
    ]
    rows = f"FROM ({_NAMED_TRANSACTIONS}) AS transactions WHERE relaying AND signer IS NOT NULL"
    return f"SELECT {', '.join(columns)} {rows} GROUP BY signer, named, fee_denom"
