import pytest

from ibc_indexer import job
from ibc_indexer.lake import chunks, parts
from ibc_indexer.local_engine import here
from ibc_indexer.segments import merging


@pytest.fixture
def small(monkeypatch):
    """Parts, chunks and segments so small that some are merged, and no pictures."""
    for module, name, value in (
        (parts, "HOT", 8),
        (parts, "COLD", 16),
        (parts, "MANY", 3),
        (chunks, "FULL", 40),
        (chunks, "MANY", 2),
        (merging, "SMALL", 60),
        (merging, "MANY", 3),
        (merging, "FULL", 200),
    ):
        monkeypatch.setattr(module, name, value)
    monkeypatch.setattr(job, "write_report", lambda *_: "page")


@pytest.fixture
def index():
    """Runs the index on DuckDB."""
    return lambda folder, out: job.index(here, [folder], out)
