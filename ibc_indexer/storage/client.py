"""A bucket of an object store that speaks S3's protocol.

Every request is tried again where that can help, within `DEADLINE_S` of all attempts; what fails then is a
`StorageFault`, never an input that seems not to be there. Answers of a store repeat what it was asked, ids of
keys among it, so their texts are shown to nobody: errors are in words of our own.
"""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from errno import ENOENT
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ibc_indexer.errors import (
    NoSuchBucket,
    ObjectChanged,
    StorageFault,
    StorageMissing,
    StorageRefused,
    StorageUnfit,
    StorageUnreachable,
)

try:
    import obstore
    from obstore import exceptions as faults
    from obstore.store import S3Store
except ModuleNotFoundError as absent:  # pragma: no cover - the extra is not installed
    raise StorageMissing(str(absent.name)) from None

if TYPE_CHECKING:
    from obstore.store import S3Config

DEADLINE_S = 60.0
"""Seconds after which nothing is tried again; a request that is under way then has `REQUEST_S` of its own."""
REQUEST_S = 30.0
"""Seconds of one attempt, its answer included."""
ATTEMPTS = 10
MOST = 1_000_000
"""Objects that a listing may have."""
PIECE = 8 << 20
"""Bytes that go in one request: at 300 kB a second within `REQUEST_S`."""

_ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
_REGIONS = ("AWS_REGION", "AWS_DEFAULT_REGION")
_KEYS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
_STATUS = re.compile(r"status code: ([345]\d\d)\b")
_NAMED = re.compile(r'\bPath "(.{1,200}?)"', re.DOTALL)
_LATE = re.compile(r"TimedOut|timed out")
_DEADLINE = "PYIBC_STORAGE_DEADLINE"
_number = re.compile(r"[0-9]{1,6}(\.[0-9]{1,6})?").fullmatch


class Info(NamedTuple):
    """An object as a listing tells it; named as `os.stat` names them."""

    st_size: int
    version: str  # its ETag: another content has another one
    changed: datetime

    @property
    def st_mtime_ns(self) -> int:
        """A number that stands for the content, where a file has the time at which it was written.

        Stores tell that time in seconds: two contents may share it.
        """
        return int.from_bytes(self.version.encode()[-16:].rjust(16, b"\0"), "big") % (1 << 62)


class Settings(NamedTuple):
    """How a store is reached: from the environment, as other programs for S3 take it."""

    endpoint: str  # "": Amazon's own
    region: str
    keys: tuple[str, ...]  # or empty: those of the machine's role
    deadline_s: float

    @classmethod
    def told(cls, environment: Mapping[str, str] = os.environ) -> "Settings":
        """Those of the environment.

        Raises:
            StorageUnfit: the deadline is no number of seconds.
        """
        endpoint, region = (
            next((environment[name] for name in names if environment.get(name)), "")
            for names in (_ENDPOINTS, _REGIONS)
        )
        keys = tuple(environment.get(name, "") for name in _KEYS)
        return cls(
            endpoint.rstrip("/"),
            region or "us-east-1",
            keys if keys[0] else (),
            _seconds(environment.get(_DEADLINE, "")),
        )

    def __repr__(self) -> str:
        return f"Settings(endpoint={self.endpoint!r}, region={self.region!r})"  # no keys


class Bucket:
    """A bucket, by the names of its objects."""

    def __init__(self, name: str, settings: Settings) -> None:
        """Asks for nothing yet."""
        self.name = name
        config: S3Config = {
            "region": settings.region,
            "virtual_hosted_style_request": False,
            "disable_bulk_delete": True,  # Google's store has none
        }
        if settings.keys:
            config["access_key_id"], config["secret_access_key"], token = settings.keys
            if token:
                config["session_token"] = token
        if settings.endpoint:
            config["endpoint"] = settings.endpoint
        deadline = timedelta(seconds=settings.deadline_s)
        self._known = bool(settings.keys)
        with _speaking(f"s3://{name}", known=True):
            self._store = S3Store(
                name,
                config=config,
                client_options={
                    "allow_http": settings.endpoint.startswith("http://"),
                    "timeout": min(deadline, timedelta(seconds=REQUEST_S)),
                    "connect_timeout": min(deadline, timedelta(seconds=5)),
                },
                retry_config={"max_retries": ATTEMPTS - 1, "retry_timeout": deadline},
            )

    def head(self, key: str) -> Info:
        """What an object is.

        Raises:
            FileNotFoundError: it is not there.
            StorageFault: the store cannot be asked.
        """
        with self._speaking(key):
            return self._info(obstore.head(self._store, key))

    def read(self, key: str, start: int, end: int, version: str | None = None) -> bytes:
        """The bytes from `start` up to `end`, fewer at the object's end; of the `version` that is named.

        Raises:
            FileNotFoundError: it is not there.
            ObjectChanged: it is another version.
            StorageFault: the store cannot be asked.
        """
        with self._speaking(key):
            options: obstore.GetOptions = {"range": (start, end)}
            if version is not None:
                options["if_match"] = version
            return bytes(obstore.get(self._store, key, options=options).bytes())

    def fetch(self, key: str, path: Path) -> None:
        """Writes an object to a file, all of it of one version; raises as `read` does."""
        with path.open("wb") as file:
            with self._speaking(key):
                found = obstore.get(self._store, key, options={"range": (0, PIECE)})
                file.write(found.bytes())
            size, version = found.meta["size"], self._version(key, found.meta["e_tag"])
            for start in range(PIECE, size, PIECE):
                file.write(self.read(key, start, start + PIECE, version))
            if file.tell() != size:
                raise StorageUnfit(self._shown(key), "it is shorter than it says")

    def whole(self, key: str) -> tuple[bytes, str]:
        """An object and its version; raises as `read` does."""
        with self._speaking(key):
            found = obstore.get(self._store, key)
            return bytes(found.bytes()), self._version(key, found.meta["e_tag"])

    def put(self, key: str, data: object) -> str:
        """Replaces an object whole, or not at all; returns its version. `data`: bytes, or a local path.

        Raises:
            StorageFault: the store does not take it.
        """
        with self._speaking(key, writing=True):
            found = obstore.put(self._store, key, data, chunk_size=PIECE, max_concurrency=4)  # type: ignore[arg-type]
            return self._version(key, found["e_tag"])

    def put_new(self, key: str, data: bytes) -> str:
        """Makes an object that is not there (`If-None-Match: *`); returns its version.

        The same content that is there already counts as made: the answer to an attempt that went well may
        have been lost, and the next attempt finds it done. So contents of two writers have to differ.

        Raises:
            ObjectChanged: another one is there.
            StorageFault: the store does not take it.
        """
        return self._put_if(key, data, "create")

    def put_instead(self, key: str, data: bytes, version: str) -> str:
        """Replaces an object that still is the `version` named (`If-Match`); all else as `put_new`."""
        return self._put_if(key, data, {"e_tag": version})

    def _put_if(self, key: str, data: bytes, mode: "obstore.PutMode") -> str:
        try:
            with self._speaking(key, writing=True):
                return self._version(key, obstore.put(self._store, key, data, mode=mode)["e_tag"])
        except ObjectChanged:
            if (version := self._version_with(key, data)) is not None:
                return version
            raise

    def _version_with(self, key: str, data: bytes) -> str | None:
        """The version of an object if its content is this; no more of it is read, whoever wrote it."""
        with suppress(FileNotFoundError, ObjectChanged):
            found = self.head(key)
            # guard: h216-a-commit-goes-over-another {found.st_size == len(data) and self.read(key, 0,
            #   len(data), found.version) == data => found.st_size or self.read(key, 0, len(data),
            #   found.version) == data} test_h216_what_commits_a_run_is_replaced_only_as_it_was_found
            if found.st_size == len(data) and self.read(key, 0, len(data), found.version) == data:
                return found.version
        return None

    def copy(self, key: str, target: str) -> None:
        """Copies an object within the bucket, in the store; raises as `read` does."""
        with self._speaking(key):
            obstore.copy(self._store, key, target)

    def delete(self, key: str) -> None:
        """Removes an object; nothing happens where it is not there."""
        with self._speaking(key), suppress(FileNotFoundError):
            obstore.delete(self._store, key)

    def below(self, prefix: str, after: str | None = None) -> Iterator[tuple[str, Info]]:
        """The objects whose names begin with `prefix/`, in order; those of size 0 are marks of folders.

        Raises:
            NoSuchBucket: the bucket is not there.
            StorageFault: it cannot be listed, or has too many.
        """
        with self._speaking(prefix, writing=True):
            count = 0
            for some in obstore.list(self._store, prefix or None, offset=after, chunk_size=1000):
                count += len(some)
                if count > MOST:
                    raise StorageUnfit(self._shown(prefix), f"more than {MOST} objects are below it")
                yield from ((meta["path"], self._info(meta)) for meta in some if meta["size"])

    def within(self, prefix: str) -> tuple[list[str], list[tuple[str, Info]]]:
        """The folders and the objects directly in `prefix/`; raises as `below` does."""
        with self._speaking(prefix, writing=True):
            found = obstore.list_with_delimiter(self._store, prefix or None)
        objects = [(meta["path"], self._info(meta)) for meta in found["objects"] if meta["size"]]
        return list(found["common_prefixes"]), objects

    def _info(self, meta: "obstore.ObjectMeta") -> Info:
        return Info(meta["size"], self._version(meta["path"], meta["e_tag"]), meta["last_modified"])

    def _version(self, key: str, tag: str | None) -> str:
        """Two contents are told apart by it: "None" would make all of them one.

        Raises:
            StorageUnfit: there is none.
        """
        if not tag:
            raise StorageUnfit(self._shown(key), "the store gives no versions (ETag)")
        return tag

    def _shown(self, key: str) -> str:
        return f"s3://{self.name}/{key}"

    @contextmanager
    def _speaking(self, key: str, *, writing: bool = False) -> Iterator[None]:
        """`writing`: no object has to be there, so what is not there is the bucket."""
        try:
            with _speaking(self._shown(key), known=self._known):
                yield
        except NoSuchBucket:
            raise NoSuchBucket(f"s3://{self.name}") from None
        except FileNotFoundError:
            if writing:
                raise NoSuchBucket(f"s3://{self.name}") from None
            raise FileNotFoundError(ENOENT, "there is no such object", self._shown(key)) from None


def _seconds(text: str) -> float:
    if not text:
        return DEADLINE_S
    if not _number(text) or not float(text):
        raise StorageUnfit(_DEADLINE, f"{text[:40]!a} is no number of seconds above 0")
    return float(text)


@contextmanager
def _speaking(place: str, *, known: bool) -> Iterator[None]:
    """Gives what the client raises our names and words, and forgets its own."""
    try:
        yield
    except StorageFault:
        raise
    except (faults.AlreadyExistsError, faults.PreconditionError):
        raise ObjectChanged(place) from None
    except (faults.PermissionDeniedError, faults.UnauthenticatedError):
        # guard: h215-a-fault-drags-the-client-s-along drop:None
        #   test_h215_refused_credentials_are_named_and_never_shown
        raise StorageRefused(place, "the credentials are wrong, or may not do this") from None
    except faults.BaseError as error:
        raise _fault(place, str(error), known=known) from None
    except (TimeoutError, ConnectionError, ValueError) as error:
        raise StorageUnreachable(place, type(error).__name__) from None


def _fault(place: str, text: str, *, known: bool) -> StorageFault:
    """The fault that a text of the client's tells of."""
    status = _STATUS.search(text)
    if named := _NAMED.search(text):
        return StorageUnfit(place, f"an object's name is no path: {named.group(1)!r}")
    if not known and "/latest/" in text:  # of the machine's own service for roles
        return StorageRefused(place, "no credentials are given, and the machine has none")
    if status is not None and status.group(1) == "404":
        return NoSuchBucket(place)
    if status is not None and status.group(1) in {"401", "403"}:
        return StorageRefused(place, "the credentials are wrong, or may not do this")
    if "redirect" in text or (status is not None and status.group(1)[0] == "3"):
        return StorageUnfit(place, "it is in another region: AWS_REGION names it")
    if status is not None and status.group(1)[0] == "4":
        return StorageUnfit(place, f"the store answers {status.group(1)}")
    if status is not None:
        return StorageUnreachable(place, f"the store answers {status.group(1)}, again and again")
    if _LATE.search(text):
        return StorageUnreachable(place, "it does not answer in time")
    if "HTTP error" in text:
        return StorageUnreachable(place, "the connection fails, again and again")
    return StorageUnfit(place, "S3 would not give such an answer")


def bucket(name: str) -> Bucket:
    """The bucket `name` of the store that the environment tells of."""
    return _bucket(name, Settings.told())


@lru_cache(maxsize=16)
def _bucket(name: str, settings: Settings) -> Bucket:
    return Bucket(name, settings)
