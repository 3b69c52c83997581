"""Answers from the tables beside that of packets: clients, flows, hops, transactions, what relaying costs."""

from typing import Any, NamedTuple

from ibc_indexer.engines import Dialect, Engine

PERCENTILES = (0.5, 0.9, 0.95, 0.99)
COUNTED = 10_000  # rows of a list; longer ones are counted apart
REDUNDANT = 22  # of codespace `channel`: ibc-go's ErrRedundantTx
OUTCOMES = ("delivered", "refunded", "refused", "received", "pending")
Row = Any  # named fields, as the query names them


class TableAnswers(NamedTuple):
    """What the tables answer, at most `COUNTED` rows of each. Moments are unix microseconds."""

    clients: list[Row]  # those in use first
    client_count: int
    ends: list[Row]  # of channels, the last used first
    end_count: int
    flows: list[Row]  # transfers from chain to chain
    flow_count: int
    coins: list[Row]  # the same by coin
    coin_count: int
    hops: list[Row]  # latency by hop
    costs: list[Row]  # a relayer on a chain, by coin of the fee
    cost_count: int
    transactions: list[Row]  # by chain


def answer_tables(engine: Engine) -> TableAnswers:
    """All of them; `engine` knows the tables by their names."""
    dialect = engine.dialect
    pair = ("src_chain", "dst_chain")
    costs = relayer_costs_query(dialect).format(transactions="transactions")
    return TableAnswers(
        *top(engine, clients_query(dialect), "(channels + packets)", "chain", "client"),
        *top(engine, _ENDS, "last_height", "chain", "port", "channel"),
        *top(engine, flows_query(pair, dialect), "transfers", *pair),
        *top(engine, flows_query((*pair, "src_coin", "base_denom"), dialect), "transfers", *pair, "src_coin"),
        engine.rows(hops_query(dialect) + " ORDER BY hop"),
        *top(engine, costs, "transactions", "relayer", "chain", "fee_denom"),
        engine.rows(_TRANSACTIONS),
    )


def top(engine: Engine, query: str, by: str, *order: str) -> tuple[list[Row], int]:
    """The rows with most of `by`, and how many there are."""
    ordered = ", ".join(f"{column} NULLS FIRST" for column in order)
    rows = engine.rows(f"SELECT * FROM ({query}) AS every ORDER BY {by} DESC, {ordered}\nLIMIT {COUNTED}")
    if len(rows) < COUNTED:
        return rows, len(rows)
    (whole,) = engine.rows(f"SELECT count(*) AS n FROM ({query}) AS every")
    return rows, whole.n


def clients_query(dialect: Dialect) -> str:
    """A row a client, with what is over it: channels that are not closed, packets of IBC v2."""
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


def flows_query(keys: tuple[str, ...], dialect: Dialect) -> str:
    """A row for each of `keys`: transfers by what became of them; `amount` is what was delivered.

    `forwarded` are hops after a transfer's first. A sum beyond 38 digits is null, and so is one over coins.
    """
    named = ", ".join(keys)
    outcomes = ", ".join(f"count(CASE WHEN outcome = '{name}' THEN 1 END) AS {name}" for name in OUTCOMES)
    delivered = "CASE WHEN outcome = 'delivered' THEN amount_decimal ELSE CAST(0 AS DECIMAL(38,0)) END"
    amount = f", {dialect.total(delivered)} AS amount" if "src_coin" in keys else ""
    return (
        f"SELECT {named}, count(*) AS transfers, {outcomes}, count(CASE WHEN hop > 1 THEN 1 END) AS forwarded"
        f"{amount} FROM transfers GROUP BY {named}"
    )


def hops_query(dialect: Dialect) -> str:
    """A row a hop of transfers: how long until received and until answered, percentiles in seconds."""
    send = dialect.micros("send_time")
    waits = {name: f"({dialect.micros(f'{name}_time')} - {send}) / 1e6" for name in ("recv", "end")}
    quantiles = (
        f"{dialect.percentiles(wait, PERCENTILES)} AS {name}_quantiles" for name, wait in waits.items()
    )
    return f"SELECT hop, count(*) AS transfers, {', '.join(quantiles)} FROM transfers GROUP BY hop"


_TRANSACTIONS = """SELECT chain, count(*) AS transactions, count(CASE WHEN code <> 0 THEN 1 END) AS failed,
  count(CASE WHEN relays > 0 THEN 1 END) AS relaying,
  count(CASE WHEN relays > 0 AND code <> 0 THEN 1 END) AS relaying_failed,
  CAST(coalesce(sum(steps), 0) AS bigint) AS steps
FROM transactions GROUP BY chain ORDER BY chain"""


def relayer_costs_query(dialect: Dialect) -> str:
    """A row a relayer, chain and coin of the fee, over the `{transactions}` that carry packets' next steps.

    `failed` were paid for and undone; of those, `failed_redundant` as all in them had been relayed before
    (ibc-go's code 22). `redundant` are messages of successful transactions that did nothing: another
    relayer was first. A fee is paid whether or not the transaction fails; sums beyond 38 digits are null.
    """
    amount = "TRY_CAST(fee_amount AS DECIMAL(38,0))"
    lost = f"CASE WHEN code <> 0 THEN {amount} ELSE CAST(0 AS DECIMAL(38,0)) END"
    idle = "CASE WHEN code = 0 THEN greatest(relays - steps, 0) ELSE 0 END"
    columns = [
        "signer AS relayer, chain, fee_denom, count(*) AS transactions",
        "count(CASE WHEN code <> 0 THEN 1 END) AS failed",
        f"count(CASE WHEN codespace = 'channel' AND code = {REDUNDANT} THEN 1 END) AS failed_redundant",
        f"CAST(sum(relays) AS bigint) AS messages, CAST(sum({idle}) AS bigint) AS redundant",
        "sum(CAST(gas_used AS double)) AS gas_used",
        f"{dialect.total(amount)} AS fees, {dialect.total(lost)} AS failed_fees",
    ]
    rows = "FROM {transactions} WHERE relays > 0 AND signer IS NOT NULL"
    return f"SELECT {', '.join(columns)} {rows} GROUP BY signer, chain, fee_denom"
