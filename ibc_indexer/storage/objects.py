"""An object of a bucket, or a folder of objects, with as much of `Path` as the indexer uses.

What is read of an object is of one version: that of the listing it came from, or of the first look at it.
"""

import io
from collections.abc import Iterator
from errno import ESTALE
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ibc_indexer.errors import ObjectChanged, UnreadableInput

if TYPE_CHECKING:
    from ibc_indexer.storage.client import Bucket, Info

SCHEMES = ("s3://", "s3a://")
_FIRST, _MOST = 64 << 10, 8 << 20  # bytes of a request: the first behind a place, and what it doubles up to


class Guard(Protocol):
    """Says whether a run may still change what it began to change."""

    def check(self) -> None:
        """Raises IndexBusy if not."""

    def replace(self, key: str, content: bytes) -> bool:
        """Replaces a file that must be as it was, and says whether it is one of these; raises IndexBusy."""


class ObjectPath:
    """`s3://bucket/key`: an object, a folder of them, or nothing yet."""

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
        """Asks for nothing. `info`: what a listing told; `folder`: it told that there are objects below."""
        self.bucket, self.key = bucket, key
        self._info, self._folder, self._guard = info, folder, guard

    @classmethod
    def parsed(cls, text: str) -> "ObjectPath":
        """The address `s3://bucket/key`, or with `s3a:`, as Spark has it.

        Raises:
            UnreadableInput: it is malformed.
        """
        bucket, _, key = text.partition("://")[2].partition("/")
        parts = [part for part in key.split("/") if part]
        if not text.startswith(SCHEMES) or not bucket or {".", ".."} & {bucket, *parts}:
            raise UnreadableInput(f"{text} is no path of a file system and no s3://bucket/key")
        return cls(bucket, "/".join(parts))

    def guarded(self, guard: Guard) -> "ObjectPath":
        """The same, changed only as long as `guard` says so; likewise what is below."""
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
        """Its address for Spark."""
        return f"s3a://{self.bucket}/{self.key}"

    @property
    def name(self) -> str:
        """What stands behind the last slash."""
        return self.key.rpartition("/")[2]

    @property
    def suffix(self) -> str:
        """The name's end, from its last dot."""
        stem, dot, end = self.name.rpartition(".")
        return dot + end if stem else ""

    @property
    def parent(self) -> "ObjectPath":
        """The folder it is in."""
        return ObjectPath(self.bucket, self.key.rpartition("/")[0], guard=self._guard)

    @property
    def parents(self) -> "tuple[ObjectPath, ...]":
        """Every folder it is in, the nearest first."""
        parts = self.key.split("/") if self.key else []
        return tuple(ObjectPath(self.bucket, "/".join(parts[:end])) for end in range(len(parts) - 1, -1, -1))

    def resolve(self) -> "ObjectPath":
        """Itself: there are no links."""
        return self

    absolute = resolve

    def is_symlink(self) -> bool:
        """There are no links."""
        return False

    def mkdir(self, *, parents: bool = True, exist_ok: bool = True) -> None:
        """Nothing: folders are there if something is in them."""

    def stat(self) -> "Info":
        """What the object is; from now on it is read as that version.

        Raises:
            FileNotFoundError: it is not there.
            StorageFault: the store cannot be asked.
        """
        if self._info is None:
            self._info = self._in().head(self.key)
        return self._info

    def is_file(self) -> bool:
        """Whether there is such an object."""
        try:
            return not self._folder and bool(self.stat())
        except FileNotFoundError:
            return False

    def is_dir(self) -> bool:
        """Whether there are objects below it."""
        return self._folder or (self._info is None and next(self.files(), None) is not None)

    def exists(self) -> bool:
        """Either."""
        return self.is_dir() or self.is_file()

    def files(self) -> "Iterator[ObjectPath]":
        """The objects below it, to any depth, in the order of their names."""
        for key, info in self._in().below(self.key):
            yield ObjectPath(self.bucket, key, info=info, guard=self._guard)

    def iterdir(self) -> "Iterator[ObjectPath]":
        """The objects and folders directly in it, in the order of their names."""
        folders, objects = self._in().within(self.key)
        found = [ObjectPath(self.bucket, key, folder=True, guard=self._guard) for key in folders]
        found += [ObjectPath(self.bucket, key, info=info, guard=self._guard) for key, info in objects]
        return iter(sorted(found, key=str))

    def glob(self, pattern: str) -> "Iterator[ObjectPath]":
        """Those of them whose names match a pattern without slashes."""
        return (path for path in self.iterdir() if fnmatchcase(path.name, pattern))

    def open(self, mode: str = "rb") -> io.BufferedReader:  # noqa: ARG002 - as of `Path`: nothing else is
        """The object, to be read.

        Raises:
            FileNotFoundError: it is not there.
            StorageFault: (also while it is read) the store cannot be asked.
        """
        return io.BufferedReader(_Reader(self), _FIRST)

    def read_bytes(self) -> bytes:
        """All of it; raises as `open` does."""
        return self._in().whole(self.key)[0]

    def fetch(self, path: Path) -> None:
        """Writes it to a file of this machine; raises as `open` does."""
        self._in().fetch(self.key, path)

    def write_bytes(self, data: bytes) -> None:
        """Replaces it at once, or not at all.

        Raises:
            StorageFault: the store does not take it.
        """
        self.guard_check()
        if self._guard is None or not self._guard.replace(self.key, data):
            self._in().put(self.key, data)

    def unlink(self) -> None:
        """Removes it, if it is there."""
        self.guard_check()
        self._in().delete(self.key)

    def put(self, file: object) -> None:
        """Likewise `write_bytes`, of a local file."""
        self.guard_check()
        self._in().put(self.key, file)

    def rename(self, target: "ObjectPath") -> None:
        """Copies it in the store, then removes it: not at once."""
        self.guard_check()
        self._in().copy(self.key, target.key)
        self._in().delete(self.key)

    def read(self, start: int, end: int) -> bytes:
        """Bytes of it.

        Raises:
            OSError: it was changed since it was looked at.
            StorageFault: the store cannot be asked.
        """
        try:
            return self._in().read(self.key, start, end, self.stat().version)
        except ObjectChanged:
            raise OSError(ESTALE, "it was changed while it was read", str(self)) from None

    def _in(self) -> "Bucket":
        from ibc_indexer.storage.client import bucket

        return bucket(self.bucket)

    def guard_check(self) -> None:
        """Raises IndexBusy if its run may change nothing any more."""
        if self._guard is not None:
            self._guard.check()


class _Reader(io.RawIOBase):
    """An object's bytes in requests that grow while it is read on."""

    def __init__(self, of: ObjectPath) -> None:
        super().__init__()
        self._of, self._size = of, of.stat().st_size
        self._place, self._ahead = 0, _FIRST
        self._begin, self._held = 0, b""

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Goes to a place; nothing is read."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._size}[whence]
        self._place = max(0, base + offset)
        return self._place

    def tell(self) -> int:
        """Where it is."""
        return self._place

    def readinto(self, buffer: "bytearray | memoryview") -> int:  # type: ignore[override]
        """Reads as much as there is room for, or less."""
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
            raise OSError(ESTALE, "it ends before its size", str(self._of))
