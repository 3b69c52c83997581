"""Spark Connect: sessions on a remote Spark server over gRPC, without a JVM in this process."""

import atexit
import socket
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from pyibc.indexer.errors import EngineFailed

SCHEME = "sc://"
PORT = 15002
"""Default port of a Spark Connect server."""
REACH_S = 10.0
"""Timeout of a connection attempt in seconds; PySpark itself would retry for ten minutes."""
_PACKAGES = "pip install 'pyibc[connect]'"

_OWN: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
"""Session of the indexer by the user's session, reused because a server keeps every session for an hour."""


def public(master: str) -> str:
    """Strip parameters from a Spark Connect URL, which may contain a token, for display."""
    return master.partition(";")[0].rstrip("/") if master.startswith(SCHEME) else master


def is_connect(spark: Any) -> bool:
    """Return whether `spark` is a Spark Connect session."""
    return type(spark).__module__.startswith("pyspark.sql.connect")


def open_connect(url: str) -> Any:
    """Open a session at the server of `sc://host[:port][/;key=value...]`.

    Raises:
        EngineFailed: the server does not accept connections, or the packages that PySpark needs for Spark
            Connect are not installed.
    """
    _reach(url)
    try:
        from pyspark.sql.connect.session import SparkSession

        session = SparkSession.builder.remote(url).getOrCreate()
        atexit.register(_end, session)
        session.version  # noqa: B018 - asks the server
    except ImportError as error:  # PySpark's own too
        reason = str(error).partition("\n")[0]
        raise EngineFailed("Spark Connect", f"{_PACKAGES} ({reason})") from error
    return session


def own_session(spark: Any) -> Any:
    """Return a clone of the user's session at the same server; reuse it while the server has it.

    Raises:
        EngineFailed: PySpark is older than 4.1 and cannot clone sessions.
    """
    if not hasattr(spark, "cloneSession"):
        raise EngineFailed("Spark Connect", "PySpark 4.1 or later is needed")
    own = _OWN.get(spark)
    if own is None or not is_there(own):
        spark.version  # noqa: B018 - the server creates a session at its first request
        own = _OWN[spark] = spark.cloneSession()
        atexit.register(_end, own)
    return own


def _end(spark: Any) -> None:
    """Close the gRPC channel of a session at exit, while threads still run: gRPC would block for ever later.

    No request is sent to the server: if it is down, PySpark would retry for ten minutes.
    """
    with suppress(*_gone()):
        spark.client.close()


def is_there(spark: Any) -> bool:
    """Return whether the server still has the session; it ends sessions that are idle for an hour."""
    try:
        spark.version  # noqa: B018 - asks the server
    except _gone():
        return False
    return True


def _gone() -> tuple[type[Exception], ...]:
    from pyspark.errors import PySparkException

    return (PySparkException, *failures())


def failures() -> tuple[type[Exception], ...]:
    """Return the exceptions of gRPC that a Connect session may raise; none if gRPC is not installed."""
    try:
        from grpc import RpcError
    except ImportError:
        return ()
    return (RpcError,)


def _reach(url: str) -> None:
    try:
        place = urlsplit(url)
        host, port = place.hostname or "", place.port or PORT
    except ValueError:
        host, port = "", PORT
    if not host:
        raise EngineFailed("Spark Connect", f"not a URL of the form sc://host[:port]: {public(url)}")
    try:
        socket.create_connection((host, port), REACH_S).close()
    except OSError as error:
        raise EngineFailed("Spark Connect", f"cannot connect to {host}:{port}: {error}") from error
