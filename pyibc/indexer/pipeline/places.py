"""Paths that a run of the pipeline is given."""

import json
import os
from collections.abc import Iterable
from pathlib import Path

from pyibc.indexer.given import AnyPath, existing
from pyibc.indexer.names.registry import NOTHING, Registry, read_file
from pyibc.indexer.storage.locations import check_results, is_address

RESULTS = ("silver", "gold", "summary.json", "report.html", "alerted.json")
"""Files and folders of the results in their folder."""


def input_list(inputs: AnyPath | Iterable[AnyPath]) -> str:
    """Return one or several inputs as the option `paths` of the data source `ibc`."""
    given = [inputs] if isinstance(inputs, str | os.PathLike) else inputs
    return json.dumps([_input(each) for each in given])


def given_names(registry: AnyPath | None) -> Registry:
    """Read the user's file with names and lineages of chains, if there is one."""
    return NOTHING if registry is None else read_file(existing(registry)[0])


def results_url(path: AnyPath) -> str:
    """Return a folder as a URL: Spark would look for a path in its default file system, which may be HDFS."""
    text = os.fspath(path)
    if is_address(text):
        return text
    check_results(Path(text))
    return f"file://{Path(text).absolute()}"


def results_list(url: str) -> str:
    """Return the results in a folder as the option `without` of the data source: they are no inputs."""
    return json.dumps([f"{url}/{name}" for name in RESULTS])


def _input(path: AnyPath) -> str:
    text = os.fspath(path)
    return text if is_address(text) else str(Path(text).absolute())
