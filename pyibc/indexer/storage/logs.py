"""Synchronization of a table's Delta log between a bucket and a local folder.

delta-rs commits to a local copy of the log, which begins at the last checkpoint. New files are uploaded with
`If-None-Match`, as the Delta protocol requires, so that one of two concurrent writers of a version fails.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from pyibc.indexer.storage.client import Bucket, Info, bucket
from pyibc.indexer.storage.objects import ObjectPath

LOG, LAST = "_delta_log", "_last_checkpoint"
KEPT = timedelta(days=1)
"""Retention of versions before the last checkpoint."""
_VERSION = re.compile(r"(\d{20})\.(json|checkpoint[\w.]*\.parquet)")


@contextmanager
def carried(folder: ObjectPath) -> Iterator[Path]:
    """Yield a local folder with the log of the table in `folder`, and upload the changes at the end.

    Raises:
        ObjectChanged: another writer has committed meanwhile.
        StorageFault: the store failed.
    """
    folder.guard_check()
    log, store = (folder / LOG).key, bucket(folder.bucket)
    there = {key.removeprefix(f"{log}/"): info for key, info in store.below(log)}
    with TemporaryDirectory(prefix="pyibc-log-") as name:
        here = Path(name)
        (here / LOG).mkdir()
        brought = dict(_brought(store, log, there))
        for file, content in brought.items():
            (here / LOG / file).write_bytes(content)
        yield here
        made = {path.name: path.read_bytes() for path in (here / LOG).iterdir() if path.is_file()}
        folder.guard_check()
        if any(made.get(file) != content for file, content in brought.items() if file != LAST):
            for file in there:  # the log was unreadable, and has been recreated
                store.delete(f"{log}/{file}")
            there, brought = {}, {}
        _carry_back(store, log, brought, made)
        _expire(store, log, there, made)


def _brought(store: Bucket, log: str, there: dict[str, Info]) -> Iterator[tuple[str, bytes]]:
    """Download the files that are needed to read the last version."""
    first = 0
    if LAST in there:
        content = store.whole(f"{log}/{LAST}")[0]
        yield LAST, content
        first = _checkpoint(content)
    for file in there:
        version = _VERSION.fullmatch(file)
        if version is not None and int(version.group(1)) >= first:
            yield file, store.whole(f"{log}/{file}")[0]


def _checkpoint(content: bytes) -> int:
    """Return the version in a `_last_checkpoint` file; 0 if it has none."""
    try:
        version = msgspec.json.decode(content, type=dict[str, object]).get("version")
    except msgspec.DecodeError:
        return 0
    return version if isinstance(version, int) else 0


def _carry_back(store: Bucket, log: str, brought: dict[str, bytes], made: dict[str, bytes]) -> None:
    new = {file: content for file, content in made.items() if brought.get(file) != content}
    for file in sorted(new, key=lambda file: (file == LAST, not file.endswith(".json"), file)):
        if file.endswith(".json"):
            store.put_new(f"{log}/{file}", new[file])
        else:
            store.put(f"{log}/{file}", new[file])


def _expire(store: Bucket, log: str, there: dict[str, Info], made: dict[str, bytes]) -> None:
    """Remove log files before the last checkpoint that are older than `KEPT` by the store's clock."""
    first = _checkpoint(made.get(LAST, b""))
    newest = max((info.changed for info in there.values()), default=None)
    for file, info in there.items():
        version = _VERSION.fullmatch(file)
        if (
            version is not None
            and newest is not None
            and int(version.group(1)) < first
            and newest - info.changed > KEPT
        ):
            store.delete(f"{log}/{file}")
