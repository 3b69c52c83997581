"""Corruption of RPC responses in transit: truncated, garbled, duplicated, mistyped or exchanged."""

import json
from collections.abc import Callable
from http.client import BadStatusLine
from random import Random
from typing import Any

from pyibc.relayer.rpc.http_pool import HttpAnswer

Json = dict[str, Any]
Said = Json | list[Json]
"""The response to one call, or the responses of a batch."""
WRONG: tuple[Any, ...] = (True, 1.5, 10**30, float("inf"), float("nan"), "\ud800", [None], {"a": [1]})
"""Values of a wrong type for a field."""
LIES: tuple[Any, ...] = (None, "", [], {}, 0, -1, "-1", str(2**63 - 1), "a text")
"""Wrong values that Go accepts for a field: an empty one reads as zero."""
DEEPER = 0.8
"""Probability of changing a nested value instead of the value itself."""
ONE_OF_THEM = 0.7
TOTALS = ("0", "-1", "1000000000", 10**30, float("inf"), "many", None)
ERRORS: tuple[Any, ...] = (
    {"code": -32603, "message": "Internal error", "data": "could not find results for height #7"},
    {"code": -32603, "message": "Internal error", "data": "height 9 is not available, lowest height is 8"},
    {"code": -32603, "message": "Internal error", "data": "failed to load state at height 3"},
    {"code": -32603, "message": "Internal error", "data": "\x1b[2J\ud800"},
    {"code": -32601, "message": "Method not found"},
    {"code": -32700},
    "an error of no form",
)
PAGES = (
    (502, b"<html>Bad Gateway</html>"),
    (503, b""),
    (429, b'{"message": "slow down"}'),
    (413, b"<html>Request Entity Too Large</html>"),
    (404, b"not found"),
    (200, b"<html>Welcome</html>"),
    (200, b""),
    (200, b"{}"),
    (500, b'{"a":' * 2_000),
)


REPEATED, OF_ANOTHER_HEIGHT, UNTRUE = "repeated", "of another height", "untrue"


class Damage:
    """Corruption of one call, or of its response."""

    def __init__(self, kind: str, choice: Random) -> None:
        self._kind = kind
        self._choice = choice

    @property
    def is_repeated(self) -> bool:
        """True if the response is sent again in place of the next one."""
        return self._kind == REPEATED

    def asked(self, asked: Json) -> Json:
        """Return the call as the node receives it."""
        height = int(asked["params"].get("height") or 0)
        if self._kind != OF_ANOTHER_HEIGHT or not height:
            return asked
        other = max(1, height + self._choice.choice([-1, 1]))
        return {**asked, "params": {**asked["params"], "height": str(other)}}

    def answer(self, said: Said) -> HttpAnswer:
        """Return the response as the client receives it; raises OSError, HTTPException."""
        change = _CHANGES.get(self._kind)
        return HttpAnswer(200, raw(said)) if change is None else change(said, self._choice)


def raw(said: Said) -> bytes:
    """Return the bytes of a response."""
    return json.dumps(said).encode()


def _broken_off(_: Said, choice: Random) -> HttpAnswer:
    raise choice.choice([ConnectionError("cut off"), TimeoutError("late"), BadStatusLine("\x16")])


def _cut(said: Said, choice: Random) -> HttpAnswer:
    whole = raw(said)
    return HttpAnswer(200, whole[: choice.randrange(len(whole))])


def _garbled(said: Said, choice: Random) -> HttpAnswer:
    """Insert bytes that are invalid in JSON: other changes would produce a well-formed false response."""
    whole = bytearray(raw(said))
    whole[choice.randrange(len(whole))] = choice.choice(b"\x00\xff\x1b")
    return HttpAnswer(200, bytes(whole))


def _doubled(said: Said, _: Random) -> HttpAnswer:
    return HttpAnswer(200, raw(said) * 2)


def _page(_: Said, choice: Random) -> HttpAnswer:
    return HttpAnswer(*choice.choice(PAGES))


def _error(said: Said, choice: Random) -> HttpAnswer:
    """Replace one response of a batch, or all of them, by an error, as for a batch over the node's limit."""
    told: Json = {"id": None if isinstance(said, list) else said["id"], "error": choice.choice(ERRORS)}
    if isinstance(said, list) and choice.random() < ONE_OF_THEM:
        place = choice.randrange(len(said))
        return HttpAnswer(200, raw([*said[:place], {**told, "id": said[place]["id"]}, *said[place + 1 :]]))
    return HttpAnswer(choice.choice([200, 500]), raw(told))


def _mistyped(said: Said, choice: Random) -> HttpAnswer:
    """Replace one value, at any depth, by one of another type."""
    changed, part, key = _place(said, choice)
    part[key] = choice.choice([each for each in WRONG if type(each) is not type(part[key])])
    return HttpAnswer(200, raw(changed))


def _untrue(said: Said, choice: Random) -> HttpAnswer:
    """Replace one value by another one that may be valid."""
    changed, part, key = _place(said, choice)
    part[key] = choice.choice(LIES)
    return HttpAnswer(200, raw(changed))


def _place(said: Said, choice: Random) -> tuple[Said, Any, Any]:
    """Return a copy of a response, with a nested container of it and one of its keys."""
    changed = json.loads(raw(said))
    part, key = changed, choice.choice(_keys(changed))
    while (inner := part[key]) and isinstance(inner, dict | list) and choice.random() < DEEPER:
        part, key = inner, choice.choice(_keys(inner))
    return changed, part, key


def _keys(part: Any) -> Any:
    return sorted(part) if isinstance(part, dict) else range(len(part))


def _totals(said: Said, choice: Random) -> HttpAnswer:
    """Change the total of a paginated list."""
    if isinstance(said, list):
        return HttpAnswer(200, raw([_counted(each, choice) for each in said]))
    return HttpAnswer(200, raw(_counted(said, choice)))


def _counted(said: Json, choice: Random) -> Json:
    result = {**said.get("result", {})}
    result.update({name: choice.choice(TOTALS) for name in ("total", "total_count") if name in result})
    return {**said, "result": result}


_CHANGES: dict[str, Callable[[Said, Random], HttpAnswer]] = {
    "broken off": _broken_off,
    "cut": _cut,
    "garbled": _garbled,
    "doubled": _doubled,
    "a page": _page,
    "an error": _error,
    "of another type": _mistyped,
    "totals": _totals,
    UNTRUE: _untrue,
}
KINDS = (*_CHANGES, REPEATED, OF_ANOTHER_HEIGHT)
_OFTEN = ("of another type", REPEATED, REPEATED, OF_ANOTHER_HEIGHT, OF_ANOTHER_HEIGHT)

NONE = Damage("", Random(0))  # noqa: S311 - it makes no choice
"""No corruption."""


def drawn(choice: Random, *, lies: bool) -> Damage:
    """Return a corruption of any kind; with `lies` also kinds that cannot be detected."""
    return Damage(choice.choice([each for each in (*KINDS, *_OFTEN) if lies or each != UNTRUE]), choice)
