"""Check of events on encoding: plain events are not decoded again, with the same result."""

import json
from typing import NamedTuple

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyibc.indexer.blocks import lines
from pyibc.indexer.blocks.lines import body_of, read_body
from pyibc.indexer.errors import MalformedLine
from tests.unit.pyibc.indexer.blocks.test_line_types import BLOCK, EVENT, TX

PLAIN = (EVENT, ("x", ()), ("", (("", ""),)), ("ä", (("k", "v"), ("k", "\u0000"))))


class Named(NamedTuple):
    kind: object
    attributes: object


def block(events, block_events=()):
    return BLOCK._replace(txs=(TX._replace(events=events),), block_events=block_events)


@pytest.fixture
def decoded(monkeypatch):
    """Record whether the decoded bodies have events."""
    seen, decode = [], lines._decode
    monkeypatch.setattr(lines, "_decode", lambda body: seen.append(body) or decode(body))
    return seen


def test_texts_are_not_decoded_again_but_all_else_is(decoded):
    body = body_of(block(PLAIN, PLAIN))
    (checked,) = decoded
    document = json.loads(checked)
    assert (document["txs"][0]["events"], document["block_events"]) == ([], [])
    assert document["txs"][0]["tx"]
    assert read_body(body) == block(PLAIN, PLAIN)


SAME = ("x", (("k", "v"),))


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize(
    "events",
    [
        (("x", (("k", 1),)),),
        (("x", ((None, "v"),)),),
        ((1, ()),),
        (("x", (("k",),)),),
        (("x", (("k", "v", True),)),),
        (("x", ("kv",)),),
        (("x", "kv"),),
        (("x", None),),
        (("x",),),
        ("xy",),
        (EVENT, ("x", (("k", b"v"), ("k", 1)))),
        "",
        None,
    ],
)
def test_what_is_no_event_is_refused_wherever_it_stands(events, place):
    with pytest.raises(MalformedLine, match="not a block"):
        body_of(block(*((events, ()) if place == 0 else ((EVENT,), events))))


@pytest.mark.parametrize("place", [0, 1])
def test_half_of_a_character_is_refused(place):
    events = (("x", (("k", "\ud800"),)),)
    with pytest.raises(MalformedLine, match="not Unicode"):
        body_of(block(*((events, ()) if place == 0 else ((), events))))


ODD = st.recursive(
    st.none() | st.integers(-1, 1) | st.text(max_size=2) | st.just(b"b"),
    lambda inside: (
        st.tuples(inside, inside) | st.lists(inside, max_size=3).map(tuple) | st.lists(inside, max_size=2)
    ),
    max_leaves=12,
)
TEXT = st.text(max_size=3)
SOME = st.lists(st.tuples(TEXT, st.lists(st.tuples(TEXT, TEXT), max_size=3).map(tuple)), max_size=3).map(
    tuple
)


@given(events=SOME | ODD)
def test_the_quick_look_takes_nothing_that_the_decoder_refuses(events):
    try:
        whole = msgspec.json.encode(lines.document_of(block(events)))
        lines._decode(whole)
    except (msgspec.MsgspecError, TypeError, UnicodeEncodeError):
        with pytest.raises(MalformedLine):
            body_of(block(events))
    else:
        assert body_of(block(events)) == whole
