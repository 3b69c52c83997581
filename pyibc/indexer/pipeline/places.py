"""Paths that a run of the pipeline is given."""

import json
from collections.abc import Iterable
from pathlib import Path

from pyibc.indexer.locations import AnyPath, absolute, check_results, existing, is_address
from pyibc.indexer.names.registry import NOTHING, Registry, read_file

RESULTS = ("silver", "gold", "summary.json", "report.html", "alerted.json")
"""Files and folders of the results in their folder."""


def input_list(inputs: AnyPath | Iterable[AnyPath]) -> str:
    """Return one or several inputs as the option `paths` of the data source `ibc`.

    Raises:
        FileNotFoundError: a path does not exist.
    """
    return json.dumps(existing(inputs))


def given_names(registry: AnyPath | None) -> Registry:
    """Read the user's file with names and lineages of chains, if there is one."""
    return NOTHING if registry is None else read_file(existing(registry)[0])


def results_url(path: AnyPath) -> str:
    """Return a folder as a URL: Spark would look for a path in its default file system, which may be HDFS.

    Raises:
        UnusableFolder: table libraries would misinterpret the name of the folder.
    """
    text = absolute(path)
    if is_address(text):
        return text
    check_results(Path(text))
    return f"file://{text}"


def results_list(url: str) -> str:
    """Return the results in a folder as the option `without` of the data source: they are no inputs."""
    return json.dumps([f"{url}/{name}" for name in RESULTS])
