"""Writes what the JSON reader read, to see that nothing was lost."""

from ibc_core.wire.gojson import Json, Number, Object, marshal_string


def marshal(value: Json) -> bytes:
    """`value` as json.Marshal writes it without spaces, members in the order given, numbers as they are.

    Nesting is bounded by what `parse` reads; like it, this does not recurse.
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
    """The parts of a container in the order a stack gives them back; the first comma is left out."""
    return [closing, *reversed(parts[1:]), opening]


def _scalar(value: bool | str | Number | None) -> bytes:
    if isinstance(value, str):
        return marshal_string(value)
    if isinstance(value, Number):
        return value.text.encode("ascii")
    return b"null" if value is None else b"true" if value else b"false"
