"""What is passed over is what is read: the same end, the same refusals, at the same depth."""

import random
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.fuzz.count import counting
from conformance.fuzz.texts import SHAPES
from pyibc.codec.gojson import MAX_DEPTH, JsonError, Number, Object, decode_base64, parse_first
from pyibc.codec.gojson_members import skip
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.packet.acknowledgement import Acknowledgement
from tests.sampling import rounds, sample

SCALARS = [
    "1",
    "-0",
    "255",
    "256",
    "1e3",
    "0.5",
    "null",
    "true",
    '"AQ=="',
    '"x"',
    '"\\u0041"',
    '"]"',
    '"{,"',
    '""',
]
BROKEN = ["01", '"\\x"', "[1,]", "{,}", '{"a":1,}', "tru", '"a\nb"', "[1 2]", '{"a" 1}', "-", "]", "[}", "{]"]
KEYS = ['"result"', '"error"', '"response"', '"res\\u0075lt"']


def container(inner):
    """Lists and objects of what is given, some of them nested many times."""
    lists = st.lists(inner, max_size=3).map(lambda parts: "[" + ",".join(parts) + "]")
    objects = st.lists(inner, max_size=3).map(
        lambda parts: "{" + ",".join(f'"k{n}":{part}' for n, part in enumerate(parts)) + "}"
    )
    deep = st.tuples(inner, st.integers(1, 4)).map(lambda given: "[" * given[1] + given[0] + "]" * given[1])
    return lists | objects | deep


VALUES = st.recursive(st.sampled_from(SCALARS) | st.sampled_from(BROKEN), container, max_leaves=8)
SOUND = st.recursive(st.sampled_from(SCALARS), container, max_leaves=8)


def spaced(text, seed):
    """Blanks around brackets, commas and colons; those in texts are as good as others."""
    draw = random.Random(seed)
    return "".join(
        draw.choice(["", " ", "\n\t "]) + each + draw.choice(["", "\r "]) if each in "[]{},:" else each
        for each in text
    )


def is_read(raw):
    """Whether the reader takes all of it for one value, the first of two in a list."""
    whole = b"[" + raw + b",7]"
    try:
        value, end = parse_first(whole)
    except JsonError:
        return False
    return end == len(whole) and isinstance(value, list) and len(value) == 2


@given(VALUES | SOUND, st.integers(0, 2**32))
@settings(max_examples=rounds(100, 400), deadline=None)
def test_it_ends_where_the_reader_ends(text, seed):
    raw = spaced(text, seed).encode()
    try:
        found = skip(raw + b",7]", 0, 1)
    except JsonError:
        found = None
    assert (found == len(raw)) is is_read(raw)


BRACKETS = [(b"[", b"]"), (b'{"a":', b"}"), (b"[ ", b"] ")]
CORES = [b"1", b"[]", b"{}", b"[1]", b'{"a":1}', b"[[]]", b'[{"a":1}]', b"1,1", b"[],2"]
DEPTHS = range(MAX_DEPTH - 4, MAX_DEPTH + 1)
NESTED = [
    (brackets, core, depth)
    for brackets, core, depth in product(BRACKETS, CORES, DEPTHS)
    if brackets == BRACKETS[0] or b"," not in core
]


def end_of(read, raw):
    """Where a reader ends, or None if it refuses."""
    try:
        return read(raw)
    except JsonError:
        return None


def test_d20_it_refuses_what_go_finds_too_deep():
    for (opener, closer), core, depth in sample(NESTED, 30, "values at Go's limit of depth"):
        raw = opener * depth + core + closer * depth
        fits = end_of(parse_first, b"[" + raw + b"]") is not None
        found = end_of(lambda raw: skip(raw, 0, 1), raw)
        assert found == (len(raw) if fits else None), (opener, core, depth)


def read_whole(raw):
    """A standard acknowledgement, by the reader that makes an object of everything."""
    try:
        value, _ = parse_first(raw)
    except JsonError:
        return None
    if value is None:
        return Acknowledgement()
    fields = dict(value.members) if isinstance(value, Object) else {"": None}
    if not fields.keys() <= {"result", "error", "response"} or fields.get("response") is not None:
        return None
    result, error = bytes_of(fields.get("result")), fields.get("error")
    if result is None or not isinstance(error, str | None):
        return None
    if "error" in fields:
        return Acknowledgement(None, error or "")
    return (
        Acknowledgement(result, None, fields["result"] is None) if "result" in fields else Acknowledgement()
    )


def bytes_of(value):
    if not isinstance(value, list):
        return decode_base64(value) if isinstance(value, str) else b"" if value is None else None
    texts = ["0" if each is None else getattr(each, "text", "x") for each in value]
    if not all(
        isinstance(each, Number | None) and text.isdigit() for each, text in zip(value, texts, strict=True)
    ):
        return None
    numbers = [int(text) for text in texts]
    return bytes(numbers) if max(numbers, default=0) < 256 else None


MEMBERS = st.lists(st.tuples(st.sampled_from(KEYS), VALUES | SOUND), max_size=4)


@given(MEMBERS, st.integers(0, 2**32), st.sampled_from(["", "x", "}", ","]))
@settings(max_examples=rounds(100, 400), deadline=None)
def test_an_acknowledgement_is_read_as_if_everything_in_it_were(members, seed, rest):
    text = "{" + ",".join(f"{key}:{value}" for key, value in members) + "}" + rest
    raw = spaced(text, seed).encode()
    assert acks.parse.__wrapped__(raw) == read_whole(raw)


WIDE = [
    "many empty lists",
    "many lists of lists",
    "many objects of objects",
    "many deep lists",
    "bytes as numbers",
]


@pytest.mark.parametrize("shape", WIDE)
def test_h61_what_an_acknowledgement_holds_costs_few_lines_a_byte(shape):
    """Anybody with a packet under way may send one, of a megabyte: each cost 0.7 s, a block of them 15 s."""
    raw = b'{"error":' + SHAPES[shape](60_000) + b',"error":"a"}'
    with counting() as counter:
        assert acks.parse.__wrapped__(raw) == Acknowledgement(None, "a")
    assert counter.lines / len(raw) <= 3.5
