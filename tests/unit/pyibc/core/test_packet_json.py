"""JSON that strangers send: no deeper than its readers may go."""

import json
import subprocess
import sys

import msgspec
import pytest

from ibc_module.json_message import json_route
from pyibc.codec.gojson import Number, Object
from pyibc.codec.gojson_members import MAX_JSON_DEPTH, MAX_JSON_DIGITS, is_deeper
from pyibc.core.address import AddressCodec
from pyibc.core.application.packet_data import read_json
from pyibc.core.errors import InvalidRequest, TxDecode


def nested(levels, opener=b"[", closer=b"]", inside=b""):
    return opener * levels + inside + closer * levels


def test_what_it_reads():
    assert read_json(b'{"a": [1, true, null, "x"]}') == Object([("a", [Number("1"), True, None, "x"])])


def test_d39_what_nests_too_deep_is_refused():
    read_json(nested(MAX_JSON_DEPTH))
    read_json(nested(MAX_JSON_DEPTH, b'{"a":', b"}", b"1"))
    for data in (
        nested(MAX_JSON_DEPTH + 1),
        nested(MAX_JSON_DEPTH + 1, b'{"a":', b"}", b"1"),
        b"[" * 1_000_000,
        b'["]]]]",' * (MAX_JSON_DEPTH + 1),
        b'["\\"]]]]",' * (MAX_JSON_DEPTH + 1),
    ):
        with pytest.raises(InvalidRequest) as caught:
            read_json(data)
        assert "nested deeper than 200" in str(caught.value)


@pytest.mark.parametrize("data", [b"", b"[", b"NaN", b"\xff", b'"\xff"', b"[1,]"])
def test_what_is_no_json_is_refused(data):
    if data == b'"\xff"':  # Go replaces it
        assert read_json(data) == "\ufffd"
        return
    with pytest.raises(InvalidRequest):
        read_json(data)


def test_width_and_brackets_in_texts_are_not_depth():
    assert not is_deeper(b"[" + b"[]," * 100_000 + b"[]]")
    assert not is_deeper(json.dumps(["[" * 10_000, '"[' * 10_000]))
    assert is_deeper("[" * 201)
    assert not is_deeper("[" * 200)
    assert is_deeper("\ud800" + "[" * 201)


class Loose(msgspec.Struct, frozen=True):
    """It skips what it does not know, and msgspec recurses into that."""

    signer: str


def test_d39_messages_in_json_are_bounded():
    route = json_route("/x.Loose", Loose, AddressCodec("cosmos"), lambda *_: b"")
    assert route.decode(b'{"signer": "a", "more": ' + nested(199) + b"}") == Loose("a")
    for deep in (nested(200), nested(100_000), b"[" * 100_000):
        with pytest.raises(TxDecode) as caught:
            route.decode(b'{"signer": "a", "more": ' + deep + b"}")
        assert "nested deeper than 200" in str(caught.value)


class Counted(msgspec.Struct, frozen=True):
    """A number without a bound of its own."""

    signer: str
    count: int = 0


def test_d9_numbers_in_messages_in_json_are_bounded():
    """msgspec reads up to 4300 digits, or what Python's own limit says: any from 640 on, as a node likes."""
    route = json_route("/x.Counted", Counted, AddressCodec("cosmos"), lambda *_: b"")
    most = "9" * MAX_JSON_DIGITS
    assert route.decode(b'{"signer":"a","count":%b}' % most.encode()) == Counted("a", int(most))
    assert route.decode(b'{"signer":"%b\\"%b"}' % (b"1" * 700, b"2" * 700)).count == 0
    for digits in (MAX_JSON_DIGITS + 1, 4_000, 1_000_000):
        with pytest.raises(TxDecode, match="a number of more than 640 digits"):
            route.decode(b'{"signer":"a","count":%b}' % (b"9" * digits))


@pytest.mark.parametrize("limit", ["640", "0", "4300"])
def test_d9_every_python_reads_the_longest_number(limit):
    read = f"import msgspec; assert msgspec.json.decode(b'9' * {MAX_JSON_DIGITS}, type=int) > 0"
    subprocess.run([sys.executable, "-X", f"int_max_str_digits={limit}", "-c", read], check=True)
