"""Paths and URLs of inputs and results, and the lock of a folder of results."""

import atexit
import errno
import fcntl
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from tempfile import mkdtemp
from urllib.parse import unquote, urlsplit

from pyibc.indexer.errors import FolderUnwritable, IndexBusy, UnreadableInput, UnusableFolder

AnyPath = str | PathLike[str]
EMPTY = "the path is empty: is a variable of the shell not set?"
CONNECT = "sc://"
"""Beginning of the URL of a Spark Connect server, which is not a Spark master."""

_MISREAD = re.compile(r"[\[\]\\^|\x00-\x1f\x7f\ud800-\udfff]|%[0-9A-Fa-f]{2}|(?:^|/)\w+=")
"""Parts of a path that DuckDB or delta-rs misinterprets or rejects; `name=value` is a partition for them."""
_DECODED = re.compile(r"%[0-9A-Fa-f]{2}|[#?]")
"""Parts of a URL that some libraries decode, and others take as they are."""
_WILDCARD = re.compile(r"[*?\[{]")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")  # of two letters or more: `C:/` is a path of Windows

_STORES = {"s3a": "s3", "s3n": "s3", "wasb": "abfs", "wasbs": "abfss"}
"""Hadoop's names of file systems that PyArrow calls otherwise."""
_SUPPORTED = frozenset({"s3", "gs", "gcs", "abfs", "abfss", "hdfs", "viewfs"})

_BUCKETS = frozenset({"s3", "gs", "gcs"})

_UNWRITABLE = dict.fromkeys(
    (errno.EACCES, errno.EPERM),
    "permission denied: change its permissions (chmod), or choose another folder",
) | {
    errno.EROFS: "the file system is read-only: choose another folder",
    errno.ENOENT: "no folder can be created there: choose another one",
}
"""Reasons why a folder cannot be created or written to, with what to do; others are clear as the system words
them."""
_NO_LOCKS = {errno.EBADF, errno.EINVAL, errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}


def is_address(text: str) -> bool:
    """Return whether a text is a URL, such as `s3://bucket/key` or `dbfs:/folder`, rather than a path."""
    return _SCHEME.match(text) is not None


def path_of_file_url(url: str) -> Path:
    """Parse a URL `file:/path`. A question mark and a number sign are parts of the path, as in Spark.

    Raises:
        UnreadableInput: the URL names another machine.
    """
    path = url.removeprefix("file:")
    if path.startswith("//"):
        host, _, rest = path[2:].partition("/")
        if host not in {"", "localhost"}:
            raise UnreadableInput(f"{url} is a file of another machine")
        path = f"/{rest}"
    return Path(unquote(path))


def local_path(url: str) -> str | None:
    """Return the path of a file on this machine; None for other URLs.

    `dbfs:/folder` is the mount `/dbfs/folder`, and `dbfs:/Volumes/...` the volume itself.

    Raises:
        UnreadableInput: the URL is of another machine.
    """
    if not is_address(url):
        return url
    parts = urlsplit(url)
    if parts.scheme == "file":
        return str(path_of_file_url(url))
    if parts.scheme == "dbfs":
        path = parts.path
        return path if path.startswith("/Volumes/") else f"/dbfs{path}"
    return None


def store_scheme(url: str) -> str:
    """Return the scheme of a store's URL, as PyArrow calls it.

    Raises:
        UnreadableInput: the scheme is not supported.
    """
    given = urlsplit(url).scheme
    scheme = _STORES.get(given, given)
    if scheme not in _SUPPORTED:
        supported = ", ".join(sorted({"dbfs", "file", *_STORES, *_SUPPORTED}))
        raise UnreadableInput(f"{url} has the scheme {given}, which is none of {supported}")
    if scheme in _BUCKETS and "@" in urlsplit(url).netloc:
        raise UnreadableInput(f"a URL of {given}:// has credentials: give them by environment variables")
    return scheme


def absolute(place: AnyPath) -> str:
    """Return a path as an absolute one, and a URL as it is.

    Raises:
        UnreadableInput: the path is empty, which would be the current folder.
    """
    text = os.fspath(place)
    if not text:
        raise UnreadableInput(EMPTY)
    return text if is_address(text) else str(Path(text).absolute())


def before_wildcards(url: str) -> str:
    """Return the folder before the first wildcard in a path or URL; all of it if there is none."""
    found = _WILDCARD.search(url)
    if found is None or "/" not in url[: found.start()]:
        return url
    return url[: url.rindex("/", 0, found.start())] or "/"


def existing(inputs: AnyPath | Iterable[AnyPath]) -> list[str]:
    """Return one or several inputs as absolute paths and URLs.

    Raises:
        FileNotFoundError: a path, or the folder before its wildcards, does not exist, for example because a
            disk is not mounted. Stores are not accessed.
        UnreadableInput: a path is empty, or the scheme of a URL is not supported.
    """
    given = [inputs] if isinstance(inputs, str | PathLike) else inputs
    found = [absolute(each) for each in given]
    for each in found:
        path = local_path(each)
        if path is None:
            store_scheme(each)
            continue
        if os.path.exists(path):  # noqa: PTH110 - what is listed later is a text, too
            continue
        folder = before_wildcards(path)
        if folder == path or not os.path.exists(folder):  # noqa: PTH110
            raise FileNotFoundError(errno.ENOENT, "no such file or folder", each)
    return found


def results_folder(out: AnyPath | None) -> str:
    """Return the folder of results; None creates a temporary folder, which is deleted at exit."""
    if out is not None:
        return absolute(out)
    folder = mkdtemp(prefix="pyibc-index-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def folder_here(place: AnyPath) -> Path:
    """Return the path of a folder on this machine.

    Raises:
        UnreadableInput: it is a URL of another place, or empty.
        UnusableFolder: table libraries would misinterpret its name.
    """
    text = absolute(place)
    if text.startswith("file:/"):
        path = path_of_file_url(text)
    elif is_address(text):
        if local_path(text) is None:
            store_scheme(text)
        raise UnreadableInput(f"{text} is not a folder on this machine: only Spark writes to it")
    else:
        path = Path(text)
    check_results(path)
    return path.absolute()


def make_results(folder: Path) -> None:
    """Create a folder of results on this machine, unless it exists.

    Raises:
        FolderUnwritable: it cannot be created, or nothing can be written to it.
        OSError: for any other reason, such as a file in its place.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if error.errno not in _UNWRITABLE:
            raise
        raise FolderUnwritable(str(folder), _UNWRITABLE[error.errno]) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise FolderUnwritable(str(folder), _UNWRITABLE[errno.EACCES])


def check_results(folder: Path) -> None:
    """Check that table libraries can write to a local folder, by its name.

    Raises:
        UnusableFolder: the libraries would misinterpret the path.
    """
    if _MISREAD.search(str(folder.absolute())):
        raise UnusableFolder(str(folder))


def check_results_url(url: str) -> None:
    """Check that Hadoop and PyArrow take the URL of a folder of results for the same folder.

    Raises:
        UnusableFolder: only one of them decodes it.
    """
    if local_path(url) is None and _DECODED.search(url):
        raise UnusableFolder(url)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock a folder, if its file system supports locks on folders; NFS does not.

    The lock ends with the process.

    Raises:
        IndexBusy: another run has the lock.
    """
    opened = os.open(folder, os.O_RDONLY)
    try:
        # guard: h113-a-second-run-is-let-in drop
        #   test_h113_a_second_run_on_the_same_results_is_refused_and_changes_nothing
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(opened)
        raise IndexBusy(str(folder)) from None
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            os.close(opened)
            raise
    try:
        yield
    finally:
        os.close(opened)
