"""How deep an application may call: a number of its own, the same on every machine.

A stranger's packet may nest as he likes, and an application that follows it recurses. Python's own limit
depends on how deep the host was already, on the version, and on what C functions use of it, so nothing may be
decided by it. Frames are counted instead, from where the application is entered: too many are `TooDeep`,
which fails the transaction.

Two counts: frames of the application and whatever it calls outside of the standard library, at most
`MAX_FRAMES`; and all frames, at most `MAX_ALL_FRAMES`. What the library does inside of one call depends on
its version and on what it has cached; so the first count is what a recursion of the application's own meets,
and the second only stops one inside the library (`copy.deepcopy`). Comprehensions have frames in Python 3.11
only, an import runs once in a process, and when the interpreter calls finalizers and the handlers of signals
is nobody's choice (`ibc_core.host.between`): none of them is counted. Nor is the tree that a store is made
of: how deep it calls depends on what it has in memory, and on whether it is native.

Counting costs some 1 to 2 us a call, so code of this distribution does without (`ibc_core.host.shipped`).
"""

import sys
from collections.abc import Callable
from functools import wraps
from inspect import currentframe
from json.decoder import JSONDecoder  # known by its code, never called
from types import FrameType
from typing import Any, Final

from ibc_core.host.between import is_between, watch_collector
from ibc_core.host.confined import opened
from ibc_core.host.machine import THREAD
from ibc_core.wire.json_depth import is_deeper

MAX_FRAMES = 200
"""Of an application, and of what it calls but the standard library."""
MAX_ALL_FRAMES = 1_000
"""The standard library's among them."""
_PYTHON_LIMIT: Final = 5_000

_INLINED = ("<listcomp>", "<dictcomp>", "<setcomp>")
_IMPORT = "<frozen importlib._bootstrap>"
_NEVER = -1_000_000  # below an import no depth is too much
_READS_JSON = JSONDecoder.raw_decode.__code__

_Depth = tuple[int, int]


class TooDeep(BaseException):
    """An application calls deeper than `MAX_FRAMES`, or reads JSON that nests deeper than `MAX_JSON_DEPTH`.

    No `Exception`, so that an application's `except Exception` does not hold it; one that does hold it fails
    nevertheless.
    """


def raise_python_limit() -> None:
    """Lets Python call deeper than any application may from any host: its limit is to stay out of reach."""
    if sys.getrecursionlimit() < _PYTHON_LIMIT:
        sys.setrecursionlimit(_PYTHON_LIMIT)


def counted(call: Callable[..., Any]) -> Callable[..., Any]:
    """`call` with the depth below it counted; where a caller's is counted already, that goes on.

    Raises:
        TooDeep: it calls too deep; so says the border as well, whoever has caught this.
    """

    @wraps(call)
    def enter(*given: Any, **named: Any) -> Any:
        crossing = THREAD.crossing
        if crossing.counting:
            return call(*given, **named)
        if not crossing.entered:
            crossing.entered = True
            crossing.gas_used = gas_used(given)
        watch_collector()
        before = sys.getprofile()
        crossing.counting = True
        sys.setprofile(_counter(currentframe()))
        try:
            return call(*given, **named)
        finally:
            sys.setprofile(before)
            crossing.counting = False

    return enter


def gas_used(given: tuple[Any, ...]) -> int:
    """What the transaction under way had used when it called with these arguments; 0 outside of one."""
    meter = getattr(opened(given[0]), "gas", None) if given else None
    return 0 if meter is None else meter.used


def _counter(base: FrameType | None) -> Callable[[FrameType, str, Any], None]:
    """A profile function that knows the depth of every frame above `base` by that of its caller."""
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
                depths[base] = (0, 0)  # a contract's border goes on counting (`ibc_module.apps.callbacks`)
                raise too_deep()
        elif event == "return":
            leave(frame, None)

    return count


def too_deep() -> TooDeep:
    """The error, remembered."""
    error = TooDeep()
    if THREAD.crossing.fault is None:
        THREAD.crossing.fault = error
    return error


def _walked(frame: FrameType | None, depths: dict[FrameType | None, _Depth]) -> _Depth:
    """The depth of a frame that was entered unseen, as one that an error is thrown into may be."""
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
    """Whether Python's own JSON reader is called, which recurses in C, with what nests too deep for it."""
    if frame.f_code is not _READS_JSON:
        return False
    given = frame.f_locals
    text, index = given["s"], given["idx"]
    return isinstance(text, str) and type(index) is int and is_deeper(text[index:] if index else text)
