"""A rate-limited log, so that bad peers cannot fill the disk."""

import logging
import time
from threading import Lock
from traceback import format_exception

from abci_server.text import readable

log = logging.getLogger("abci_server")

_MAX_KINDS = 256


class Complaints:
    """Logs the first complaint of each kind, then at most one in `every_s` seconds, with their number."""

    def __init__(self, every_s: float = 60.0) -> None:
        self._every_s = every_s
        self._lock = Lock()
        self._told: dict[str, float] = {}
        self._kept_quiet: dict[str, int] = {}

    def say(
        self, kind: str, text: str, *, level: int = logging.WARNING, error: BaseException | None = None
    ) -> None:
        """Logs `text` (with the error's traceback), or counts it.

        The traceback goes into the message, made readable: a log handler could not write a line whose
        error repeats bytes of a peer that are not UTF-8.
        """
        now = time.monotonic()
        with self._lock:
            if kind not in self._told and len(self._told) >= _MAX_KINDS:
                kind = "others"
            if now - self._told.get(kind, -self._every_s) < self._every_s:
                self._kept_quiet[kind] = self._kept_quiet.get(kind, 0) + 1
                return
            self._told[kind] = now
            more = self._kept_quiet.pop(kind, 0)
        repeated = f" (and {more} times since the last such line)" if more else ""
        trace = "\n" + "".join(format_exception(error)).rstrip() if error else ""
        log.log(level, "%s%s%s", text, repeated, readable(trace))
