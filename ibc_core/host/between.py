"""What the interpreter itself calls in between: the collector's callbacks, finalizers, handlers of signals.

When garbage is collected depends on all that a process has allocated, and when a signal comes on its
operator; so a call of theirs, above whatever frame is under way, may decide nothing: validators would part.
"""

import gc
import signal
from types import CodeType, FrameType
from typing import Any

from ibc_core.host.machine import THREAD


def watch_collector() -> None:
    """Has the collector tell its beginning before, and its end after, all that it calls.

    Others add their callbacks at any time, so call this before each time that it matters; that costs little.
    Another thread may be collecting meanwhile: one of ours is in the list at every moment.
    """
    callbacks = gc.callbacks
    if not callbacks or callbacks[0] is not _begins:
        callbacks.insert(0, _begins)
    if callbacks[-1] is not _ends:
        callbacks.append(_ends)
        if callbacks.count(_ends) > 1:
            callbacks.remove(_ends)


def is_between(frame: FrameType, base: FrameType | None) -> bool:
    """Whether `frame`, which runs above `base`, was called by the interpreter and not by what is below it."""
    # guard: d39-the-collector-counts drop:collecting test_d39_what_the_collector_calls_does_not_count
    # guard: d39-signals-count drop:_handles_signal test_d39_handlers_of_signals_do_not_count
    return THREAD.crossing.collecting or frame.f_code in _WATCHERS or _handles_signal(frame, base)


def _begins(phase: str, _: dict[str, int]) -> None:
    if phase == "start":
        THREAD.crossing.collecting = True


def _ends(phase: str, _: dict[str, int]) -> None:
    if phase == "stop":
        THREAD.crossing.collecting = False


_WATCHERS = (_begins.__code__, _ends.__code__)


def _handles_signal(frame: FrameType | None, base: FrameType | None) -> bool:
    handlers = {_code(signal.getsignal(each)) for each in signal.valid_signals()} - {None}
    while frame is not None and frame is not base:
        if frame.f_code in handlers:
            return True
        frame = frame.f_back
    return False


def _code(handler: Any) -> CodeType | None:
    """The code a handler begins with: of a function, a method, or an object that can be called."""
    for each in (
        handler,
        getattr(handler, "func", None),
        type(handler).__call__ if callable(handler) else None,
    ):
        code = getattr(each, "__code__", None)
        if isinstance(code, CodeType):
            return code
    return None
