"""Queries, in the SQL of Spark and DuckDB, for the rows that a table of the report leaves out."""

_CHANNEL = "src_chain, src_port, src_channel, dst_chain, dst_port, dst_channel"


def _packets(flag: str) -> str:
    order = "send_time NULLS LAST, src_chain NULLS FIRST, src_channel NULLS FIRST, sequence"
    return f"SELECT * FROM packets WHERE {flag} ORDER BY {order} OFFSET 50"


def _channels(flag: str, since: str) -> str:
    columns = f"{_CHANNEL}, count(*) AS packets, min({since}) AS since"
    return f"SELECT {columns} FROM packets WHERE {flag} GROUP BY {_CHANNEL} ORDER BY packets DESC OFFSET 50"


def _counted(columns: str, table: str, counted: str = "packets", condition: str = "") -> str:
    where = f" WHERE {condition}" if condition else ""
    rows = f"FROM {table}{where} GROUP BY {columns} ORDER BY {counted} DESC OFFSET 50"
    return f"SELECT {columns}, count(*) AS {counted} {rows}"


QUERIES = {
    "stuck": _packets("stuck"),
    "ack_overdue": _packets("ack_overdue"),
    "stuck_channels": _channels("stuck", "send_time"),
    "ack_overdue_channels": _channels("ack_overdue", "recv_time"),
    "applications": _counted("src_port, dst_port", "packets"),
    "channels": _counted(_CHANNEL, "packets"),
    "denoms": _counted("src_chain, denom", "packets", condition="denom IS NOT NULL"),
    "relayers": _counted("relayer_recv", "packets", condition="relayer_recv IS NOT NULL"),
    "flows": _counted("src_chain, dst_chain", "transfers", "transfers"),
    "coins": _counted("src_chain, dst_chain, src_coin, base_denom", "transfers", "transfers"),
    "clients": "SELECT * FROM clients ORDER BY updates DESC",
    "ends": "SELECT * FROM channels ORDER BY last_height DESC NULLS LAST OFFSET 50",
    "costs": _counted(
        "signer, chain, fee_denom", "transactions", "transactions", "relays > 0 AND signer IS NOT NULL"
    ),
}
