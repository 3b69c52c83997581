"""File systems of stores: those of PyArrow, with the settings of Hadoop's connectors.

A Spark session keeps the endpoint and the credentials of a store in settings such as `fs.s3a.access.key`.
Processes that read inputs have no JVM, so these settings are passed to them, as options of the data source.
Without settings PyArrow finds credentials by itself: a role of the machine, or environment variables.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import unquote, urlsplit

from pyarrow import ArrowException, fs

from pyibc.indexer.errors import UnreadableInput
from pyibc.indexer.locations import local_path, store_scheme

_HADOOP = ": set JAVA_HOME, HADOOP_HOME, and CLASSPATH to what `hadoop classpath --glob` prints"
_AMAZON = ": set AWS_ACCESS_KEY_ID and the others, or pass `fs.s3a` settings as options (`store_options`)"
_HINTS = {"hdfs": _HADOOP, "viewfs": _HADOOP, "s3": _AMAZON}
_S3 = ("access.key", "secret.key", "session.token", "endpoint", "endpoint.region")
_SSL, _PROVIDER = "connection.ssl.enabled", "aws.credentials.provider"
_NOBODY = "AnonymousAWSCredentialsProvider"
_AWS = re.compile(r"s3(?:[.-]([a-z0-9-]+))?\.amazonaws\.com(?:\.cn)?")
_KEY = "fs.azure.account.key"

_used: dict[str, str] = {}


def set_settings(settings: Mapping[str, str]) -> None:
    """Use settings of Hadoop's connectors in this process, and no others; other options are ignored."""
    _used.clear()
    add_settings(settings)


def add_settings(settings: Mapping[str, str]) -> None:
    """Use settings of Hadoop's connectors in this process, beside those of earlier calls."""
    _used.update({name: value for name, value in settings.items() if name.startswith("fs.")})


def settings_for(url: str, get: Callable[[str], str | None]) -> dict[str, str]:
    """Return the settings of Hadoop's connectors for a path or URL, by name.

    Args:
        url: the path or URL.
        get: returns the value of a setting, Hadoop's default if there is none.
    """
    if local_path(url) is not None:
        return {}
    return {name: value for name in _names(url) if (value := get(name)) and not _is_default(name, value)}


def file_system(url: str) -> tuple[fs.FileSystem, str]:
    """Return the PyArrow file system of a URL, and the path in it.

    Raises:
        UnreadableInput: the scheme is not supported, or the URL is malformed.
    """
    scheme, parts = store_scheme(url), urlsplit(url)
    settings = settings_for(url, _used.get)
    system, root = _opened(f"{scheme}://{parts.netloc}", tuple(settings.items()))
    return system, f"{root}{unquote(parts.path)}".rstrip("/")


def _names(url: str) -> Iterator[str]:
    scheme, place = store_scheme(url), urlsplit(url).netloc
    if scheme == "s3":
        for name in (*_S3, _SSL, _PROVIDER):
            yield from (f"fs.s3a.{name}", f"fs.s3a.bucket.{place}.{name}")
    elif scheme in {"abfs", "abfss"}:
        host = place.rpartition("@")[2]
        yield from (_KEY, f"{_KEY}.{host}")


def _is_default(name: str, value: str) -> bool:
    if name == "fs.s3a.endpoint":
        return value == "s3.amazonaws.com"
    if name.endswith(_SSL):
        return value != "false"
    return name.endswith(_PROVIDER) and not ("," not in value and value.endswith(_NOBODY))


@lru_cache(maxsize=16)
def _opened(root: str, settings: tuple[tuple[str, str], ...]) -> tuple[fs.FileSystem, str]:
    scheme, _, place = root.partition("://")
    try:
        if settings and scheme == "s3":
            return fs.S3FileSystem(**_of_s3(place, dict(settings))), place
        if settings:
            container, _, host = place.rpartition("@")
            return fs.AzureFileSystem(host.partition(".")[0], account_key=settings[-1][1]), container
        system, path = fs.FileSystem.from_uri(f"{root}/")
    except (OSError, ValueError, ArrowException) as error:
        hint = _HINTS.get(scheme, "")
        reason = str(error).partition("\n")[0][:200]
        raise UnreadableInput(f"{root} cannot be opened: {reason}{hint}") from None
    return system, path.rstrip("/")


def _of_s3(bucket: str, settings: dict[str, str]) -> dict[str, Any]:
    """Return the arguments of PyArrow's file system for a bucket; its own settings come before others."""
    access, secret, token, endpoint, region, ssl, provider = (
        settings.get(f"fs.s3a.bucket.{bucket}.{name}") or settings.get(f"fs.s3a.{name}", "")
        for name in (*_S3, _SSL, _PROVIDER)
    )
    scheme, _, endpoint = endpoint.rstrip("/").rpartition("://")
    aws = _AWS.fullmatch(endpoint)
    if aws is not None:  # the endpoint of a region, which PyArrow knows
        region, endpoint = region or aws[1] or "", ""
    given = {
        "access_key": access,
        "secret_key": secret,
        "session_token": token,
        "anonymous": bool(provider and not access),
        "endpoint_override": endpoint,
        "scheme": scheme or ("http" if ssl else ""),
        "region": region or ("" if endpoint else fs.resolve_s3_region(bucket)),
    }
    return {name: value for name, value in given.items() if value}
