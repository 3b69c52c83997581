"""Failure message of a registry test (`make missing`): one line for each missing part."""

from collections.abc import Iterable

import pytest


def nothing_missing(lines: Iterable[str]) -> None:
    """Fail with the lines alone, each of which names a file to edit: a traceback would hide them."""
    said = list(lines)
    if said:
        pytest.fail("\n".join(said), pytrace=False)
