"""Checkpoint of a stream in the format of Spark, so that either engine goes on where the other one ended.

    metadata    {"id": "5ab3..."}
    offsets/7   where batch 7 ends, written before it begins
    commits/7   written when all tables have the batch

The first line of a file in `offsets` and `commits` is the version of its format, `v1`, the second one has
settings, and the third one in `offsets` is the offset of the data source.
"""

import json
from typing import Any
from uuid import uuid4

from pyibc.indexer.bronze.files import StateFolder
from pyibc.indexer.errors import DamagedLog

_VERSION = "v1"
RETAINED = 100
"""Last batches whose files are kept, as by Spark."""
_OFFSET_SETTINGS = {"batchWatermarkMs": 0, "batchTimestampMs": 0, "conf": {}}
_COMMIT_SETTINGS = {"nextBatchWatermarkMs": 0}


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
    """Return the id of a stream by its checkpoint, to which Spark writes it, too."""
    return str(json.loads(StateFolder(url).read("metadata"))["id"])


def _last(folder: StateFolder) -> int:
    return max((int(name) for name in folder.names() if name.isdecimal()), default=-1)


def _file(*lines: dict[str, Any]) -> bytes:
    return "\n".join((_VERSION, *(json.dumps(line, separators=(",", ":")) for line in lines))).encode()
