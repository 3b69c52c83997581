"""File systems of stores: those of PyArrow, with the settings of Hadoop's connectors.

A Spark session keeps the endpoint and the credentials of a store in settings such as `fs.s3a.access.key`.
Processes that read inputs have no JVM, so these settings are passed to them, as options of the data source.
Without settings PyArrow finds credentials by itself: a role of the machine, or environment variables.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

from pyarrow import ArrowException, fs

from pyibc.indexer.errors import StorageUnreachable
from pyibc.indexer.locations import local_path, store_scheme

_HADOOP = ": set JAVA_HOME, HADOOP_HOME, and CLASSPATH to what `hadoop classpath --glob` prints"
_AMAZON = ": set AWS_ACCESS_KEY_ID and the others, or pass `fs.s3a` settings as options (`store_options`)"
_HINTS = {"hdfs": _HADOOP, "viewfs": _HADOOP, "s3": _AMAZON}
_S3 = (
    *("access.key", "secret.key", "session.token", "endpoint", "endpoint.region"),
    *("connection.ssl.enabled", "aws.credentials.provider"),
)
_SSL, _PROVIDER = _S3[-2:]
_NOBODY, _WITHOUT_TOKEN = "AnonymousAWSCredentialsProvider", "SimpleAWSCredentialsProvider"
_AWS = re.compile(r"s3(?:[.-]([a-z]{2,}(?:-[a-z]+)+-[0-9]+))?\.amazonaws\.com(?:\.cn)?")
_KEY = "fs.azure.account.key"
_AZURE = "core.windows.net"
_OF_AZURE = ("abfs", "abfss")

_used: dict[str, str] = {}


def set_settings(settings: Mapping[str, str]) -> None:
    """Use settings of Hadoop's connectors in this process, and no others; other options are ignored."""
    _used.clear()
    _used.update({name: value for name, value in settings.items() if name.startswith("fs.")})


def use_for(urls: Iterable[str], get: Callable[[str], str | None]) -> dict[str, str]:
    """Use the settings for the stores of paths and URLs, instead of earlier ones for these stores.

    Returns:
        The settings, as of `settings_for`.
    """
    found = dict[str, str]()
    for url in urls:
        if local_path(url) is None:
            for name in _names(url):
                _used.pop(name, None)
            found |= settings_for(url, get)
    _used.update(found)
    return found


def settings_for(url: str, get: Callable[[str], str | None]) -> dict[str, str]:
    """Return the settings of Hadoop's connectors for the bucket or account of a path or URL, by name.

    Args:
        url: the path or URL.
        get: returns the value of a setting, Hadoop's default if there is none.
    """
    if local_path(url) is not None:
        return {}
    found = {own: (get(own) or get(general) or "").strip() for own, general in _names(url).items()}
    return {name: value for name, value in found.items() if value and not _is_default(name, value)}


def file_system(url: str) -> tuple[fs.FileSystem, str]:
    """Return the PyArrow file system of a URL, and the path in it.

    Raises:
        UnreadableInput: the scheme is not supported, or the URL has credentials.
        StorageUnreachable: the store cannot be opened, or its settings cannot be used.
    """
    place, _, path = url.partition("://")[2].partition("/")
    settings = settings_for(url, _used.get)
    system, root = _opened(f"{store_scheme(url)}://{place}", tuple(settings.items()))
    return system, f"{root}/{unquote(path)}".rstrip("/")


def _names(url: str) -> dict[str, str]:
    """Return the settings of a bucket or account by name, each with the name of that for all of them."""
    scheme, place = store_scheme(url), url.partition("://")[2].partition("/")[0]
    if scheme == "s3":
        return {f"fs.s3a.bucket.{place}.{name}": f"fs.s3a.{name}" for name in _S3}
    return {f"{_KEY}.{place.rpartition('@')[2]}": _KEY} if scheme in _OF_AZURE else {}


def _is_default(name: str, value: str) -> bool:
    if name.endswith(".endpoint"):
        return value == "s3.amazonaws.com"
    if name.endswith(_SSL):
        return value.lower() != "false"
    return name.endswith(_PROVIDER) and ("," in value or not value.endswith((_NOBODY, _WITHOUT_TOKEN)))


@lru_cache(maxsize=16)
def _opened(root: str, settings: tuple[tuple[str, str], ...]) -> tuple[fs.FileSystem, str]:
    scheme, _, place = root.partition("://")
    try:
        if settings and scheme == "s3":
            return fs.S3FileSystem(**_of_s3(place, dict(settings))), place
        if settings:
            container, _, host = place.rpartition("@")
            return fs.AzureFileSystem(**_of_azure(host, settings[0][1])), container
        if scheme in _OF_AZURE:
            place = place.replace(".blob.", ".dfs.")
        system, path = fs.FileSystem.from_uri(f"{scheme}://{place}/")
    except (OSError, ValueError, ArrowException) as error:
        reason = str(error).partition("\n")[0][:200]
        raise StorageUnreachable(root, f"{reason}{_HINTS.get(scheme, '')}") from None
    return system, path.rstrip("/")


def _of_s3(bucket: str, settings: dict[str, str]) -> dict[str, Any]:
    """Return the arguments of PyArrow's file system for a bucket."""
    access, secret, token, endpoint, region, ssl, provider = (
        settings.get(f"fs.s3a.bucket.{bucket}.{name}", "") for name in _S3
    )
    is_public = provider.endswith(_NOBODY)
    if is_public:
        access = secret = token = ""
    elif provider:
        token = ""
    scheme, _, endpoint = endpoint.rstrip("/").rpartition("://")
    aws = _AWS.fullmatch(endpoint)
    if aws is not None:  # the endpoint of a region, which PyArrow knows
        region, endpoint = region or aws[1] or "", ""
    given = {
        "access_key": access,
        "secret_key": secret,
        "session_token": token,
        "anonymous": is_public,
        "endpoint_override": endpoint,
        "scheme": scheme.lower() or ("http" if ssl else ""),
        "region": region or ("" if endpoint else fs.resolve_s3_region(bucket)),
    }
    return {name: value for name, value in given.items() if value}


def _of_azure(host: str, key: str) -> dict[str, Any]:
    """Return the arguments of PyArrow's file system for an account."""
    account, _, domain = host.partition(".")
    cloud = domain.partition(".")[2]
    found = {"account_name": account, "account_key": key}
    if cloud != _AZURE:
        found |= {"blob_storage_authority": f".blob.{cloud}", "dfs_storage_authority": f".dfs.{cloud}"}
    return found
