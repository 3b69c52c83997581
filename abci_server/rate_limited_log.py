"""Rate-limited logging, so that faulty peers cannot fill the disk."""

import logging
import time
from threading import Lock
from traceback import format_exception

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
