"""Limit of an application's call depth, the same on every machine.

A packet may be nested deeply, and an application that follows its structure recurses. Python's own recursion
limit depends on how deep the host's calls are already, on the version, and on C functions, so it must not
decide anything. Instead, frames are counted from the call of the application: too many raise `TooDeep`, which
fails the transaction.

There are two limits: `MAX_FRAMES` for frames of the application and of what it calls outside of the standard
library, and `MAX_ALL_FRAMES` for all frames. What the library does inside of one call depends on its version
and its caches. So the first limit is the one that an application's own recursion reaches; the second only
stops a recursion inside the library, as of `copy.deepcopy`. Not counted are comprehensions, which have frames
in Python 3.11 only; imports, which run once per process; finalizers and signal handlers, which the
interpreter calls at any time; and the IAVL tree, whose depth depends on what it has in memory and on whether
it is native.

Counting costs some 1 to 2 us per call, so builtin code is exempt (`pyibc.isolation.isolate`).
"""

import gc
import signal
import sys
from collections.abc import Callable
from functools import wraps
from inspect import currentframe
from json.decoder import JSONDecoder  # recognized by its code object, never called
from types import CodeType, FrameType
from typing import Any, Final, TypeVar, cast

from pyibc.codec.gojson_members import is_deeper
from pyibc.isolation.call_state import THREAD
from pyibc.isolation.scoped_context import opened

# -- calls made by the interpreter itself: garbage collector callbacks, finalizers, signal handlers
#
# When garbage is collected depends on all allocations of a process, and when a signal arrives on its
# operator. So the frames of these calls must not count towards a limit, or validators would differ.


def watch_collector() -> None:
    """Register callbacks that mark the beginning and the end of garbage collection.

    Other code may register callbacks at any time, so this is called before each limited call; that is cheap.
    Another thread may be collecting meanwhile, so at least one of ours is always registered.
    """
    callbacks = gc.callbacks
    if not callbacks or callbacks[0] is not _begins:
        callbacks.insert(0, _begins)
    if callbacks[-1] is not _ends:
        callbacks.append(_ends)
        if callbacks.count(_ends) > 1:
            callbacks.remove(_ends)


def is_between(frame: FrameType, base: FrameType | None) -> bool:
    """Return whether `frame`, which runs above `base`, was called by the interpreter itself."""
    # guard: d39-the-collector-counts drop:collecting test_d39_what_the_collector_calls_does_not_count
    # guard: d39-signals-count drop:_handles_signal test_d39_handlers_of_signals_do_not_count
    return THREAD.call.collecting or frame.f_code in _WATCHERS or _handles_signal(frame, base)


def _begins(phase: str, _: dict[str, int]) -> None:
    if phase == "start":
        _set_collecting(True)


def _ends(phase: str, _: dict[str, int]) -> None:
    if phase == "stop":
        _set_collecting(False)


def _set_collecting(on: bool) -> None:
    # The first access in a thread makes its state, which may start a collection before the state is there.
    state = getattr(THREAD, "call", None)
    if state is not None:
        state.collecting = on


_WATCHERS = (_begins.__code__, _ends.__code__, _set_collecting.__code__)


def _handles_signal(frame: FrameType | None, base: FrameType | None) -> bool:
    handlers = {_code(signal.getsignal(each)) for each in signal.valid_signals()} - {None}
    while frame is not None and frame is not base:
        if frame.f_code in handlers:
            return True
        frame = frame.f_back
    return False


def _code(handler: Any) -> CodeType | None:
    """Return the code of a handler that is a function, a method or a callable object; else None."""
    for each in (
        handler,
        getattr(handler, "func", None),
        type(handler).__call__ if callable(handler) else None,
    ):
        code = getattr(each, "__code__", None)
        if isinstance(code, CodeType):
            return code
    return None


# -- counting of frames

MAX_FRAMES = 200
"""Maximum number of frames of an application and what it calls, without the standard library."""
MAX_ALL_FRAMES = 1_000
"""Maximum number of frames, with those of the standard library."""
_PYTHON_LIMIT: Final = 5_000

_INLINED = ("<listcomp>", "<dictcomp>", "<setcomp>")
_IMPORT = "<frozen importlib._bootstrap>"
_NEVER = -1_000_000  # no limit below an import
_READS_JSON = JSONDecoder.raw_decode.__code__

_Depth = tuple[int, int]
_T = TypeVar("_T")


class TooDeep(BaseException):
    """Raised if an application exceeds `MAX_FRAMES`, or reads JSON nested deeper than `MAX_JSON_DEPTH`.

    It is no `Exception`, so that an application's `except Exception` does not catch it. If it is caught
    nevertheless, the transaction fails all the same.
    """


def raise_python_limit() -> None:
    """Raise Python's recursion limit beyond what `MAX_ALL_FRAMES` and the host's own frames can reach."""
    if sys.getrecursionlimit() < _PYTHON_LIMIT:
        sys.setrecursionlimit(_PYTHON_LIMIT)


def counted(call: Callable[..., Any]) -> Callable[..., Any]:
    """Return `call` with the depth below it limited; inside of another such call, its count goes on.

    Raises:
        TooDeep: by the call. The boundary raises it again if it was caught.
    """

    @wraps(call)
    def enter(*given: Any, **named: Any) -> Any:
        state = THREAD.call
        if state.counting:
            return call(*given, **named)
        if not state.entered:
            state.entered = True
            state.gas_used = gas_used(given)
        watch_collector()
        before = sys.getprofile()
        state.counting = True
        sys.setprofile(_counter(currentframe()))
        try:
            return call(*given, **named)
        finally:
            sys.setprofile(before)
            state.counting = False

    return enter


def depth_limited(inner: _T) -> _T:
    """Return an object whose methods are those of `inner`, with the depth below them limited."""
    return cast("_T", _DepthLimited(inner))


class _DepthLimited:
    def __init__(self, inner: object) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        return counted(found) if callable(found) and not isinstance(found, type) else found


def gas_used(given: tuple[Any, ...]) -> int:
    """Return the gas used by the current transaction when the call began; 0 outside of a transaction."""
    meter = getattr(opened(given[0]), "gas", None) if given else None
    return 0 if meter is None else meter.used


def _counter(base: FrameType | None) -> Callable[[FrameType, str, Any], None]:
    """Return a profile function that derives the depth of each frame above `base` from that of its caller."""
    depths: dict[FrameType | None, _Depth] = {base: (0, 0)}
    known = depths.get
    leave = depths.pop

    def count(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            above = known(frame.f_back) or _walked(frame.f_back, depths)
            depth = depths[frame] = _below(above, frame)
            # guard: d39-depth-is-python-s {depth[0] > MAX_FRAMES or depth[1] > MAX_ALL_FRAMES or
            #   _reads_deep_json(frame) => _reads_deep_json(frame)} test_d39_the_limit_is_exact_and_remembered
            # guard: d39-json-recurses drop:_reads_deep_json
            #   test_d39_python_s_json_reader_is_stopped_before_it_recurses
            if depth[0] > MAX_FRAMES or depth[1] > MAX_ALL_FRAMES or _reads_deep_json(frame):
                if is_between(frame, base):
                    depths[frame] = (_NEVER, _NEVER)
                    return
                depths.clear()
                # guard: h175-the-count-goes-on-from-the-host drop
                #   test_h175_the_caller_s_depth_is_counted_on_after_that
                depths[base] = (0, 0)  # a contract's boundary goes on counting (`pyibc.apps.callbacks`)
                raise too_deep()
        elif event == "return":
            leave(frame, None)

    return count


def too_deep() -> TooDeep:
    """Return the error, remembered for the boundary."""
    error = TooDeep()
    if THREAD.call.fault is None:
        THREAD.call.fault = error
    return error


def _walked(frame: FrameType | None, depths: dict[FrameType | None, _Depth]) -> _Depth:
    """Return the depth of a frame whose call was not seen, as of a generator that an error is thrown into."""
    path: list[FrameType] = []
    while frame is not None and frame not in depths:
        path.append(frame)
        frame = frame.f_back
    depth = depths.get(frame, (0, 0))
    for each in reversed(path):
        depth = _below(depth, each)
    return depth


_is_library: dict[str, bool] = {}  # by file
_uncounted = {_IMPORT}
_TREE = "iavl"


def _below(above: _Depth, frame: FrameType) -> _Depth:
    code = frame.f_code
    if code.co_name in _INLINED:
        return above
    own, total = above
    file = code.co_filename
    library = _is_library.get(file)
    if library is None:
        library = _of_library(frame)
        if file[:1] != "<" or file == _IMPORT:  # `<string>` is anybody's
            _is_library[file] = library
            if _package(frame) == _TREE:
                _uncounted.add(file)
    if file in _uncounted:
        return _NEVER, _NEVER
    return (own, total + 1) if library else (own + 1, total + 1)


def _of_library(frame: FrameType) -> bool:
    return _package(frame) in sys.stdlib_module_names


def _package(frame: FrameType) -> str:
    name = frame.f_globals.get("__name__")
    return name.partition(".")[0] if isinstance(name, str) else ""


def _reads_deep_json(frame: FrameType) -> bool:
    """Return whether the frame is Python's JSON reader, which recurses in C, with too deeply nested input."""
    if frame.f_code is not _READS_JSON:
        return False
    given = frame.f_locals
    text, index = given["s"], given["idx"]
    return isinstance(text, str) and type(index) is int and is_deeper(text[index:] if index else text)
