"""Bounded end of a daemon: service managers kill programs that take long, and then say nothing."""

import logging
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

log = logging.getLogger("pyibc.relayer")

END_S = 19.0
"""Maximum seconds from the signal to the end of the process, whatever hangs."""


@contextmanager
def ended_in_time(
    stop: threading.Event, code: int, limit_s: float = END_S, leave: Callable[[int], object] = os._exit
) -> Iterator[None]:
    """End the process with exit code `code` if the block has not ended `limit_s` seconds after `stop` is set.

    This loses nothing, like a kill. If the block leaves threads that the interpreter would wait for, it still
    holds after the block.
    """
    before, done = set(threading.enumerate()), threading.Event()

    def watch() -> None:
        stop.wait()
        # guard: the-end-waits-for-whatever-hangs always test_what_hangs_is_left_behind_at_the_end
        if done.wait(limit_s):
            return
        hanging = [each.name for each in set(threading.enumerate()) - before if each is not watcher]
        log.warning("ended without waiting", extra={"threads": sorted(hanging)[:20]})
        leave(code)

    watcher = threading.Thread(target=watch, name="relayer shutdown", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        left = [each for each in set(threading.enumerate()) - before if not each.daemon and each.is_alive()]
        if not left:
            done.set()
            stop.set()  # ends the watcher
