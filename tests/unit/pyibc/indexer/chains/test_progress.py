"""Progress of chains, as DuckDB computes it."""

import pytest

from pyibc.indexer.chains.progress import progress_query

CLOCK = "'a-2' AS key, 'a-2' AS chain, 0::bigint AS height_base, 1::bigint AS recent, 9::bigint AS whole"


@pytest.mark.parametrize(("times", "since"), [((100, 5, 200), 200), ((100, 150, 200), 150), ((3, 5, 2), 5)])
def test_blocks_are_known_since_the_last_gap_but_not_since_an_early_time(times, since):
    """The first block of a revision, after the gap here, may have the time of an old genesis file."""
    base = pytest.importorskip("duckdb").connect()
    base.execute(f"CREATE TABLE clocks AS SELECT {CLOCK}")
    blocks = ", ".join(
        f"('a-2', {height}::bigint, {time}::bigint)" for height, time in zip((3, 9, 10), times, strict=True)
    )
    query = f"SELECT * FROM (VALUES {blocks}) AS known(chain, height, time_ns)"
    ((_, _, whole_ns),) = base.execute(progress_query(query)).fetchall()
    assert whole_ns == since
