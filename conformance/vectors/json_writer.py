"""Writer for the results of the JSON reader, to check that nothing is lost."""

from pyibc.codec.gojson import Json, Number, Object, marshal_string


def marshal(value: Json) -> bytes:
    """Return `value` as json.Marshal writes it without spaces, members in the given order, numbers unchanged.

    Nesting is bounded by `parse`; like it, this function does not recurse.
    """
    out: list[bytes] = []
    todo: list[Json | bytes] = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, bytes):
            out.append(item)
        elif isinstance(item, Object):
            todo += _spread([part for member in item.members for part in _member(*member)], b"{", b"}")
        elif isinstance(item, list):
            todo += _spread([part for element in item for part in (b",", element)], b"[", b"]")
        else:
            out.append(_scalar(item))
    return b"".join(out)


def _member(name: str, value: Json) -> "tuple[bytes, bytes, Json]":
    return b",", marshal_string(name) + b":", value


def _spread(parts: "list[Json | bytes]", opening: bytes, closing: bytes) -> "list[Json | bytes]":
    """Return the parts of a container in the order of a stack; the first comma is left out."""
    return [closing, *reversed(parts[1:]), opening]


def _scalar(value: bool | str | Number | None) -> bytes:
    if isinstance(value, str):
        return marshal_string(value)
    if isinstance(value, Number):
        return value.text.encode("ascii")
    return b"null" if value is None else b"true" if value else b"false"
