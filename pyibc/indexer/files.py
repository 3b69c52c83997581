"""Listing and opening of block files, on local disks and in every store that PyArrow has a file system for.

Planning uses names, sizes and modification times only: it reads no bytes, however many files there are.
"""

import errno
import io
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import nullcontext, suppress
from fnmatch import translate
from pathlib import PurePosixPath
from typing import IO, Any, NamedTuple, TypeVar
from urllib.parse import quote, unquote

import msgspec
from pyarrow import ArrowException, fs

from pyibc.indexer.errors import DamagedLog, NothingToIndex, StorageUnreachable
from pyibc.indexer.locations import before_wildcards, local_path
from pyibc.indexer.stores import file_system

_NUMBERED = re.compile(r"blocks-([0-9]{12,19})\.jsonl(\.gz)?")
_HIDDEN = ("_", ".")
_Document = TypeVar("_Document")
_BUFFER = 1 << 20  # bytes read at once from a store
_PASSING = frozenset(
    getattr(errno, name)
    for name in ("EMFILE", "ENFILE", "ENOMEM", "ESTALE", "ETIMEDOUT", "ENOTCONN", "ECONNRESET", "EHOSTDOWN")
)
"""Errors of a busy machine, or of a disk in the network, after which a file may be opened later."""
_BRACES = re.compile(r"\{([^{}]*)\}")
_ALTERNATIVES = 1000  # paths for which one with braces may stand
_UNREADABLE = 1  # size that is listed for links that cannot be read, so that they are opened


class SourceFile(NamedTuple):
    """File of a listing."""

    url: str  # a path on this machine, or the URL that was given with the rest of the path
    size: int  # bytes
    mtime_ns: int

    @property
    def first_height(self) -> int | None:
        """Lowest height that an exporter writes to a file of this name; None for other names."""
        found = _NUMBERED.fullmatch(self.url.rpartition("/")[2])
        return int(found[1]) if found else None


def is_packed(url: str) -> bool:
    """Return whether a file is compressed or a table, by its name; such a file is read from its beginning."""
    return url.endswith((".gz", ".parquet"))


def list_files(urls: Iterable[str], *, with_empty: bool = False) -> list[SourceFile]:
    """List the files in `urls`, which are files or folders, recursively and in a fixed order.

    Files and folders whose names begin with `_` or `.` are omitted, as Spark does, and empty files unless
    `with_empty`. A file that is in `urls` twice is listed once. Links to folders are not followed: they are
    listed, so that reading them reports the error, and so are links that lead nowhere.

    A URL may have the wildcards of Spark: `*`, `?`, `[a-z]`, `{a,b}`.

    Raises:
        NothingToIndex: a file or folder does not exist, or wildcards match none.
        UnreadableInput: a URL has a scheme that is not supported.
        StorageUnreachable: a folder or store cannot be listed.
    """
    found = {file.url: file for url in urls for file in _listed(url)}
    return [file for file in found.values() if file.size or with_empty]


def open_url(url: str) -> IO[bytes]:
    """Open a file for reading.

    Errors of a store differ from those of a damaged file: a damaged file counts as read, but what a store
    does not give now is read later.

    Raises:
        OSError: a file of this machine cannot be opened, or a file of a store does not exist.
        StorageUnreachable: a store cannot be read, now or later while the file is read.
    """
    local = local_path(url)
    try:
        if local is not None:
            return open(local, "rb")  # noqa: PTH123 - the caller closes it
        system, path = file_system(url)
        return io.BufferedReader(_StoreFile(url, system.open_input_file(path)), _BUFFER)
    except FileNotFoundError:
        raise
    except (OSError, ArrowException) as error:
        if local is not None and error.errno not in _PASSING:
            raise
        raise StorageUnreachable(url, _line(error)) from None


class _StoreFile(io.RawIOBase):
    """File of a store whose errors are `StorageUnreachable`."""

    def __init__(self, url: str, file: Any) -> None:
        self._url, self._file = url, file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    def readinto(self, buffer: Any) -> int:
        try:
            return int(self._file.readinto(buffer))
        except (OSError, ArrowException) as error:
            raise StorageUnreachable(self._url, _line(error)) from None

    def close(self) -> None:
        self._file.close()
        super().close()


class StateFolder:
    """Folder with small files, which are replaced atomically; created with the first file."""

    def __init__(self, url: str) -> None:
        local = local_path(url)
        self._url = url.rstrip("/")
        self._system, self._root = (fs.LocalFileSystem(), local) if local is not None else file_system(url)

    def path(self, name: str) -> str:
        """Return the path of a file, for messages."""
        return f"{self._url}/{name}"

    def names(self) -> list[str]:
        """Return the names of the files.

        Raises:
            StorageUnreachable: the folder cannot be listed.
        """
        try:
            found = self._system.get_file_info(fs.FileSelector(self._root, allow_not_found=True))
        except (OSError, ArrowException) as error:
            raise StorageUnreachable(self._url, _line(error)) from None
        return sorted(each.base_name for each in found if each.type == fs.FileType.File)

    def has(self, name: str) -> bool:
        """Return whether there is a file of a name.

        Raises:
            OSError: the folder cannot be read.
        """
        return bool(self._system.get_file_info(f"{self._root}/{name}").type == fs.FileType.File)

    def read(self, name: str) -> bytes:
        """Return the content of a file.

        Raises:
            FileNotFoundError: there is none.
            OSError: it cannot be read.
        """
        with self._system.open_input_stream(f"{self._root}/{name}") as file:
            return bytes(file.read())

    def document(self, name: str, kind: type[_Document]) -> _Document:
        """Return the content of a JSON file.

        Raises:
            FileNotFoundError: there is none.
            OSError: it cannot be read.
            DamagedLog: it is malformed.
        """
        try:
            return msgspec.json.decode(self.read(name), type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise DamagedLog(self.path(name), "is malformed") from None

    def write(self, name: str, content: bytes) -> None:
        """Write a file; a crash leaves the earlier one, if any.

        Raises:
            OSError: it cannot be written.
        """
        self._system.create_dir(self._root)
        if not isinstance(self._system, fs.LocalFileSystem):  # stores replace whole objects
            with self._system.open_output_stream(f"{self._root}/{name}") as file:
                file.write(content)
            return
        fresh = f"{self._root}/.{name}.new"
        with open(fresh, "wb") as file:  # noqa: PTH123
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, f"{self._root}/{name}")  # noqa: PTH105

    def remove(self, name: str) -> None:
        """Remove a file, if it exists.

        Raises:
            OSError: it cannot be removed.
        """
        with suppress(FileNotFoundError):
            self._system.delete_file(f"{self._root}/{name}")


def _listed(url: str) -> Iterator[SourceFile]:
    local = local_path(url)
    place = url if local is None else os.path.abspath(local)  # noqa: PTH100
    folder = before_wildcards(place)
    if folder != place and (local is None or not os.path.lexists(local)):
        yield from _matching(place, folder)
    elif local is None:
        yield from _listed_in_store(url)
    elif os.path.isdir(local):  # noqa: PTH112 - thousands of names: paths as text
        yield from _below(local.rstrip("/") or "/")
    else:
        try:
            found = os.stat(local)  # noqa: PTH116
        except OSError:
            raise NothingToIndex(f"no such file or folder: {url}") from None
        yield SourceFile(local, found.st_size, found.st_mtime_ns)


def _matching(url: str, folder: str) -> Iterator[SourceFile]:
    """Yield the files that match a path or URL with wildcards, or are in a folder that does."""
    found = set[str]()
    for path in _alternatives(url.removeprefix(folder).strip("/")):
        places = {folder}
        for part in path.split("/"):
            places = {f"{place.rstrip('/')}/{name}" for place in places for name in _names(place, part)}
        found |= places
    if not found:
        raise NothingToIndex(f"no file matches {url}")
    for place in sorted(found):
        yield from _listed(place)


def _names(place: str, part: str) -> Iterator[str]:
    """Yield the names in a folder that match a part of a path; none if it is no folder."""
    pattern = re.compile(translate(part.replace("[^", "[!")))
    local = local_path(place)
    try:
        if local is not None:
            with os.scandir(local) if os.path.isdir(local) else nullcontext(()) as entries:  # noqa: PTH112
                names = [entry.name for entry in entries]
        else:
            system, path = file_system(place)
            is_folder = system.get_file_info(path).type == fs.FileType.Directory
            listed = system.get_file_info(fs.FileSelector(path)) if is_folder else []
            names = [quote(each.base_name) for each in listed]
    except (OSError, ArrowException) as error:
        raise StorageUnreachable(place, _line(error)) from None
    for name in sorted(names):
        plain = name if local is not None else unquote(name)
        if not name.startswith(_HIDDEN) and (plain == part or pattern.fullmatch(plain)):
            yield name


def _alternatives(path: str) -> list[str]:
    """Return the paths for which one with braces stands.

    Raises:
        NothingToIndex: they are too many.
    """
    found, done = [path], list[str]()
    while found:
        if len(found) + len(done) > _ALTERNATIVES:
            raise NothingToIndex(f"the braces in {path[:64]} stand for more than {_ALTERNATIVES} paths")
        first = found.pop()
        inner = _BRACES.search(first)
        if inner is None:
            done.append(first)
        else:
            found += (f"{first[: inner.start()]}{each}{first[inner.end() :]}" for each in inner[1].split(","))
    return done


def _below(folder: str) -> Iterator[SourceFile]:
    try:
        with os.scandir(folder) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        raise StorageUnreachable(folder, error.strerror or "cannot be listed") from None
    for entry in listed:
        if entry.name.startswith(_HIDDEN):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _below(entry.path)
        else:
            yield from _file(entry)


def _file(entry: "os.DirEntry[str]") -> Iterator[SourceFile]:
    try:
        found = entry.stat()
    except OSError:
        if entry.is_symlink():
            yield SourceFile(entry.path, _UNREADABLE, 0)
        return  # any other file is gone since the folder was listed
    if stat.S_ISDIR(found.st_mode):
        yield SourceFile(entry.path, _UNREADABLE, 0)
    elif stat.S_ISREG(found.st_mode):
        yield SourceFile(entry.path, found.st_size, found.st_mtime_ns)


def _listed_in_store(url: str) -> Iterator[SourceFile]:
    system, path = file_system(url)
    try:
        info = system.get_file_info(path)
        if info.type == fs.FileType.NotFound:
            raise NothingToIndex(f"no such file or folder: {url}")
        if info.type == fs.FileType.File:
            found = [info]
        else:
            found = system.get_file_info(fs.FileSelector(path, recursive=True))
    except (OSError, ArrowException) as error:
        raise StorageUnreachable(url, _line(error)) from None
    root = url.rstrip("/")
    for each in sorted(found, key=lambda each: each.path):
        below = PurePosixPath(each.path).relative_to(path).as_posix() if each.path != path else ""
        hidden = any(part.startswith(_HIDDEN) for part in below.split("/"))
        if each.type == fs.FileType.File and not hidden:
            yield SourceFile(f"{root}/{quote(below)}" if below else url, each.size or 0, each.mtime_ns or 0)


def _line(error: Exception) -> str:
    return str(error).partition("\n")[0][:200]
