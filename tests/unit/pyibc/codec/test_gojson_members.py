"""Members that are looked for: `gojson.parse`, which reads everything, is the judge."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyibc.codec.gojson import MAX_DEPTH, JsonError, Object, parse
from pyibc.codec.gojson_members import Wanted, members, spans

NAMES = ("key", "other")


def by_parse(data):
    """What the slow reader says: the last value of each name, None for no object, or that it is no JSON."""
    read = parse(data)
    if not isinstance(read, Object):
        return None
    return {name: value for name, value in read.members if name in NAMES}


def by_spans(data):
    found = spans(data, NAMES)
    return None if found is None else {name: parse(data[start:end]) for name, (start, end) in found.items()}


def an_object(members):
    return "{" + ",".join(f"{key} :{value}" for key, value in members) + "}"


keys = st.sampled_from(
    ['"key"', '"k\\u0065y"', '"\\u006B\\u0065\\u0079"', '"keys"', '"ke"', '""', '"other"', '"\\n"']
)
values = st.recursive(
    st.sampled_from(
        ["1", "-2.5e3", '"x"', '"\\u006b"', "true", "null", '""', '"\\""', "[]", "{}", "[1,[2]]"]
    ),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda each: f"[{','.join(each)}]")
        | st.lists(st.tuples(keys, inner), max_size=4).map(an_object)
    ),
    max_leaves=10,
)


@given(st.lists(st.tuples(keys, values), max_size=6), st.sampled_from(["", " ", "\n\t"]))
def test_what_is_json_has_the_same_members(members, blank):
    data = (blank + an_object(members).replace(",", f"{blank},{blank}") + blank).encode()
    assert by_spans(data) == by_parse(data)


@given(st.lists(st.tuples(keys, values), min_size=1, max_size=4), st.data())
def test_what_is_spoilt_is_json_for_both_or_for_none(members, data):
    text = an_object(members)
    at = data.draw(st.integers(0, len(text)))
    more = data.draw(
        st.sampled_from(["", "{", "}", "[", "]", ",", ":", '"', "\\", "0", "x", " ", "\x00", "é"])
    )
    text = text[:at] + more + text[at + data.draw(st.integers(0, 2)) :]
    raw = text.encode()
    try:
        expected = by_parse(raw)
    except JsonError:
        expected = JsonError
    try:
        found = by_spans(raw)
    except JsonError:
        found = JsonError
    if found is None:  # it begins as no object: nobody asks whether it is JSON
        assert expected in (None, JsonError)
    else:
        assert found == expected


def test_a_name_of_other_characters_is_found_as_well():
    data = json.dumps({"a b": 1, "é/": [2], "key": 3}).encode()
    found = spans(data, ("é/", "a b"))
    assert {name: data[start:end] for name, (start, end) in found.items()} == {"a b": b"1", "é/": b"[2]"}


@pytest.mark.parametrize(("levels", "fits"), [(MAX_DEPTH - 1, True), (MAX_DEPTH, False)])
def test_the_limit_of_depth_is_go_s(levels, fits):
    data = b'{"x":1,"key":' + b"[" * levels + b"]" * levels + b"}"
    if fits:
        assert by_spans(data).keys() == by_parse(data).keys() == {"key"}
        return
    for read in (by_spans, by_parse):
        with pytest.raises(JsonError):
            read(data)


IN_ITSELF = {}
IN_ITSELF["key"] = Wanted(NAMES, IN_ITSELF)


def looked_into(content):
    """What `members` finds in JSON that was read: objects at `key` as dictionaries, else what is there."""
    if not isinstance(content, Object):
        return content
    found = {name: value for name, value in content.members if name in NAMES}
    return {name: looked_into(value) if name == "key" else value for name, value in found.items()}


def shown(data, found):
    return {
        name: shown(data, value) if isinstance(value, dict) else parse(data[slice(*value)])
        for name, value in found.items()
    }


@given(st.lists(st.tuples(keys, values), max_size=6))
def test_objects_that_are_looked_into_have_the_same_members(given_members):
    data = an_object(given_members).encode()
    assert shown(data, members(data, Wanted(NAMES, IN_ITSELF))) == looked_into(parse(data))


@pytest.mark.parametrize(
    "inner", ["{}", '{"x":1}', '{"key":"x"}', '{"x":[]}', '{"key":{}}', '{"x":{"y":[]}}']
)
def test_d20_objects_that_are_looked_into_are_as_deep_as_go_reads_them(inner):
    for levels in (MAX_DEPTH - 2, MAX_DEPTH - 1, MAX_DEPTH):
        data = (b'{"key":' * levels) + inner.encode() + b"}" * levels
        verdicts = []
        for read in (parse, lambda raw: members(raw, Wanted(NAMES, IN_ITSELF))):
            try:
                read(data)
            except JsonError:
                verdicts.append(False)
            else:
                verdicts.append(True)
        assert verdicts[0] == verdicts[1]
