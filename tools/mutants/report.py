"""A pytest plugin that writes one JSON line per test phase to the file in MUTANTS_REPORT."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tools.mutants.engine import report_of


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Iterator[Any]:
    """After each phase."""
    report = yield
    with Path(os.environ["MUTANTS_REPORT"]).open("a", encoding="utf-8") as file:
        file.write(json.dumps(report_of(item, call, report.outcome)) + "\n")
    return report
