"""Client of a bucket in an object store with the S3 protocol.

Temporary failures are retried until `DEADLINE_S` has passed; then `StorageFault` is raised, never an error
that looks like a missing input. Responses of a store may repeat the request, including access key ids, so
their texts are not displayed: error messages are written here.
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

from pyibc.indexer.errors import (
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
"""Deadline for retries in seconds; an attempt that is running then may still take `REQUEST_S`."""
REQUEST_S = 30.0
"""Timeout of one attempt in seconds, including the response."""
ATTEMPTS = 10
MOST = 1_000_000
"""Maximum number of objects in a listing."""
PIECE = 8 << 20
"""Maximum bytes of one request, which take `REQUEST_S` at 300 kB per second."""

_ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
_REGIONS = ("AWS_REGION", "AWS_DEFAULT_REGION")
_KEYS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
_STATUS = re.compile(r"status code: ([345]\d\d)\b")
_NAMED = re.compile(r'\bPath "(.{1,200}?)"', re.DOTALL)
_LATE = re.compile(r"TimedOut|timed out")
_DEADLINE = "PYIBC_STORAGE_DEADLINE"
_number = re.compile(r"[0-9]{1,6}(\.[0-9]{1,6})?").fullmatch


class Info(NamedTuple):
    """Metadata of an object, with the attribute names of `os.stat`."""

    st_size: int
    version: str  # ETag, which identifies the content
    changed: datetime

    @property
    def st_mtime_ns(self) -> int:
        """Number derived from the version, in place of the modification time of a file.

        Stores report the modification time only in seconds, in which the content may change twice.
        """
        return int.from_bytes(self.version.encode()[-16:].rjust(16, b"\0"), "big") % (1 << 62)


class Settings(NamedTuple):
    """Connection settings of a store, from the usual environment variables of S3 clients."""

    endpoint: str  # "": AWS
    region: str
    keys: tuple[str, ...]  # access key id, secret key, session token; empty: use the machine's role
    deadline_s: float

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "Settings":
        """Read the settings from environment variables.

        Raises:
            StorageUnfit: the deadline is not a number of seconds.
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
        return f"Settings(endpoint={self.endpoint!r}, region={self.region!r})"  # without the keys


class Bucket:
    """Client of a bucket; objects are identified by their keys."""

    def __init__(self, name: str, settings: Settings) -> None:
        """Create a client without sending a request."""
        self.name = name
        config: S3Config = {
            "region": settings.region,
            "virtual_hosted_style_request": False,
            "disable_bulk_delete": True,  # not supported by Google Cloud Storage
        }
        if settings.keys:
            config["access_key_id"], config["secret_access_key"], token = settings.keys
            if token:
                config["session_token"] = token
        if settings.endpoint:
            config["endpoint"] = settings.endpoint
        deadline = timedelta(seconds=settings.deadline_s)
        self._known = bool(settings.keys)
        with _converting_errors(f"s3://{name}", known=True):
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
        """Return the metadata of an object.

        Raises:
            FileNotFoundError: the object does not exist.
            StorageFault: the request failed.
        """
        with self._converting_errors(key):
            return self._info(obstore.head(self._store, key))

    def read(self, key: str, start: int, end: int, version: str | None = None) -> bytes:
        """Read the bytes from `start` up to `end`, fewer at the end of the object, of the given `version`.

        Raises:
            FileNotFoundError: the object does not exist.
            ObjectChanged: the object has another version.
            StorageFault: the request failed.
        """
        with self._converting_errors(key):
            options: obstore.GetOptions = {"range": (start, end)}
            if version is not None:
                options["if_match"] = version
            return bytes(obstore.get(self._store, key, options=options).bytes())

    def fetch(self, key: str, path: Path) -> None:
        """Download one version of an object to a file; raise the errors of `read`."""
        with path.open("wb") as file:
            with self._converting_errors(key):
                found = obstore.get(self._store, key, options={"range": (0, PIECE)})
                file.write(found.bytes())
            size, version = found.meta["size"], self._version(key, found.meta["e_tag"])
            for start in range(PIECE, size, PIECE):
                file.write(self.read(key, start, start + PIECE, version))
            if file.tell() != size:
                raise StorageUnfit(self._shown(key), "the object is shorter than its size")

    def whole(self, key: str) -> tuple[bytes, str]:
        """Read an object and its version; raise the errors of `read`."""
        with self._converting_errors(key):
            found = obstore.get(self._store, key)
            return bytes(found.bytes()), self._version(key, found.meta["e_tag"])

    def put(self, key: str, data: object) -> str:
        """Replace an object atomically; return its version. `data` is bytes or a local path.

        Raises:
            StorageFault: the request failed.
        """
        with self._converting_errors(key, writing=True):
            found = obstore.put(self._store, key, data, chunk_size=PIECE, max_concurrency=4)  # type: ignore[arg-type]
            return self._version(key, found["e_tag"])

    def put_new(self, key: str, data: bytes) -> str:
        """Create an object that must not exist (`If-None-Match: *`); return its version.

        An existing object with the same content counts as success, because the response to a successful
        attempt may have been lost. So the contents of different writers must differ.

        Raises:
            ObjectChanged: an object with other content exists.
            StorageFault: the request failed.
        """
        return self._put_if(key, data, "create")

    def put_instead(self, key: str, data: bytes, version: str) -> str:
        """Replace an object if it still has the given `version` (`If-Match`); otherwise like `put_new`."""
        return self._put_if(key, data, {"e_tag": version})

    def _put_if(self, key: str, data: bytes, mode: "obstore.PutMode") -> str:
        try:
            with self._converting_errors(key, writing=True):
                return self._version(key, obstore.put(self._store, key, data, mode=mode)["e_tag"])
        except ObjectChanged:
            if (version := self._version_with(key, data)) is not None:
                return version
            raise

    def _version_with(self, key: str, data: bytes) -> str | None:
        """Return the version of an object if its content is `data`; objects of other sizes are not read."""
        with suppress(FileNotFoundError, ObjectChanged):
            found = self.head(key)
            # guard: h216-a-commit-goes-over-another {found.st_size == len(data) and self.read(key, 0,
            #   len(data), found.version) == data => found.st_size or self.read(key, 0, len(data),
            #   found.version) == data} test_h216_what_commits_a_run_is_replaced_only_as_it_was_found
            if found.st_size == len(data) and self.read(key, 0, len(data), found.version) == data:
                return found.version
        return None

    def copy(self, key: str, target: str) -> None:
        """Copy an object within the bucket, by the store; raise the errors of `read`."""
        with self._converting_errors(key):
            obstore.copy(self._store, key, target)

    def delete(self, key: str) -> None:
        """Remove an object, if it exists."""
        with self._converting_errors(key), suppress(FileNotFoundError):
            obstore.delete(self._store, key)

    def below(self, prefix: str, after: str | None = None) -> Iterator[tuple[str, Info]]:
        """Yield the objects with the prefix `prefix/`, sorted, without directory markers (objects of size 0).

        Raises:
            NoSuchBucket: the bucket does not exist.
            StorageFault: the request failed, or there are too many objects.
        """
        with self._converting_errors(prefix, writing=True):
            count = 0
            for some in obstore.list(self._store, prefix or None, offset=after, chunk_size=1000):
                count += len(some)
                if count > MOST:
                    raise StorageUnfit(self._shown(prefix), f"it contains more than {MOST} objects")
                yield from ((meta["path"], self._info(meta)) for meta in some if meta["size"])

    def within(self, prefix: str) -> tuple[list[str], list[tuple[str, Info]]]:
        """Return the folders and the objects directly in `prefix/`; raise the errors of `below`."""
        with self._converting_errors(prefix, writing=True):
            found = obstore.list_with_delimiter(self._store, prefix or None)
        objects = [(meta["path"], self._info(meta)) for meta in found["objects"] if meta["size"]]
        return list(found["common_prefixes"]), objects

    def _info(self, meta: "obstore.ObjectMeta") -> Info:
        return Info(meta["size"], self._version(meta["path"], meta["e_tag"]), meta["last_modified"])

    def _version(self, key: str, tag: str | None) -> str:
        """Return the ETag, which must exist because it distinguishes contents.

        Raises:
            StorageUnfit: the store does not provide an ETag.
        """
        if not tag:
            raise StorageUnfit(self._shown(key), "the store does not provide ETags")
        return tag

    def _shown(self, key: str) -> str:
        return f"s3://{self.name}/{key}"

    @contextmanager
    def _converting_errors(self, key: str, *, writing: bool = False) -> Iterator[None]:
        """Convert client errors; with `writing`, no object must exist, so 404 means a missing bucket."""
        try:
            with _converting_errors(self._shown(key), known=self._known):
                yield
        except NoSuchBucket:
            raise NoSuchBucket(f"s3://{self.name}") from None
        except FileNotFoundError:
            if writing:
                raise NoSuchBucket(f"s3://{self.name}") from None
            raise FileNotFoundError(ENOENT, "no such object", self._shown(key)) from None


def _seconds(text: str) -> float:
    if not text:
        return DEADLINE_S
    if not _number(text) or not float(text):
        raise StorageUnfit(_DEADLINE, f"{text[:40]!a} is not a positive number of seconds")
    return float(text)


@contextmanager
def _converting_errors(place: str, *, known: bool) -> Iterator[None]:
    """Convert errors of the client library to `StorageFault`, without their texts."""
    try:
        yield
    except StorageFault:
        raise
    except (faults.AlreadyExistsError, faults.PreconditionError):
        raise ObjectChanged(place) from None
    except (faults.PermissionDeniedError, faults.UnauthenticatedError):
        # guard: h215-a-fault-drags-the-client-s-along drop:None
        #   test_h215_refused_credentials_are_named_and_never_shown
        raise StorageRefused(place, "the credentials are invalid or lack permission") from None
    except faults.BaseError as error:
        raise _fault(place, str(error), known=known) from None
    except (TimeoutError, ConnectionError, ValueError) as error:
        raise StorageUnreachable(place, type(error).__name__) from None


def _fault(place: str, text: str, *, known: bool) -> StorageFault:
    """Create the fault for an error text of the client library."""
    status = _STATUS.search(text)
    if named := _NAMED.search(text):
        return StorageUnfit(place, f"an object key is not a valid path: {named.group(1)!r}")
    if not known and "/latest/" in text:  # instance metadata service
        return StorageRefused(place, "no credentials are set, and the machine has no role")
    if status is not None and status.group(1) == "404":
        return NoSuchBucket(place)
    if status is not None and status.group(1) in {"401", "403"}:
        return StorageRefused(place, "the credentials are invalid or lack permission")
    if "redirect" in text or (status is not None and status.group(1)[0] == "3"):
        return StorageUnfit(place, "the bucket is in another region: set AWS_REGION")
    if status is not None and status.group(1)[0] == "4":
        return StorageUnfit(place, f"the store responds with status {status.group(1)}")
    if status is not None:
        return StorageUnreachable(place, f"the store repeatedly responds with status {status.group(1)}")
    if _LATE.search(text):
        return StorageUnreachable(place, "the store does not respond in time")
    if "HTTP error" in text:
        return StorageUnreachable(place, "the connection repeatedly fails")
    return StorageUnfit(place, "the response does not conform to S3")


def bucket(name: str) -> Bucket:
    """Return a client of the bucket `name`, with settings from the environment."""
    return _bucket(name, Settings.from_environment())


@lru_cache(maxsize=16)
def _bucket(name: str, settings: Settings) -> Bucket:
    return Bucket(name, settings)
