"""nst/JSONTestSuite: y_ files are valid, n_ are invalid; i_ and test_transform depend on the parser."""

from functools import partial
from pathlib import Path

from conformance.case import Cases, expect
from conformance.vectors.json_writer import marshal
from pyibc.codec.gojson import JsonError, parse

_KINDS = ("y_", "n_", "i_", "t_")
_STACK = 300
"""Calls on the stack during the second parse: the verdict must not depend on the caller's depth."""


def cases_of(path: Path) -> Cases | None:
    """Return the one case of a file of the suite; None for any other file."""
    kind = "t_" if path.parent.name == "test_transform" else path.name[:2]
    if path.suffix != ".json" or kind not in _KINDS:
        return None
    return iter([("", partial(_check, kind[0], path.read_bytes()))])


def _check(kind: str, raw: bytes) -> None:
    accepted = _is_stable(raw)
    if kind in "yn":
        expect("accepted" if accepted else "refused", "accepted" if kind == "y" else "refused")


def _is_stable(raw: bytes) -> bool:
    """Return whether `raw` is JSON.

    Its verdict must not depend on stack depth, nor change after a round trip.
    """
    first, second = _outcome(raw, 0), _outcome(raw, _STACK)
    expect(second, first)
    if isinstance(first, str):
        return False
    expect(marshal(parse(first)), first)
    return True


def _outcome(raw: bytes, depth: int) -> bytes | str:
    if depth:
        return _outcome(raw, depth - 1)
    try:
        return marshal(parse(raw))
    except JsonError as error:
        return str(error)
