"""Runs of the pipeline, and what they leave: what its tests share."""

from collections import Counter
from datetime import UTC, datetime

import pyarrow.parquet as pq
import pytest

from pyibc.indexer.packet_table import COLUMNS
from pyibc.indexer.pipeline.delta import Lake
from pyibc.indexer.pipeline.report import result_views
from pyibc.indexer.pipeline.run import start_pipeline
from pyibc.indexer.pipeline.tables import OBSERVATIONS
from tests.index_histories import TABLES


def ran(spark, inputs, out, **options):
    """Everything that is there now is in the tables."""
    query = start_pipeline(spark, inputs, out, **options)
    query.awaitTermination()
    return len([each for each in query.recentProgress if each.numInputRows])


def votes_in(lake):
    """Compared and agreeing packets by path and ends, added up over batches."""
    found = Counter()
    for row in lake.rows(OBSERVATIONS, "votes IS NOT NULL"):
        path, sending, receiving, agreeing, compared = row.votes
        found[path, sending, receiving] += agreeing + 1000 * compared
    return found


def rows_of(table):
    names = [name for name, _ in COLUMNS]
    return sorted((tuple(in_utc(row.get(name)) for name in names) for row in table), key=str)


def in_utc(value):
    """Times as one reader has them in UTC and another one in the zone of this machine."""
    return value.astimezone(UTC) if isinstance(value, datetime) else value


def check_views(spark, out, index, registry=None):
    """Compare every view of the results with the table of an index; a view or all may be empty in both."""
    session = result_views(spark, out, registry=registry)
    for name in TABLES:
        wanted = pq.read_table(index / name)
        found = session.table(name).select(*wanted.column_names).collect()
        assert _shown(row.asDict() for row in found) == _shown(wanted.to_pylist()), name


def _shown(rows):
    return sorted(str({name: in_utc(value) for name, value in row.items()}) for row in rows)


class Killed(Exception):
    """End of a process."""


def killed_at(step, monkeypatch, batch):
    """Process a batch, which ends before its write number `step`, from 0."""
    done = []

    def killed(write):
        def go(*args, **more):
            if len(done) == step:
                raise Killed
            done.append(write.__name__)
            return write(*args, **more)

        return go

    with monkeypatch.context() as patched:
        for name in ("append", "execute", "replace"):
            patched.setattr(Lake, name, killed(getattr(Lake, name)))
        with pytest.raises(Killed):
            batch()
