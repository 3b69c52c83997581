"""Headers: what RFC 7541's appendix C decodes to, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abci_server.grpc import huffman
from abci_server.grpc.errors import BadHeaders
from abci_server.grpc.hpack import MOST, Decoder

FIRST = [(b":method", b"GET"), (b":scheme", b"http"), (b":path", b"/"), (b":authority", b"www.example.com")]
SECOND = [*FIRST, (b"cache-control", b"no-cache")]
THIRD = [
    (b":method", b"GET"),
    (b":scheme", b"https"),
    (b":path", b"/index.html"),
    (b":authority", b"www.example.com"),
    (b"custom-key", b"custom-value"),
]
PLAIN = ("828684410f7777772e6578616d706c652e636f6d", "828684be58086e6f2d6361636865",
         "828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565")  # fmt: skip
CODED = ("828684418cf1e3c2e5f23a6ba0ab90f4ff", "828684be5886a8eb10649cbf",
         "828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf")  # fmt: skip


@pytest.mark.parametrize("blocks", [PLAIN, CODED], ids=["C.3", "C.4"])
def test_the_requests_of_the_standard(blocks):
    decoder = Decoder()
    assert [decoder.decode(bytes.fromhex(each)) for each in blocks] == [FIRST, SECOND, THIRD]


def test_a_block_is_remembered_only_while_the_table_stays():
    decoder, newest = Decoder(), b"\xbe"
    decoder.decode(b"\x40\x01a\x011")
    assert [decoder.decode(newest) for _ in range(3)] == [[(b"a", b"1")]] * 3
    decoder.decode(b"\x40\x01b\x012")
    assert decoder.decode(newest) == [(b"b", b"2")]
    decoder.decode(b"\x20")
    with pytest.raises(BadHeaders, match="no header 62"):
        decoder.decode(newest)


def test_the_table_forgets_the_oldest_beyond_its_bytes():
    decoder = Decoder()
    for number in range(5):
        decoder.decode(b"\x40\x01" + b"%d" % number + b"\x7f\xe9\x06" + b"v" * 1000)
    assert [decoder.decode(bytes((index,)))[0][0] for index in (0xBE, 0xBF, 0xC0)] == [b"4", b"3", b"2"]
    with pytest.raises(BadHeaders):
        decoder.decode(b"\xc1")
    decoder.decode(b"\x40\x01x\x7f\x81\x1f" + b"v" * 4096)  # an entry of more than the table empties it
    with pytest.raises(BadHeaders):
        decoder.decode(b"\xbe")


@pytest.mark.parametrize(
    "block",
    [
        b"\x80", b"\xbe", b"\xff\xff\xff\xff\x7f", b"\x40", b"\x40\x05ab", b"\x40\x01a", b"\x0f", b"\x82\x20",
        b"\x3f\xe2\x1f", b"\x40\x81\x18\x00", b"\x40\x82\x1f\xff\x00", b"\x40\x84\xff\xff\xff\xff\x00",
        b"\x7f\x80\x80\x80\x80\x80",
    ],
    ids=bytes.hex,
)  # fmt: skip
def test_h207_what_is_no_block_of_headers_is_refused(block):
    with pytest.raises(BadHeaders):
        Decoder().decode(block)


def test_h207_a_small_block_does_not_grow_into_a_large_list():
    decoder = Decoder()
    decoder.decode(b"\x40\x01a\x7f\xa1\x1e" + b"v" * 4000)
    assert len(decoder.decode(b"\xbe" * 4)) == 4
    with pytest.raises(BadHeaders, match=f"more than {MOST} bytes"):
        decoder.decode(b"\xbe" * 5)


def test_strings_of_the_shortest_and_the_longest_codes():
    assert huffman.decode(bytes(5)) == b"00000000"
    assert huffman.decode(bytes.fromhex("fffffff3")) == b"\n"


@given(st.binary(max_size=200))
def test_h207_any_bytes_are_headers_or_refused(block):
    try:
        headers = Decoder().decode(block)
    except BadHeaders:
        return
    assert sum(len(name) + len(value) + 32 for name, value in headers) <= MOST
