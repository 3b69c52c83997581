"""Results of the index, as tests read them."""

from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

import pytest

from pyibc.indexer.pipeline.report import write_report_of
from pyibc.indexer.report import page

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


@contextmanager
def without_pictures():
    """Leave the plots out of reports: they take long, and test_report looks at them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page, "_pictures", lambda *_: dict.fromkeys(page._PICTURES, ""))
        yield


class LateOutcome:
    """The outcome of a run, for which the report is written when a test looks at it."""

    def __init__(self, engine, out):
        self._engine, self._out = engine, out

    @cached_property
    def _made(self):
        with without_pictures(), self._engine.open(self._out) as lake:
            return write_report_of(lake)

    def __getattr__(self, name):
        return getattr(self._made, name)


def packets_in(out):
    """Return the rows of the table of packets as dicts, without opening the other results."""
    from deltalake import DeltaTable

    from pyibc.indexer.results.packets import COLUMNS

    found = DeltaTable(Path(out) / "gold" / "packets").to_pyarrow_table()
    return found.select([name for name, _ in COLUMNS]).to_pylist()


def tables(out, *names):
    """Return the rows of result tables as dicts, by the name of the table: opening them takes longest."""
    from pyibc.indexer import open_results

    base = open_results(out)
    return {name: base.sql(f"SELECT * FROM {name}").to_arrow_table().to_pylist() for name in names}


def table(out, name):
    """Return the rows of a result table as dicts."""
    return tables(out, name)[name]
