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
from urllib.parse import unquote

from pyibc.indexer.errors import IndexBusy, UnreadableInput, UnusableFolder

AnyPath = str | PathLike[str]
CONNECT = "sc://"
"""Beginning of the URL of a Spark Connect server, which is not a Spark master."""

_MISREAD = re.compile(r"[\[\]\\^|\x00-\x1f\x7f\ud800-\udfff]|%[0-9A-Fa-f]{2}|(?:^|/)\w+=")
"""Parts of a path that DuckDB or delta-rs misinterprets or rejects; `name=value` is a partition for them."""
_WILDCARD = re.compile(r"[*?\[{]")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")  # of two letters or more: `C:/` is a path of Windows

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


def absolute(place: AnyPath) -> str:
    """Return a path as an absolute one, and a URL as it is."""
    text = os.fspath(place)
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
            disk is not mounted. URLs of stores are not checked.
    """
    given = [inputs] if isinstance(inputs, str | PathLike) else inputs
    found = [absolute(each) for each in given]
    for each in found:
        if is_address(each) or os.path.exists(each):  # noqa: PTH110 - it may be a URL
            continue
        folder = before_wildcards(each)
        if folder == each or not os.path.exists(folder):  # noqa: PTH110
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
        UnreadableInput: it is a URL of another place.
        UnusableFolder: table libraries would misinterpret its name.
    """
    text = os.fspath(place)
    if text.startswith("file:/"):
        path = path_of_file_url(text)
    elif is_address(text):
        raise UnreadableInput(f"{text} is not a folder on this machine: only Spark writes to it")
    else:
        path = Path(text)
    check_results(path)
    return path.absolute()


def check_results(folder: Path) -> None:
    """Check that table libraries can write to a local folder, by its name.

    Raises:
        UnusableFolder: the libraries would misinterpret the path.
    """
    if _MISREAD.search(str(folder.absolute())):
        raise UnusableFolder(str(folder))


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
