"""Runs of the pipeline, and what they leave: what its tests share."""

from datetime import UTC, datetime

import pytest

from pyibc.indexer.packet_table import COLUMNS
from pyibc.indexer.pipeline.delta import Lake
from pyibc.indexer.pipeline.run import start_pipeline

STEPS = 10
"""Writes of a batch."""


def ran(spark, inputs, out, **options):
    """Everything that is there now is in the tables."""
    query = start_pipeline(spark, inputs, out, **options)
    query.awaitTermination()
    return len([each for each in query.recentProgress if each.numInputRows])


def rows_of(table):
    names = [name for name, _ in COLUMNS]
    return sorted((tuple(in_utc(row.get(name)) for name in names) for row in table), key=str)


def in_utc(value):
    """Times as one reader has them in UTC and another one in the zone of this machine."""
    return value.astimezone(UTC) if isinstance(value, datetime) else value


class Killed(Exception):
    """End of a process."""


def killed_at(step, monkeypatch, batch):
    """Process a batch, which ends before its write number `step`."""
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
