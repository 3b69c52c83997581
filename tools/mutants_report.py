"""A pytest plugin that writes one JSON line per test phase to the file in MUTANTS_REPORT."""

import json
import os
from collections.abc import Iterator
from typing import Any

import pytest

from ibc_core.errors import IbcError

NAMED = (AssertionError, IbcError, pytest.fail.Exception)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Iterator[None]:
    """Records outcome and exception; `named`: an assertion, `DID NOT RAISE`, or an error of our tree."""
    report = yield
    raised = call.excinfo
    line = {
        "test": item.nodeid.split("[")[0],
        "phase": call.when,
        "outcome": report.outcome,
        "raised": raised.type.__name__ if raised else "",
        "named": bool(raised and issubclass(raised.type, NAMED)),
    }
    with open(os.environ["MUTANTS_REPORT"], "a", encoding="utf-8") as file:  # noqa: PTH123
        file.write(json.dumps(line) + "\n")
    return report
