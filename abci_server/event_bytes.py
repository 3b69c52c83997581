"""Events in protobuf, joined from bytes: most of what a block's results are.

A received packet has fourteen events with sixty attributes, and all but some twenty of these are the same
with the next packet: ports, connections, modules. What was encoded of them is remembered.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from abci_server.values import AnyAttribute, AnyEvent
from ibc_proto.tendermint.abci import types_pb2 as pb
from ibc_proto.varint import encode_varint

OF_BLOCK = b"\x0a"
"""The tag of `events` in ResponseFinalizeBlock."""
OF_TX = b"\x3a"
"""The same in ExecTxResult and in ResponseCheckTx."""

_TYPE = b"\x0a"
_ATTRIBUTE = b"\x12"  # the tag in Event
_INDEXED = b"\x12%c\x0a%c%b\x12%c%b\x18\x01"  # an attribute whose lengths take a byte each
_SHORT = 121  # bytes of key and value, up to which they do
REMEMBERED = 4096
"""Attributes remembered, at most; together they take some 2 MB."""


class _Known(dict[Any, bytes]):
    """An attribute -> its field of Event. One that is missing is encoded."""

    def __missing__(self, attribute: AnyAttribute) -> bytes:
        if len(attribute) == 2:
            key, value = attribute
            indexed = True
        else:
            key, value, indexed = attribute
        if not (type(key) is type(value) is str and key and value and indexed is True):
            return _field(pb.EventAttribute(key=key, value=value, index=indexed).SerializeToString())
        name, text = key.encode(), value.encode()
        if len(name) + len(text) > _SHORT:
            return _field(b"\x0a%b%b\x12%b%b\x18\x01" % (_size(name), name, _size(text), text))
        made = _INDEXED % (len(name) + len(text) + 6, len(name), name, len(text), text)
        if len(self) >= REMEMBERED:
            self.clear()
        self[attribute] = made
        return made


def _size(raw: bytes) -> bytes:
    return encode_varint(len(raw))


def _field(attribute: bytes) -> bytes:
    return _ATTRIBUTE + _size(attribute) + attribute


known = _Known()
"""For all threads: whoever encodes an attribute comes to the same bytes."""


def encode(events: Sequence[AnyEvent], tag: bytes) -> bytes:
    """The field `events`, whose tag is given: byte for byte what protobuf makes of them.

    Raises:
        TypeError, ValueError: an event is malformed, or a text cannot be UTF-8.
    """
    field = known.__getitem__
    parts: list[bytes] = []
    for kind, attributes in events:
        body = _type(kind) + b"".join(map(field, attributes))
        parts += tag, encode_varint(len(body)), body
    return b"".join(parts)


@lru_cache(256)
def _type(kind: str) -> bytes:
    name = kind.encode()
    return _TYPE + _size(name) + name if name else b""
