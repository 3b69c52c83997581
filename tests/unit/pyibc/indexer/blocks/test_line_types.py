"""Malformed lines with valid checksums: the invalid field is named, and no other error is raised."""

import json
from base64 import b64encode
from zlib import crc32

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pyibc.indexer.blocks.block import Ack, Block, Tx
from pyibc.indexer.blocks.lines import decode_line, encode_line, incarnation_of, parse_head
from pyibc.indexer.errors import MalformedLine
from tests.sampling import rounds

EVENT = ("send_packet", (("packet_sequence", "1"), ("k", "v")))
TX = Tx("AB", 0, (EVENT,), 5, 4, "", "", b"d", b"raw", (Ack("transfer", "channel-0", 4, b"\x00\xff"),), "me")
BLOCK = Block("a-1", 7, 10**18, (TX, TX), (EVENT,), b"\xab", "x.json", incarnation="0123456789abcdef")


def sealed(rest):
    return b"pyibc1 %08x %s\n" % (crc32(rest), rest)


def line_of(document, head=b"a-1 7 0123456789abcdef full"):
    return sealed(b"%s %s" % (head, json.dumps(document, separators=(",", ":")).encode()))


def document_of(block=BLOCK):
    return json.loads(encode_line(block).split(b" ", 6)[6])


def changed(path, value):
    document = document_of()
    place = document
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return document


def read(line):
    """Decode a line; any error other than MalformedLine would end a worker."""
    try:
        parse_head(line)
        return decode_line(line)
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        pytest.fail(f"{type(error).__name__} for {line[:200]!a}")


def test_the_line_itself_is_read():
    assert read(line_of(document_of())) == BLOCK


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        (["txs", 0, "code"], "0", r"\$.txs\[0\].code"),
        (["txs", 0, "code"], -1, r"\$.txs\[0\].code"),
        (["txs", 0, "code"], 2**32, r"\$.txs\[0\].code"),
        (["txs", 0, "code"], True, r"\$.txs\[0\].code"),
        (["txs", 0, "gas_used"], -1, r"\$.txs\[0\].gas_used"),
        (["txs", 0, "gas_wanted"], 1.5, r"\$.txs\[0\].gas_wanted"),
        (["txs", 0, "hash"], None, r"\$.txs\[0\].hash"),
        (["txs", 0, "data"], "?", r"\$.txs\[0\].data"),
        (["txs", 0, "tx"], "YQ", r"\$.txs\[0\].tx"),
        (["txs", 0, "events", 0, 1, 0, 1], 5, r"\$.txs\[0\].events"),
        (["txs", 0, "events", 0, 0], 5, r"\$.txs\[0\].events"),
        (["txs", 0, "events", 0, 1, 0], ["k"], r"\$.txs\[0\].events"),
        (["txs", 0, "events", 0], ["send_packet"], r"\$.txs\[0\].events"),
        (["txs", 0, "acks", 0, 2], "4", r"\$.txs\[0\].acks"),
        (["txs", 0, "acks", 0, 3], "xyz", r"\$.txs\[0\].acks"),
        (["txs", 0, "signer"], 1, r"\$.txs\[0\].signer"),
        (["txs", 0], "tx", r"\$.txs"),
        (["txs"], {}, r"\$.txs"),
        (["block_events"], None, r"\$.block_events"),
        (["app_hash"], "abc", r"\$.app_hash"),
        (["app_hash"], "a b c ", r"\$.app_hash"),
        (["time_ns"], -1, r"\$.time_ns"),
        (["time_ns"], 2**63, r"\$.time_ns"),
        (["height"], "7", r"\$.height"),
        (["height"], 8, r"another height than the head - at `\$.height"),
        (["chain_id"], "a-2", r"another chain id than the head - at `\$.chain_id"),
        (["chain_id"], 5, r"\$.chain_id"),
        (["partial"], True, r"\$.partial"),
        (["partial"], 1, r"\$.partial"),
        (["origin"], [], r"\$.origin"),
        (["incarnation"], "0123456789ABCDEF", r"\$.incarnation"),
        (["incarnation"], 5, r"\$.incarnation"),
        (["more"], 5, "unknown field `more`"),
    ],
)
def test_h90_a_field_of_a_wrong_kind_is_named(path, value, named):
    line = line_of(changed(path, value))
    parse_head(line)
    with pytest.raises(MalformedLine, match=named):
        decode_line(line)


@pytest.mark.parametrize("field", ["chain_id", "height", "time_ns", "app_hash", "txs", "block_events"])
def test_h90_a_field_that_lacks_is_named(field):
    document = document_of()
    del document[field]
    with pytest.raises(MalformedLine, match=f"required field `{field}`"):
        read(line_of(document))


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        (b"\xff\xfe 7 0123456789abcdef full", "chain id is not UTF-8"),
        (b" 7 0123456789abcdef full", "chain id is empty"),
        (b"a\t1 7 0123456789abcdef full", "white space"),
        (b"a" * 129 + b" 7 0123456789abcdef full", "too long"),
        (b"a-1 07 0123456789abcdef full", "height"),
        (b"a-1 -7 0123456789abcdef full", "height"),
        (b"a-1 9223372036854775808 0123456789abcdef full", "height"),
        (b"a-1 \xd9\xa7 0123456789abcdef full", "height"),
        (b"a-1 7 \xff full", "digest"),
        (b"a-1 7 0123456789ABCDEF full", "digest"),
        (b"a-1 7 0123456789abcdef half", "five fields"),
    ],
)
def test_h90_a_head_that_is_odd_is_named(head, reason):
    line = line_of(document_of(), head)
    with pytest.raises(MalformedLine, match=reason):
        parse_head(line)


def test_h90_bytes_that_are_no_text_in_the_json_are_named():
    body = json.dumps(document_of()).encode().replace(b"send_packet", b"\xff\xfe")
    with pytest.raises(MalformedLine, match="not a block"):
        read(sealed(b"a-1 7 0123456789abcdef full " + body))


def test_an_incarnation_that_readers_would_not_see_is_refused():
    document = document_of()
    hidden = {key: document[key] for key in [*list(document)[1:], "incarnation"]}
    line = line_of(hidden)
    assert parse_head(line).incarnation == ""
    with pytest.raises(MalformedLine, match="is not the first field"):
        decode_line(line)


def test_the_incarnation_is_of_the_first_block_whole():
    first = BLOCK._replace(height=1, incarnation="")
    others = [
        first._replace(chain_id="a-2"),
        first._replace(time_ns=1),
        first._replace(app_hash=b"\xac"),
        first._replace(block_events=()),
    ]
    keys = [incarnation_of(block) for block in (first, *others)]
    assert len(set(keys)) == len(keys)
    assert incarnation_of(first._replace(incarnation=keys[0], origin="y")) == keys[0]
    assert all(len(key) == 16 for key in keys)


def paths(value, here=()):
    yield here
    for key, each in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        yield from paths(each, (*here, key))


_PATHS = [list(path) for path in paths(document_of()) if path]
_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.just(b64encode(b"x").decode()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@settings(deadline=None, max_examples=rounds(100, 400), suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(_PATHS), _JSON)
def test_h90_any_field_of_any_kind_is_read_as_it_stands_or_refused(path, value):
    document = changed(path, value)
    line = line_of(document)
    try:
        block = read(line)
    except MalformedLine:
        return
    assert read(encode_line(block)) == block


@settings(deadline=None, max_examples=rounds(75, 300))
@given(st.binary(max_size=60), st.booleans())
def test_h90_any_bytes_are_read_or_refused(data, whole):
    rest = data.replace(b"\n", b"") if whole else data
    line = sealed(rest) if whole else rest
    for reader in (parse_head, decode_line):
        try:
            reader(line)
        except MalformedLine:
            continue


@settings(deadline=None, max_examples=rounds(75, 300))
@given(st.data())
def test_h90_any_bytes_changed_in_a_line_with_its_checksum_made_right(data):
    rest = bytearray(encode_line(BLOCK)[16:-1])
    for _ in range(data.draw(st.integers(1, 3))):
        rest[data.draw(st.integers(0, len(rest) - 1))] = data.draw(
            st.integers(0, 255).filter(lambda b: b != 10)
        )
    try:
        head, block = parse_head(sealed(bytes(rest))), decode_line(sealed(bytes(rest)))
    except MalformedLine:
        return
    assert (head.chain_id, head.height, head.incarnation) == (block.chain_id, block.height, block.incarnation)
