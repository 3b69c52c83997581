"""Paths that a run of the pipeline is given, and the checkpoint of its stream.

The checkpoint has the format of Spark, so that either engine goes on where the other one ended:

    metadata    {"id": "5ab3..."}
    offsets/7   where batch 7 ends, written before it begins
    commits/7   written when all tables have the batch

The first line of a file in `offsets` and `commits` is the version of its format, `v1`, the second one has
settings, and the third one in `offsets` is the offset of the data source.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec

from pyibc.indexer.bronze.inputs import read_told
from pyibc.indexer.chains.registry import KEY, LINEAGES, NOTHING, Registry, is_registry
from pyibc.indexer.errors import DamagedLog, MalformedRegistry, UnreadableInput
from pyibc.indexer.files import StateFolder, open_url
from pyibc.indexer.locations import AnyPath, absolute, check_results, check_results_url, existing, is_address
from pyibc.indexer.pipeline.lake import COMMIT, Lake, check_entries
from pyibc.indexer.pipeline.tables import TABLES
from pyibc.indexer.recordings.reading import documents, read_content

RESULTS = ("silver", "gold", "summary.json", "report.html", "alerted.json")
"""Files and folders of the results in their folder."""
CHECKPOINT, SOURCE = "_checkpoint", "_source"
"""Folders beside the tables: the checkpoint of the stream, and the log of the data source."""
_VERSIONS = "versions.json"

_VERSION = "v1"
RETAINED = 100
"""Last batches whose files are kept, as by Spark."""
_OFFSET_SETTINGS = {"batchWatermarkMs": 0, "batchTimestampMs": 0, "conf": {}}
_COMMIT_SETTINGS = {"nextBatchWatermarkMs": 0}


def source_options(
    inputs: AnyPath | Iterable[AnyPath], url: str, max_files: int | None = None
) -> dict[str, str]:
    """Return the options of the data source `ibc` for the stream to the tables in a folder.

    Args:
        inputs: one or several paths or URLs.
        url: the folder, whose results are no inputs.
        max_files: most new or grown files of a batch.

    Raises:
        FileNotFoundError: an input does not exist.
    """
    options = {
        "rows": "blocks",
        "paths": json.dumps(existing(inputs)),
        "without": json.dumps([f"{url}/{name}" for name in RESULTS]),
        "statelocation": f"{url}/{SOURCE}",
    }
    return options if max_files is None else options | {"maxfilespertrigger": str(max_files)}


def given_names(registry: AnyPath | None) -> Registry:
    """Read the user's file with names and lineages of chains, if there is one."""
    return NOTHING if registry is None else read_file(existing(registry)[0])


def read_file(url: str) -> Registry:
    """Read a file (a path or URL), which may have several documents.

    Raises:
        UnreadableInput: it cannot be read, or is no JSON.
        MalformedRegistry: a document is no registry, or a malformed one.
    """
    try:
        with open_url(url) as file:
            content = read_content(file)
    except OSError as error:
        raise UnreadableInput(f"cannot be read: {error.strerror or error}") from None
    found = Registry([], [])
    for document in documents(content):
        if document.reason or not is_registry(document.value):
            reason = document.reason or f"neither {KEY} nor {LINEAGES} is in it"
            raise MalformedRegistry(f"{document.where}{reason}")
        found.take(document.value)
    return found


def names_for(lake: Lake, given: Registry) -> Registry:
    """Return names and lineages of chains that the user has given, and those among the inputs."""
    return given.with_more(read_told(f"{lake.url}/{SOURCE}").given)


def results_url(path: AnyPath) -> str:
    """Return a folder as a URL: Spark would look for a path in its default file system, which may be HDFS.

    Raises:
        UnusableFolder: table libraries would misinterpret the name of the folder.
    """
    text = absolute(path)
    if is_address(text):
        check_results_url(text)
        return text
    check_results(Path(text))
    return f"file://{text}"


def prepare_tables(lake: Lake) -> bool:
    """Create the tables of a stream that do not exist; return whether none existed.

    If batches are in the tables, no log may be missing, have a gap, end with an empty entry or before the
    version that the last batch left: such a table could not be read, or would lack rows, and batches that
    ended are not read again. Only those that are rebuilt may be missing, as in tables of an older release.

    Raises:
        DamagedLog: a log or an entry of it is missing, or its last entry is empty.
        StorageUnreachable: a folder cannot be listed.
    """
    is_begun = bool(StateFolder(f"{lake.url}/{CHECKPOINT}/commits").names())
    is_new, left = True, _versions_left(lake) if is_begun else {}
    for table in TABLES:
        place = f"{lake.url}/{table.name}/_delta_log"
        log = StateFolder(place)
        names = log.names()
        is_new = is_new and not names
        if not is_begun:
            continue
        last = max(filter(COMMIT.fullmatch, names), default=None)
        if last is None and table.is_rebuilt:
            continue
        if last is None:
            raise DamagedLog(place, "is missing")
        if last < (due := left.get(table.name, last)):
            raise DamagedLog(log.path(due), "is missing, which the last batch has left")
        if not log.read(last).strip():
            raise DamagedLog(log.path(last), "is empty")
        check_entries(lake.url, table, names)
    lake.prepare(TABLES)
    return is_new


def leave_versions(lake: Lake) -> None:
    """Write which entries the logs of the tables end with, after a batch, but for those that are rebuilt.

    The entry that was written last is lost more easily than others.
    """
    left = _versions_left(lake)
    ends = {
        table.name: _last_entry(StateFolder(f"{lake.url}/{table.name}/_delta_log"), left.get(table.name))
        for table in TABLES
        if not table.is_rebuilt
    }
    StateFolder(f"{lake.url}/{SOURCE}").write(_VERSIONS, msgspec.json.encode(ends))


def _versions_left(lake: Lake) -> dict[str, str]:
    try:
        return StateFolder(f"{lake.url}/{SOURCE}").document(_VERSIONS, dict[str, str])
    except FileNotFoundError:  # of an older release
        return {}


def _last_entry(log: StateFolder, known: str | None) -> str:
    """Return the last entry of a log; after one that is known, without a list of what may be thousands."""
    if not known:
        return max(filter(COMMIT.fullmatch, log.names()), default="")
    while log.has(following := f"{int(known[:20]) + 1:020d}.json"):
        known = following
    return known


class Checkpoint:
    """Checkpoint in a folder; a new one gets an id."""

    def __init__(self, url: str) -> None:
        self._folder, self._offsets, self._commits = (
            StateFolder(place) for place in (url, f"{url}/offsets", f"{url}/commits")
        )
        if "metadata" not in self._folder.names():
            self._folder.write("metadata", json.dumps({"id": str(uuid4())}).encode())

    @property
    def planned(self) -> int:
        """Number of the last batch that began, or -1."""
        return _last(self._offsets)

    @property
    def done(self) -> int:
        """Number of the last batch that ended, or -1."""
        return _last(self._commits)

    def end(self, batch: int) -> dict[str, Any] | None:
        """Return where a batch ends; None for the one before the first.

        Raises:
            DamagedLog: the file is missing or malformed.
        """
        if batch < 0:
            return None
        name = str(batch)
        try:
            version, _, offset = self._offsets.read(name).decode().splitlines()
            found = json.loads(offset)
        except FileNotFoundError:
            raise DamagedLog(self._offsets.path(name), "is missing") from None
        except (ValueError, RecursionError):
            raise DamagedLog(self._offsets.path(name), "is malformed") from None
        if version != _VERSION or not isinstance(found, dict):
            raise DamagedLog(self._offsets.path(name), "is malformed")
        return found

    def plan(self, batch: int, end: dict[str, Any]) -> None:
        """Write where a batch ends, before it begins."""
        self._offsets.write(str(batch), _file(_OFFSET_SETTINGS, end))

    def finish(self, batch: int) -> None:
        """Write that a batch is in the tables, and remove the files of old batches."""
        self._commits.write(str(batch), _file(_COMMIT_SETTINGS))
        for folder in (self._offsets, self._commits):
            for name in folder.names():
                if name.isdecimal() and int(name) <= batch - RETAINED:
                    folder.remove(name)


def stream_id(url: str) -> str:
    """Return the id of a stream by its checkpoint, to which Spark writes it, too.

    Raises:
        DamagedLog: the file with it is malformed.
    """
    folder = StateFolder(url)
    try:
        return str(json.loads(folder.read("metadata"))["id"])
    except (ValueError, TypeError, KeyError, RecursionError):
        raise DamagedLog(folder.path("metadata"), "is malformed") from None


def _last(folder: StateFolder) -> int:
    return max((int(name) for name in folder.names() if name.isdecimal()), default=-1)


def _file(*lines: dict[str, Any]) -> bytes:
    return "\n".join((_VERSION, *(json.dumps(line, separators=(",", ":")) for line in lines))).encode()
