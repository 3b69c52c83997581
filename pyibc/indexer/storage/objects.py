"""Objects in a bucket and folders of objects, with the methods of `Path` that the indexer uses.

All reads of an object are of one version: that of the listing it came from, or of the first access.
"""

import io
from collections.abc import Iterator
from errno import ESTALE
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from pyibc.indexer.errors import ObjectChanged, UnreadableInput

if TYPE_CHECKING:
    from pyibc.indexer.storage.client import Bucket, Info

SCHEMES = ("s3://", "s3a://")
_FIRST, _MOST = 64 << 10, 8 << 20  # bytes of the first request after a seek, and the maximum after doubling


class Guard(Protocol):
    """Permission of a run to change objects, such as a lease."""

    def check(self) -> None:
        """Check that the run may still change objects.

        Raises:
            IndexBusy: the run has lost the permission.
        """

    def replace(self, key: str, content: bytes) -> bool:
        """Replace a file that must be unchanged; return False if the file has no such condition.

        Raises:
            IndexBusy: the file was changed, or the run has lost the permission.
        """


class ObjectPath:
    """Path `s3://bucket/key` of an object or of a folder of objects, which may not exist."""

    __slots__ = ("_folder", "_guard", "_info", "bucket", "key")

    def __init__(
        self,
        bucket: str,
        key: str,
        *,
        info: "Info | None" = None,
        folder: bool = False,
        guard: Guard | None = None,
    ) -> None:
        """Create a path without a request; `info` and `folder` are results of a listing."""
        self.bucket, self.key = bucket, key
        self._info, self._folder, self._guard = info, folder, guard

    @classmethod
    def parsed(cls, text: str) -> "ObjectPath":
        """Parse `s3://bucket/key`, or `s3a://bucket/key` as in Spark.

        Raises:
            UnreadableInput: the address is malformed.
        """
        bucket, _, key = text.partition("://")[2].partition("/")
        parts = [part for part in key.split("/") if part]
        if not text.startswith(SCHEMES) or not bucket or {".", ".."} & {bucket, *parts}:
            raise UnreadableInput(f"{text} is neither a path, nor of the form file:/path or s3://bucket/key")
        return cls(bucket, "/".join(parts))

    def guarded(self, guard: Guard) -> "ObjectPath":
        """Return this path with a guard, which is checked before changes to it and to paths below it."""
        return ObjectPath(self.bucket, self.key, guard=guard)

    def __str__(self) -> str:
        return f"s3://{self.bucket}/{self.key}"

    def __repr__(self) -> str:
        return f"ObjectPath({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ObjectPath) and (self.bucket, self.key) == (other.bucket, other.key)

    def __hash__(self) -> int:
        return hash((self.bucket, self.key))

    def __truediv__(self, name: str) -> "ObjectPath":
        return ObjectPath(self.bucket, f"{self.key}/{name}".lstrip("/"), guard=self._guard)

    @property
    def spark(self) -> str:
        """Address for Spark."""
        return f"s3a://{self.bucket}/{self.key}"

    @property
    def name(self) -> str:
        """Part of the key after the last slash."""
        return self.key.rpartition("/")[2]

    @property
    def suffix(self) -> str:
        """End of the name, from the last dot."""
        stem, dot, end = self.name.rpartition(".")
        return dot + end if stem else ""

    @property
    def parent(self) -> "ObjectPath":
        """Parent folder."""
        return ObjectPath(self.bucket, self.key.rpartition("/")[0], guard=self._guard)

    @property
    def parents(self) -> "tuple[ObjectPath, ...]":
        """All parent folders, the nearest first."""
        parts = self.key.split("/") if self.key else []
        return tuple(ObjectPath(self.bucket, "/".join(parts[:end])) for end in range(len(parts) - 1, -1, -1))

    def resolve(self) -> "ObjectPath":
        """Return this path, because there are no links."""
        return self

    absolute = resolve

    def is_symlink(self) -> bool:
        """Return False, because there are no links."""
        return False

    def mkdir(self, *, parents: bool = True, exist_ok: bool = True) -> None:
        """Do nothing: folders exist only through their objects."""

    def stat(self) -> "Info":
        """Return the metadata of the object; later reads are of this version.

        Raises:
            FileNotFoundError: the object does not exist.
            StorageFault: the request failed.
        """
        if self._info is None:
            self._info = self._in().head(self.key)
        return self._info

    def is_file(self) -> bool:
        """Return whether the object exists."""
        try:
            return not self._folder and bool(self.stat())
        except FileNotFoundError:
            return False

    def is_dir(self) -> bool:
        """Return whether there are objects below this path."""
        return self._folder or (self._info is None and next(self.files(), None) is not None)

    def exists(self) -> bool:
        """Return whether the path is an object or a folder."""
        return self.is_dir() or self.is_file()

    def files(self) -> "Iterator[ObjectPath]":
        """Yield the objects below this path, recursively, sorted by key."""
        for key, info in self._in().below(self.key):
            yield ObjectPath(self.bucket, key, info=info, guard=self._guard)

    def iterdir(self) -> "Iterator[ObjectPath]":
        """Iterate over the objects and folders directly in this folder, sorted by name."""
        folders, objects = self._in().within(self.key)
        found = [ObjectPath(self.bucket, key, folder=True, guard=self._guard) for key in folders]
        found += [ObjectPath(self.bucket, key, info=info, guard=self._guard) for key, info in objects]
        return iter(sorted(found, key=str))

    def glob(self, pattern: str) -> "Iterator[ObjectPath]":
        """Iterate over the entries whose names match a pattern without slashes."""
        return (path for path in self.iterdir() if fnmatchcase(path.name, pattern))

    def open(self, mode: str = "rb") -> io.BufferedReader:  # noqa: ARG002 - signature of `Path`
        """Open the object for reading.

        Raises:
            FileNotFoundError: the object does not exist.
            StorageFault: a request failed, now or during reading.
        """
        return io.BufferedReader(_Reader(self), _FIRST)

    def read_bytes(self) -> bytes:
        """Read the whole object; raise the errors of `open`."""
        return self._in().whole(self.key)[0]

    def fetch(self, path: Path) -> None:
        """Download the object to a local file; raise the errors of `open`."""
        self._in().fetch(self.key, path)

    def write_bytes(self, data: bytes) -> None:
        """Replace the object atomically.

        Raises:
            StorageFault: the request failed.
        """
        self.guard_check()
        if self._guard is None or not self._guard.replace(self.key, data):
            self._in().put(self.key, data)

    def unlink(self) -> None:
        """Remove the object, if it exists."""
        self.guard_check()
        self._in().delete(self.key)

    def put(self, file: object) -> None:
        """Upload a local file as the object, atomically."""
        self.guard_check()
        self._in().put(self.key, file)

    def rename(self, target: "ObjectPath") -> None:
        """Copy the object to `target` and remove it; not atomic."""
        self.guard_check()
        self._in().copy(self.key, target.key)
        self._in().delete(self.key)

    def read(self, start: int, end: int) -> bytes:
        """Read the bytes from `start` up to `end`.

        Raises:
            OSError: the object has changed since the first access.
            StorageFault: the request failed.
        """
        try:
            return self._in().read(self.key, start, end, self.stat().version)
        except ObjectChanged:
            raise OSError(ESTALE, "the object changed during reading", str(self)) from None

    def _in(self) -> "Bucket":
        from pyibc.indexer.storage.client import bucket

        return bucket(self.bucket)

    def guard_check(self) -> None:
        """Check that the run may still change objects.

        Raises:
            IndexBusy: the run has lost the permission.
        """
        if self._guard is not None:
            self._guard.check()


class _Reader(io.RawIOBase):
    """Raw stream of an object; requests grow during sequential reading."""

    def __init__(self, of: ObjectPath) -> None:
        super().__init__()
        self._of, self._size = of, of.stat().st_size
        self._place, self._ahead = 0, _FIRST
        self._begin, self._held = 0, b""

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Set the position without a request."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._size}[whence]
        self._place = max(0, base + offset)
        return self._place

    def tell(self) -> int:
        """Return the position."""
        return self._place

    def readinto(self, buffer: "bytearray | memoryview") -> int:  # type: ignore[override]
        """Read up to the size of `buffer`."""
        wanted = min(len(buffer), self._size - self._place)
        if wanted <= 0:
            return 0
        offset = self._place - self._begin
        if not 0 <= offset < len(self._held):
            self._fill(wanted)
            offset = 0
        found = self._held[offset : offset + wanted]
        buffer[: len(found)] = found
        self._place += len(found)
        return len(found)

    def _fill(self, wanted: int) -> None:
        on = self._place == self._begin + len(self._held)
        self._ahead = min(2 * self._ahead, _MOST) if on and self._held else _FIRST
        end = min(self._size, self._place + max(wanted, self._ahead))
        self._held = self._of.read(self._place, min(end, self._place + max(_MOST, self._ahead)))
        self._begin = self._place
        if not self._held:
            raise OSError(ESTALE, "the object is shorter than its size", str(self._of))
