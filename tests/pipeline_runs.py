"""Runs of the pipeline on either engine, and what they leave: what its tests share."""

import re
from collections import Counter
from datetime import UTC, datetime

import pyarrow as pa
import pytest

from pyibc.indexer.pipeline.hours import register_sources, rows_query
from pyibc.indexer.pipeline.lake import rows_in
from pyibc.indexer.pipeline.report import open_views
from pyibc.indexer.pipeline.silver import number_parts
from pyibc.indexer.pipeline.tables import HOURS, OBSERVATIONS
from pyibc.indexer.results.hours import each_transfer
from pyibc.indexer.results.packets import COLUMNS
from tests.index_results import TABLES, tables

ENGINES = ["local", pytest.param("spark", marks=[pytest.mark.spark, pytest.mark.exhaustive])]
EACH_ENGINE = pytest.mark.parametrize("engine", ENGINES, indirect=True, scope="module")
"""This process, and Spark in exhaustive runs: the steps are the same, and test_engines compares results."""


class OnSpark:
    """The stream of Spark, with Delta Lake."""

    name = "spark"

    def __init__(self, session):
        self.session = session

    def ran(self, inputs, out, **options):
        """Everything that is there now is in the tables; return the number of batches."""
        from pyibc.indexer.spark.run import start_pipeline

        query = start_pipeline(self.session, inputs, out, **options)
        query.awaitTermination()
        return len([each for each in query.recentProgress if each.numInputRows])

    def lake(self, out):
        from pyibc.indexer.spark.lake import SparkLake

        return SparkLake(self.session.newSession(), f"file://{out}")

    def process(self, pipeline, lake, folder, number):
        """Process the blocks in a folder, or none, as a batch."""
        from pyspark.sql.pandas.types import from_arrow_schema

        from pyibc.indexer.bronze.records import SCHEMA
        from pyibc.indexer.spark.session import register

        register(self.session)
        lake = type(lake)(self.session, lake.url)  # in which the data source is
        if folder:
            blocks = lake.spark.read.format("ibc").option("rows", "blocks").load(str(folder))
        else:
            blocks = lake.spark.createDataFrame([], from_arrow_schema(SCHEMA))
        blocks.createOrReplaceTempView("batch_source")
        with lake.kept("batch_given", "SELECT * FROM batch_source"):
            pipeline.process(lake, number)


class Here:
    """DuckDB and delta-rs in this process."""

    name = "local"

    def ran(self, inputs, out, **options):
        """Everything that is there now is in the tables; return the number of batches."""
        from pyibc.indexer.local.run import run_pipeline

        return run_pipeline(inputs, out, **options)

    def lake(self, out):
        from pyibc.indexer.local.lake import LocalLake

        return LocalLake(out)

    def process(self, pipeline, lake, folder, number):
        """Process the blocks in a folder, or none, as a batch."""
        from pyibc.indexer.bronze.ranges import Bounds, range_of, split
        from pyibc.indexer.bronze.records import SCHEMA, batches_of
        from pyibc.indexer.files import list_files

        files = list_files([str(folder)]) if folder else []
        parts = [part for file in files for part in split(range_of(file), 1 << 20)]
        lake.take("batch_given", pa.RecordBatchReader.from_batches(SCHEMA, batches_of(parts, Bounds())))
        pipeline.process(lake, number)


def votes_in(lake):
    """Compared and agreeing packets by path and ends, added up over batches."""
    found = Counter()
    for row in rows_in(lake, OBSERVATIONS, "votes IS NOT NULL"):
        path, sending, receiving, agreeing, compared = row.votes
        found[path, sending, receiving] += agreeing + 1000 * compared
    return found


def dicts(rows):
    """Rows of either engine by the names of their columns."""
    return [row.asDict() if hasattr(row, "asDict") else row._asdict() for row in rows]


def rows_of(table):
    names = [name for name, _ in COLUMNS]
    return sorted((tuple(in_utc(row.get(name)) for name in names) for row in table), key=str)


def in_utc(value):
    """Times as one reader has them in UTC and another one in the zone of this machine."""
    return value.astimezone(UTC) if isinstance(value, datetime) else value


def check_views(engine, out, index, registry=None):
    """Compare the views of the results with the tables of an index."""
    lake = engine.lake(out)
    open_views(lake, registry)
    for name, rows in tables(index, *TABLES).items():
        found = lake.rows(f"SELECT * FROM {name}")
        assert _shown(dicts(found)) == _shown(rows), name
    check_hours(lake, registry)


def check_hours(lake, registry=None):
    """Compare the aggregates that batches keep with those that are computed at once from the other tables."""
    open_views(lake, registry)
    number_parts(lake)
    names = [name for name in HOURS.names if name != "batch"]
    rows = lake.rows(f"SELECT {', '.join(names)} FROM {lake.at(HOURS)} WHERE n > 0")
    kept = sorted(_text_of(row) for row in rows)
    register_sources(lake, None, parts=True)
    lake.view("counted_packets", "SELECT * FROM hour_packets WHERE NOT in_flight")
    lake.view("each_transfer", each_transfer(lake.dialect))
    lake.view("every_hour", f"SELECT {', '.join(names)} FROM ({rows_query(lake.dialect, '')}) AS made")
    assert sorted(_text_of(row) for row in lake.rows("SELECT * FROM every_hour")) == kept


def _shown(rows):
    return sorted(str({name: in_utc(value) for name, value in row.items()}) for row in rows)


class Killed(Exception):
    """End of a process."""


def killed_at(step, monkeypatch, lake, batch):
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
        for name in ("append", "merge", "delete", "replace", "overwrite"):
            patched.setattr(type(lake), name, killed(getattr(type(lake), name)))
        with pytest.raises(Killed):
            batch()


def as_text(lake, table, names):
    """Rows of a table in an order, without the order of named tuples' classes."""
    return sorted(_text_of(row) for row in lake.rows(f"SELECT {', '.join(names)} FROM {lake.at(table)}"))


def _text_of(row):
    return re.sub(r"^Row", "", str(row))
