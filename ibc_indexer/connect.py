"""Spark Connect: a session whose Spark runs elsewhere, asked over gRPC; there is no JVM in this process."""

import atexit
import socket
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from ibc_indexer.errors import EngineFailed

SCHEME = "sc://"
PORT = 15002
"""Where a server listens unless told."""
REACH_S = 10.0
"""Seconds in which it must take a connection: PySpark itself tries again for ten minutes."""
_PACKAGES = "pip install 'pyibc[connect]'"

_OWN: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
"""By a user's session the one beside it: a server keeps each that was made for an hour."""


def public(master: str) -> str:
    """What may be told of a master: a URL of Spark Connect may hold a token behind its host."""
    return master.partition(";")[0].rstrip("/") if master.startswith(SCHEME) else master


def is_connect(spark: Any) -> bool:
    """Whether a session is one of Spark Connect."""
    return type(spark).__module__.startswith("pyspark.sql.connect")


def open_connect(url: str) -> Any:
    """A session at the server of `sc://host[:port][/;key=value...]`.

    Raises:
        EngineFailed: nobody takes connections there, or what PySpark needs for Connect is not installed.
    """
    _reach(url)
    try:
        from pyspark.sql.connect.session import SparkSession

        session = SparkSession.builder.remote(url).getOrCreate()
        atexit.register(_end, session)
        session.version  # noqa: B018 - asks the server
    except ImportError as error:  # PySpark's own too
        told = str(error).partition("\n")[0]
        raise EngineFailed("Spark Connect", f"{_PACKAGES} ({told})") from error
    return session


def own_session(spark: Any) -> Any:
    """The session beside the user's, at the same server; the same one each time, while the server has it.

    Raises:
        EngineFailed: PySpark is older than 4.1, which cannot make one.
    """
    if not hasattr(spark, "cloneSession"):
        raise EngineFailed("Spark Connect", "PySpark 4.1 or later is needed")
    own = _OWN.get(spark)
    if own is None or not is_there(own):
        spark.version  # noqa: B018 - a server knows a session from its first question on
        own = _OWN[spark] = spark.cloneSession()
        atexit.register(_end, own)
    return own


def _end(spark: Any) -> None:
    """Closes a session while this process still has threads: gRPC waits for them, for ever without.

    The server is not asked, which may be away: PySpark would try again for ten minutes.
    """
    with suppress(*_gone()):
        spark.client.close()


def is_there(spark: Any) -> bool:
    """Whether the server still has a session: it ends those that asked nothing for an hour."""
    try:
        spark.version  # noqa: B018 - asks the server
    except _gone():
        return False
    return True


def _gone() -> tuple[type[Exception], ...]:
    from pyspark.errors import PySparkException

    return (PySparkException, *failures())


def failures() -> tuple[type[Exception], ...]:
    """What a session of Connect raises beside PySpark's errors; none where gRPC is not installed."""
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
        raise EngineFailed("Spark Connect", f"nobody answers at {host}:{port}: {error}") from error
