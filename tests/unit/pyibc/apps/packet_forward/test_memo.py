"""Memos of packet forwarding, read and written as ibc-go v11.2's middleware does.

The rows are what `types.GetPacketMetadataFromPacketdata` and `ToMemo` answered there.
"""

import json
import sys

import pytest

from conformance.fuzz.count import counting
from pyibc.apps.packet_forward.packet_data import Hop, read_hops, write_memo
from pyibc.core.errors import ForwardKeyNotFound, InvalidForwardHop, InvalidForwardMetadata

TEN_MINUTES = 600 * 10**9


def memo(more="", receiver='"r"', port='"transfer"', channel='"channel-1"'):
    return f'{{"forward":{{"receiver":{receiver},"port":{port},"channel":{channel}{more}}}}}'


def as_text(following):
    return f',"next":{json.dumps(following)}'


def hop(timeout_ns=0, retries=None, receiver="r"):
    return Hop(receiver, "transfer", "channel-1", timeout_ns, retries)


@pytest.mark.parametrize(
    "text",
    [
        "", "x", "null", "[]", '"forward"', "{}", '{"Forward":{}}', '{"forward":null}', '{"forward":"x"}',
        '{"forward":[]}', '{"forward":{}', f"{memo()}x", '{"forward":{},"forward":7}', memo(',"z":1e999'),
        f'{{"wasm":[-1e309],{memo()[1:]}',
    ],
)  # fmt: skip
def test_what_asks_for_no_forwarding(text):
    assert read_hops(text) is None


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ("", hop()),
        (',"timeout":300000000000', hop(300 * 10**9)),
        (',"timeout":1e11', hop(10**11)),
        (',"timeout":1.9', hop(1)),
        (',"timeout":-7', hop(-7)),
        (',"timeout":0', hop()),
        (',"timeout":9223372036854775807', hop(-(2**63))),  # as a double it is 2^63, which overflows on amd64
        (',"timeout":1e300', hop(-(2**63))),
        (',"timeout":"1h30m"', hop(5400 * 10**9)),
        (',"timeout":"-5s"', hop(-5 * 10**9)),
        (',"timeout":"0"', hop()),
        (',"retries":0', hop(retries=0)),
        (',"retries":1.9', hop(retries=1)),
        (',"retries":0.5', hop(retries=0)),
        (',"retries":-0.0', hop(retries=0)),
        (',"retries":255', hop(retries=255)),
        (',"retries":254.99999999999999999', hop(retries=255)),
        (',"retries":1e-400', hop(retries=0)),
        (',"Retries":null,"x":[{}]', hop()),
        (',"retries":7,"retries":2', hop(retries=2)),
        (',"receiver":"s"', hop(receiver="s")),
        (',"receiver":"\\ud800"', hop(receiver="\ufffd")),
    ],
)
def test_one_hop(more, found):
    assert read_hops(memo(more)) == (found,)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('{"forward":{}}', ForwardKeyNotFound),
        (memo(receiver="7"), ForwardKeyNotFound),
        (memo(port="null"), ForwardKeyNotFound),
        (memo(channel="[]"), ForwardKeyNotFound),
        (memo(',"receiver":null'), ForwardKeyNotFound),
        (memo(',"timeout":null'), InvalidForwardMetadata),
        (memo(',"timeout":true'), InvalidForwardMetadata),
        (memo(',"timeout":"10"'), InvalidForwardMetadata),
        (memo(',"timeout":"abc"'), InvalidForwardMetadata),
        (memo(',"timeout":""'), InvalidForwardMetadata),
        (memo(',"retries":null'), InvalidForwardMetadata),
        (memo(',"retries":"1"'), InvalidForwardMetadata),
        (memo(',"retries":256'), InvalidForwardMetadata),
        (memo(',"retries":255.5'), InvalidForwardMetadata),
        (memo(',"retries":-1'), InvalidForwardMetadata),
        (memo(',"retries":-0.5'), InvalidForwardMetadata),
        (memo(',"next":null'), InvalidForwardMetadata),
        (memo(',"next":7'), InvalidForwardMetadata),
        (memo(',"next":""'), InvalidForwardMetadata),
        (memo(',"next":"x"'), InvalidForwardMetadata),
        (memo(',"next":"null"'), InvalidForwardMetadata),
        (memo(',"next":{}'), InvalidForwardMetadata),
        (memo(',"next":{"forward":null}'), InvalidForwardMetadata),
        (memo(',"next":{"forward":{"receiver":"r"}}'), ForwardKeyNotFound),
        (memo(as_text(memo(',"z":1e999'))), InvalidForwardMetadata),
    ],
)
def test_what_cannot_be_read(text, error):
    with pytest.raises(error):
        read_hops(text)


def test_next_is_an_object_or_its_json():
    last = memo(',"retries":3', receiver='"last"')
    found = (hop(), hop(retries=3, receiver="last"))
    assert read_hops(memo(f',"next":{last}')) == found
    assert read_hops(memo(as_text(last))) == found
    assert read_hops(memo(as_text(memo(as_text(last))))) == (hop(), *found)


@pytest.mark.parametrize(
    ("hops", "text"),
    [
        ((hop(),), '{"forward":{"channel":"channel-1","port":"transfer","receiver":"r"}}'),
        (
            (hop(TEN_MINUTES, 0),),
            '{"forward":{"channel":"channel-1","port":"transfer","receiver":"r","retries":0,"timeout":600000000000}}',
        ),
        ((hop(-7),), '{"forward":{"channel":"channel-1","port":"transfer","receiver":"r"}}'),
        (
            (hop(1), hop(retries=2), Hop('<&>\u2028"', "p", "c")),
            (
                '{"forward":{"channel":"channel-1","next":{"forward":{"channel":"channel-1","next":'
                '{"forward":{"channel":"c","port":"p","receiver":"\\u003c\\u0026\\u003e\\u2028\\""}},'
                '"port":"transfer","receiver":"r","retries":2}},"port":"transfer","receiver":"r","timeout":1}}'
            ),
        ),
    ],
)
def test_as_json_marshal_writes_it(hops, text):
    assert write_memo(hops) == text


@pytest.mark.parametrize(
    "bad",
    [
        Hop("", "transfer", "channel-1"),
        Hop("r", "", "channel-1"),
        Hop("r", "t(", "channel-1"),
        Hop("r", "transfer", "c"),
        Hop("r", "transfer", "channel/1"),
    ],
)
def test_names_that_cannot_be(bad):
    with pytest.raises(InvalidForwardHop):
        bad.validate()


def test_a_blank_receiver_is_one():
    Hop(" ", "transfer", "channel-1").validate()


def test_h172_hops_are_read_without_recursion():
    hops = (hop(7, 1),) * 4_000
    text = write_memo(hops)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(150)
    try:
        assert read_hops(text) == hops
        assert write_memo(hops) == text
    finally:
        sys.setrecursionlimit(limit)


def test_h172_deeper_than_go_reads_is_no_memo():
    assert len(read_hops(write_memo((hop(),) * 5_000))) == 5_000  # two objects a hop, 10,000 in all
    assert read_hops(write_memo((hop(),) * 5_001)) is None


def escaped(text):
    """`text` as a JSON text that grows by a few bytes a level, where `json.dumps` doubles it."""
    inner = text.replace("\\", "\\u005c").replace('"', "\\u0022")
    return f'"{inner}"'


def in_texts(levels, write, filling=""):
    """A memo of `levels` hops given as texts inside each other; the last of them has `filling` beside it."""
    text = memo(f',"x":"{filling}"')
    for _ in range(levels):
        text = memo(f',"next":{write(text)}')
    return text


def test_h172_texts_as_everybody_writes_them_are_read_at_any_depth():
    for levels, filling in ((3, "a" * 3_500), (14, "")):
        assert len(read_hops(in_texts(levels, json.dumps, filling))) == levels + 1


def test_h172_texts_in_texts_are_bounded_by_the_memo():
    assert len(read_hops(in_texts(8, escaped))) == 9
    for levels, filling in ((12, ""), (90, ""), (3, "a" * 40_000)):
        with pytest.raises(InvalidForwardMetadata, match="nested strings are too long"):
            read_hops(in_texts(levels, escaped, filling))


def test_h172_the_work_is_no_more_than_what_the_memo_pays_for():
    """The texts that are read, all together, are not longer than the memo and what is free."""
    text = in_texts(90, escaped, "a" * 100_000)
    with counting() as counter, pytest.raises(InvalidForwardMetadata):
        read_hops(text)
    assert counter.scanned < 8 * len(text)  # each text would be read 40 times
