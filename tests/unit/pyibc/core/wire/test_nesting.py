"""Readers of strangers' JSON bound how deep messages nest, whatever the stack has left."""

import sys

import pytest

from pyibc.codec.anys import AnyMessage
from pyibc.codec.exact_json import read_exactly, read_messages
from pyibc.codec.gojson import parse
from pyibc.codec.protojson import Unprintable, from_json, read_any, read_message, to_json
from pyibc.core.errors import TxDecode
from pyibc.core.setup_error import InvalidGenesis
from pyibc.proto.google.protobuf import any_pb2
from pyibc.proto.pool import message_class

MODE_INFO = message_class("cosmos.tx.v1beta1.ModeInfo")
DEEPEST = 49
"""ModeInfos in each other: each is two messages, the innermost one more. 99 in all, and in an Any 100."""


def mode_info(levels, first=b""):
    """A ModeInfo in JSON with `levels` others in it, one in the other; `first` is its first member."""
    inner = b'{"single":{"mode":"SIGN_MODE_DIRECT"}}'
    outer = b'{%s"multi":{"bitarray":null,"mode_infos":[' % first
    rest = b'{"multi":{"bitarray":null,"mode_infos":[' * (levels - 1)
    return outer + rest + inner + b"]}}" * levels


def typed(levels):
    return mode_info(levels, b'"@type":"/cosmos.tx.v1beta1.ModeInfo",')


def spaced(raw):
    """Enough blanks for all the values in it: `exact_json` counts them first."""
    return raw + b" " * len(raw)


READERS = {
    "read_message": lambda levels: read_message(MODE_INFO, mode_info(levels)),
    "read_exactly": lambda levels: read_exactly(MODE_INFO, spaced(mode_info(levels))),
    "read_any": lambda levels: read_any(typed(levels)),
    "read_messages": lambda levels: read_messages(
        spaced(b'{"messages":[' + typed(levels) + b"]}"), lambda _url: MODE_INFO
    ),
}


@pytest.mark.parametrize("name", READERS)
def test_h243_messages_nest_a_hundred_deep_and_no_deeper(name):
    read = READERS[name]
    assert read(DEEPEST)
    for levels in (DEEPEST + 1, 1_240, 3_000):
        with pytest.raises(TxDecode, match="stands in more than 100 messages"):
            read(levels)


def test_h243_a_genesis_nests_no_deeper_either():
    assert from_json(MODE_INFO, parse(mode_info(DEEPEST)), "tx")
    with pytest.raises(InvalidGenesis, match="stands in more than 100 messages"):
        from_json(MODE_INFO, parse(mode_info(DEEPEST + 1)), "tx")


def test_h243_what_is_printed_nests_a_hundred_deep_through_anys():
    """Each Any holds what the wire's reader takes; all of them together would be a thousand deep."""
    packed = read_any(typed(DEEPEST - 1))
    message = any_pb2.Any(type_url=packed.type_url, value=packed.value)
    assert to_json(message)["@type"] == packed.type_url
    for _ in range(3):
        message = any_pb2.Any(type_url="/google.protobuf.Any", value=message.SerializeToString())
    with pytest.raises(Unprintable, match="more than 100 messages inside each other"):
        to_json(message)


def below(frames, call):
    """Call with `frames` more on the stack."""
    return call() if not frames else below(frames - 1, call)


@pytest.mark.parametrize("name", READERS)
def test_h243_a_verdict_is_the_same_with_little_of_the_stack_left(name):
    """The deepest message that is taken, and one that is not, on a stack with six hundred frames left."""
    read = READERS[name]
    expected = read(DEEPEST)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(1_000)
    try:
        found = below(250, lambda: read(DEEPEST))
        with pytest.raises(TxDecode, match="stands in more than 100 messages"):
            below(250, lambda: read(2_000))
    finally:
        sys.setrecursionlimit(limit)
    assert found == expected
    assert not isinstance(found, AnyMessage) or found.value
