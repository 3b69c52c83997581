"""Queries over the other tables: clients, channels, transfers, latencies by hop, transactions, costs."""

from typing import Any, NamedTuple

from pyibc.indexer.sql import Dialect, SqlEngine

PERCENTILES = (0.5, 0.9, 0.95, 0.99)
COUNTED = 10_000  # maximum rows of a result list; the total is counted separately
REDUNDANT = 22  # of codespace `channel`: ibc-go's ErrRedundantTx
OUTCOMES = ("delivered", "refunded", "refused", "received", "pending")
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


def answer_tables(engine: SqlEngine, since: int | None = None) -> TableAnswers:
    """Run all queries; the tables are registered with `engine` under their names.

    Columns `recent_...` count the transfers since a moment, in unix microseconds.
    """
    dialect = engine.dialect
    pair, coin = ("src_chain", "dst_chain"), ("src_coin", "base_denom")
    return TableAnswers(
        *top(engine, clients_query(dialect), "(channels + packets)", "chain", "client"),
        *top(engine, _ENDS, "last_height", "chain", "port", "channel"),
        *top(engine, flows_query(pair, dialect, since), "transfers", *pair),
        *top(engine, flows_query((*pair, *coin), dialect, since), "transfers", *pair, *coin),
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
  SELECT chain, client, count(*) AS n FROM (
    SELECT src_chain AS chain, src_channel AS client FROM packets WHERE protocol = 2
    UNION ALL SELECT dst_chain AS chain, dst_channel AS client FROM packets WHERE protocol = 2
  ) AS named GROUP BY chain, client
) AS v2 ON v2.chain = clients.chain AND v2.client = clients.client"""


_ENDS = """SELECT chain, port, channel, state, ordering, client, other_chain, other_port, other_channel,
  known_by, coalesce(last_height, 0) AS last_height FROM channels"""


def flows_query(keys: tuple[str, ...], dialect: Dialect, since: int | None = None) -> str:
    """Build the query for one row per `keys`: transfers by outcome, with the delivered `amount` per coin.

    `forwarded` counts the hops after the first one. A sum of more than 38 digits is null. Without `src_coin`
    in `keys`, there is no `amount`.
    """
    named = ", ".join(keys)
    columns = _flow(dialect, "src_coin" in keys)
    if since is not None:
        recent = f"{dialect.micros('coalesce(send_time, recv_time)')} >= {since}"
        columns |= {
            f"recent_{name}": what for name, what in _flow(dialect, "src_coin" in keys, recent).items()
        }
    listed = ", ".join(f"{what} AS {name}" for name, what in columns.items())
    return f"SELECT {named}, {listed} FROM transfers GROUP BY {named}"


def _flow(dialect: Dialect, with_amount: bool, recent: str = "TRUE") -> dict[str, str]:
    """Return the columns of a flow: numbers of transfers, and the delivered amount."""
    conditions = {"transfers": "TRUE"} | {name: f"outcome = '{name}'" for name in OUTCOMES}
    conditions["forwarded"] = "hop > 1"
    columns = {name: f"count(CASE WHEN {recent} AND {what} THEN 1 END)" for name, what in conditions.items()}
    if with_amount:
        columns["amount"] = dialect.total("amount", f"{recent} AND outcome = 'delivered'")
    return columns


def hops_query(dialect: Dialect) -> str:
    """Build the query for one row per hop number: outcomes, percentiles of seconds to receipt and end."""
    send = dialect.micros("send_time")
    waits = {name: f"({dialect.micros(f'{name}_time')} - {send}) / 1e6" for name in ("recv", "end")}
    quantiles = (
        f"{dialect.percentiles(wait, PERCENTILES)} AS {name}_quantiles" for name, wait in waits.items()
    )
    outcomes = (f"count(CASE WHEN outcome = '{name}' THEN 1 END) AS {name}" for name in OUTCOMES)
    columns = ", ".join(["count(*) AS transfers", *outcomes, *quantiles])
    return f"SELECT hop, {columns} FROM transfers GROUP BY hop"


_TRANSACTIONS = """SELECT chain, count(*) AS transactions, count(CASE WHEN code <> 0 THEN 1 END) AS failed,
  count(CASE WHEN relays > 0 THEN 1 END) AS relaying,
  count(CASE WHEN relays > 0 AND code <> 0 THEN 1 END) AS relaying_failed,
  CAST(coalesce(sum(steps), 0) AS bigint) AS steps
FROM transactions GROUP BY chain ORDER BY chain"""


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
    idle = "CASE WHEN code = 0 THEN greatest(relays - steps, 0) ELSE 0 END"
    columns = [
        "signer AS relayer, chain, fee_denom, count(*) AS transactions",
        "count(CASE WHEN code <> 0 THEN 1 END) AS failed",
        f"count(CASE WHEN codespace = 'channel' AND code = {REDUNDANT} THEN 1 END) AS failed_redundant",
        f"CAST(sum(relays) AS bigint) AS messages, CAST(sum({idle}) AS bigint) AS redundant",
        "sum(CAST(gas_used AS double)) AS gas_used",
        f"{dialect.total('fee_amount')} AS fees, {dialect.total('fee_amount', 'code <> 0')} AS failed_fees",
    ]
    rows = "FROM transactions WHERE relays > 0 AND signer IS NOT NULL"
    return f"SELECT {', '.join(columns)} {rows} GROUP BY signer, chain, fee_denom"
