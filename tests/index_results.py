"""Results of the index, as tests read them."""

TABLES = (
    "packets",
    "transfers",
    "calls",
    "call_messages",
    "blocks",
    "transactions",
    "messages",
    "events",
    "clients",
    "channels",
    "chains",
)


def table(out, name):
    """Return the rows of a result table as dicts."""
    from pyibc.indexer import open_results

    return open_results(out).sql(f"SELECT * FROM {name}").to_arrow_table().to_pylist()


def rows_of(out):
    """Return the rows of every table as texts, in an order."""
    from pyibc.indexer import open_results

    base = open_results(out)
    return {
        name: sorted(map(str, base.sql(f"SELECT * FROM {name}").to_arrow_table().to_pylist()))
        for name in TABLES
    }
