"""Shapes of every field of a message in JSON, the counterpart of `grammar` for protobuf.

The surrounding JSON is in printed form, so that the reader gets as far as the shape allows.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from google.protobuf.message import Message

from conformance.fuzz.grammar import Write
from conformance.fuzz.samples import sample
from pyibc.codec.protojson import Unprintable, to_json
from pyibc.proto.pool import descriptor_of

_HOLE = "\x00"
_MOST_LEVELS = 4


def _list(piece: str) -> Write:
    raw = piece.encode() + b","
    return lambda size: b"[" + raw * max(1, size // len(raw)) + piece.encode() + b"]"


def _text(piece: bytes) -> Write:
    return lambda size: b'"%b"' % (piece * (size // len(piece)))


SHAPES: Mapping[str, Write] = {
    "many nothings": _list("null"),
    "many empty objects": _list("{}"),
    "many empty texts": _list('""'),
    "many numbers": _list("1"),
    "letters": _text(b"a"),
    "digits": _text(b"9"),
    "base64": _text(b"AAAA"),
    "escapes": _text(b"\\n"),
    "fractions of seconds": _text(b".1s"),
    "members": lambda size: b"{" + b'"":0,' * (size // 5) + b'"":0}',
    "lists in lists": lambda size: b"[" * (size // 2) + b"]" * (size // 2),
    "Anys in Anys": lambda size: _nested(b'{"@type":"/google.protobuf.Any","value":', size),
}


def _nested(front: bytes, size: int) -> bytes:
    levels = max(1, size // (len(front) + 1))
    return front * levels + b"{}" + b"}" * levels


def written_json(cls: type[Message], type_url: str) -> Iterator[tuple[str, Write]]:
    """Return every shape in every field of a small message in an Any, by `field.field: shape`."""
    try:
        whole = {"@type": type_url, **to_json(cls.FromString(sample(descriptor_of(cls))))}
    except Unprintable:
        return
    for path, content in _places(whole, (), _MOST_LEVELS):
        around = json.dumps(_with(whole, path)).encode().split(json.dumps(_HOLE).encode())
        name = ".".join(map(str, path))
        for shape, write in SHAPES.items():
            yield f"{name}: {shape}", partial(_around, around, write)
        if isinstance(content, list) and content:
            again = _list(json.dumps(content[0], separators=(",", ":")))
            yield f"{name}: its own value repeated", partial(_around, around, again)


def _around(around: list[bytes], write: Callable[[int], bytes], size: int) -> bytes:
    return write(size).join(around)


# recursion: _MOST_LEVELS levels
def _places(content: Any, path: tuple[Any, ...], levels: int) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Return each place in the JSON by its path; of a list, only the first element."""
    if path:
        yield path, content
    if not levels:
        return
    if isinstance(content, dict):
        for name, each in content.items():
            if name != "@type":
                yield from _places(each, (*path, name), levels - 1)
    elif isinstance(content, list) and content:
        yield from _places(content[0], (*path, 0), levels - 1)


# recursion: _MOST_LEVELS levels
def _with(content: Any, path: tuple[Any, ...]) -> Any:
    """Return a copy with the placeholder at a place."""
    if not path:
        return _HOLE
    first, rest = path[0], path[1:]
    if isinstance(content, list):
        return [_with(content[0], rest), *content[1:]]
    return {**content, first: _with(content[first], rest)}
