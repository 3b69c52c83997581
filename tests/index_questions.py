"""The section "Six questions" of the indexer's page: its queries, and their answers computed row by row."""

import re
from decimal import Decimal
from pathlib import Path

import pytest

from tests.pipeline_runs import in_utc

PAGE = Path(__file__).parents[1] / "docs" / "indexer.md"
DONE = ("succeeded", "failed", "timed_out")
OUTCOMES = (("delivered",), ("refunded", "refused"))
CLIENT = ("chain", "client", "claimed_chain", "last_update_time", "expires_time")


def questions(one, other):
    """The queries, about these two chains, without limits."""
    section = PAGE.read_text().partition("## Six questions")[2].partition("\n## ")[0]
    found = re.findall(r"```sql\n(.+?)```", section, re.DOTALL)
    queries = [query.replace("'alpha-1'", f"'{one}'").replace("'beta-1'", f"'{other}'") for query in found]
    return [query.replace("LIMIT 10", "") for query in queries]


def answers(tables, one, other):
    """The six answers about two chains, from the rows of the tables."""
    packets, transfers = tables["packets"], tables["transfers"]
    delivered = [row for row in transfers if row["outcome"] == "delivered"]
    between = [row for row in transfers if {row["src_chain"], row["dst_chain"]} == {one, other}]
    return [
        _top(delivered),
        _latency([row for row in packets if row["recv_latency_s"] is not None]),
        _waiting([row for row in packets if row["stuck"] or row["ack_overdue"]]),
        _rates(packets),
        expiring(tables["clients"]),
        _flows(between),
    ]


def in_order(rows):
    """Rows in an order, times in UTC, and fractions as floats: Spark has decimals."""
    return sorted((tuple(map(_comparable, row)) for row in rows), key=lambda row: str(row[:3]))


def expiring(clients):
    """Clients that expire, the first one first."""
    known = [row for row in clients if row["expires_time"] is not None and not row["misbehaved"]]
    found = [tuple(row[name] for name in CLIENT) for row in known]
    return sorted(found, key=lambda row: (row[4], *row[:2]))


def _comparable(value):
    if isinstance(value, Decimal) and value != int(value):
        return float(value)
    return in_utc(value)


def _top(delivered):
    groups = _grouped(delivered, "src_chain", "src_channel", "base_denom")
    return [(*key, len(rows), _total(rows)) for key, rows in groups.items()]


def _latency(received):
    groups = _grouped(received, "dst_chain", "relayer_recv")
    return [
        (*key, len(rows), *(_percentile(rows, "recv_latency_s", rank) for rank in (50, 99)))
        for key, rows in groups.items()
    ]


def _waiting(overdue):
    groups = _grouped(overdue, "src_chain", "src_channel", "dst_chain")
    return [
        (*key, len(rows), sum(row["stuck"] for row in rows), min(row["send_time"] for row in rows))
        for key, rows in groups.items()
    ]


def _rates(packets):
    found = []
    for key, rows in _grouped(packets, "src_port").items():
        counts = [sum(row["state"] == state for row in rows) for state in DONE]
        rate = pytest.approx(100 * counts[0] / sum(counts), abs=0.051) if any(counts) else None
        found.append((*key, sum(counts), *counts, rate))
    return found


def _flows(between):
    groups = _grouped(between, "src_chain", "dst_chain", "base_denom")
    return [
        (*key, len(rows), *(sum(row["outcome"] in some for row in rows) for some in OUTCOMES), _total(rows))
        for key, rows in groups.items()
    ]


def _grouped(rows, *names):
    found = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in names), []).append(row)
    return found


def _total(rows):
    amounts = [int(row["amount_decimal"]) for row in rows if row["outcome"] == "delivered"]
    return sum(amounts) if amounts else None


def _percentile(rows, name, rank):
    """The least value that is not below `rank` per cent of the values."""
    return sorted(row[name] for row in rows)[-(-rank * len(rows) // 100) - 1]
