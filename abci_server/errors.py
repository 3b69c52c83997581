"""Errors between CometBFT and an application, and a log whose rate is limited, as peers can be faulty."""

import logging
import time
from dataclasses import dataclass, fields
from threading import Lock
from traceback import format_exception
from typing import ClassVar, dataclass_transform


@dataclass(eq=False)
class AbciError(Exception):
    """Raised by an application to refuse a transaction in CheckTx, or a query.

    In any other method it is a bug, like any other exception.

    Args:
        code: Error code of the application; not 0.
        log: Text for people.
        codespace: Namespace of the code.
    """

    code: int = 1
    log: str = ""
    codespace: str = ""

    def __str__(self) -> str:
        return f"{self.codespace or 'code'} {self.code}: {self.log}"


@dataclass_transform(eq_default=False)
@dataclass(eq=False)
class ServerError(Exception):
    """Base class of the server's own errors; each subclass is a dataclass with its fields and `text`."""

    text: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        dataclass(eq=False)(cls)

    def __str__(self) -> str:
        return self.text.format(**{f.name: getattr(self, f.name) for f in fields(self)})


class BadAddress(ServerError):
    """The server cannot listen on the address."""

    address: str
    why: str
    text = "{address}: {why}"


class NoHttp2(ServerError):
    """ABCI over gRPC was selected, but the package h2 is not installed."""

    text = "ABCI over gRPC needs the package h2: pip install 'pyibc[node]'"


class BadPeer(ServerError):
    """Base class of a peer's errors: its connection is closed, without other effects."""


class BadLength(BadPeer):
    """The length of a frame is not a varint of 64 bits."""

    text = "the length of a frame is not a varint of 64 bits"


class FrameTooLong(BadPeer):
    """The length of a frame exceeds the limit."""

    length: int
    limit: int
    text = "a frame has {length} bytes; the limit is {limit}"


class BadRequest(BadPeer):
    """The content of a frame is not a protobuf Request."""

    text = "the content of a frame is not a protobuf Request"


class UnknownRequest(BadPeer):
    """The type of a Request is unknown: it is from another version of ABCI, or empty."""

    text = "the type of a request is not one of ABCI 2.0 (CometBFT 0.38)"


class PeerGone(BadPeer):
    """The peer disconnected before its request was started, so it is not executed."""

    method: str
    text = "{method} is dropped because its sender disconnected"


class AnswerHeld(ServerError):
    """Raised by an application that leaves a call without a response, because its chain waits for an upgrade.

    The call is held until the server stops or the peer disconnects; other calls are handled meanwhile. It is
    not a failure: nothing was executed.
    """


class BadAnswer(ServerError):
    """The application's response would make CometBFT panic."""

    why: str
    text = "{why}"


class ApplicationFailed(ServerError):
    """The application raised in a method that must not fail; `__cause__` is the exception."""

    method: str

    def __str__(self) -> str:
        return f"the application failed in {self.method}: {self.__cause__!r}"


class ServerStopped(ServerError):
    """The application failed earlier, or the server is being stopped."""

    text = "the server is stopping"


# -- errors of gRPC peers


class BadHttp2(BadPeer):
    """The peer violates HTTP/2; the rest of its connection cannot be read."""

    why: str
    text = "HTTP/2: {why}"


class BadMessage(BadPeer):
    """The body of a call is not one uncompressed message of the announced length."""

    text = "the body of a call is not one uncompressed gRPC message"


class NotGreeted(BadPeer):
    """A CometBFT that was connected before the application restarted calls a consensus or mempool method."""

    method: str
    text = "{method}: the application has restarted; restart CometBFT too"


# -- escaping of texts: an application's text may repeat arbitrary bytes of a peer


def readable(text: str) -> str:
    """Return the text as valid UTF-8, with lone surrogates escaped."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


# -- the log

log = logging.getLogger("abci_server")

_MAX_KINDS = 256


class RateLimitedLog:
    """Logs the first error of each kind, then at most one per `every_s` seconds, with the number omitted."""

    def __init__(self, every_s: float = 60.0) -> None:
        self._every_s = every_s
        self._lock = Lock()
        self._logged_at: dict[str, float] = {}
        self._omitted: dict[str, int] = {}

    def report(
        self, kind: str, text: str, *, level: int = logging.WARNING, error: BaseException | None = None
    ) -> None:
        """Log `text` (with the error's traceback), or count it as omitted.

        The traceback is escaped and becomes part of the message: a log handler fails on a line whose error
        repeats a peer's bytes that are not UTF-8.
        """
        now = time.monotonic()
        with self._lock:
            if kind not in self._logged_at and len(self._logged_at) >= _MAX_KINDS:
                kind = "others"
            if now - self._logged_at.get(kind, -self._every_s) < self._every_s:
                self._omitted[kind] = self._omitted.get(kind, 0) + 1
                return
            self._logged_at[kind] = now
            more = self._omitted.pop(kind, 0)
        repeated = f" (and {more} more since the last such message)" if more else ""
        trace = "\n" + "".join(format_exception(error)).rstrip() if error else ""
        log.log(level, "%s%s%s", text, repeated, readable(trace))
