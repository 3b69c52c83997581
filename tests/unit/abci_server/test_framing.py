"""Frames: whatever way a stream is cut, the same messages come out; nonsense is named."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abci_server.connection import FrameReader, frame
from abci_server.errors import BadLength, BadPeer, FrameTooLong
from tests.sampling import rounds

MESSAGES = st.lists(st.binary(max_size=300) | st.integers(0, 40_000).map(bytes), max_size=8)


def pieces(stream, cuts):
    edges = sorted({0, len(stream), *(cut % (len(stream) + 1) for cut in cuts)})
    return [stream[start:end] for start, end in pairwise(edges)]


@settings(deadline=None, max_examples=rounds(50, 200))
@given(MESSAGES, st.lists(st.integers(0, 10**6), max_size=20))
def test_a_stream_cut_anywhere_gives_the_messages(messages, cuts):
    reader, out = FrameReader(40_000), []
    for piece in pieces(b"".join(map(frame, messages)), cuts):
        reader.feed(piece)
        out += list(reader)
    assert out == messages


@settings(deadline=None, max_examples=rounds(75, 300))
@given(st.binary(max_size=400), st.lists(st.integers(0, 10**6), max_size=10), st.integers(0, 200))
def test_any_bytes_give_the_same_whole_or_cut(noise, cuts, limit):
    """Frames, and the error if there is one; what is held back is never more than a frame."""

    def read(parts):
        reader, out = FrameReader(limit), []
        try:
            for part in parts:
                reader.feed(part)
                out += list(reader)
        except BadPeer as error:
            return out, type(error)
        assert len(reader._buffer) <= limit + 10
        return out, None

    whole, cut = read([noise]), read(pieces(noise, cuts))
    assert cut[1] == whole[1]
    assert whole[1] or cut == whole


@settings(deadline=None, max_examples=rounds(25, 100))
@given(st.integers(0, 2**64 - 1))
def test_every_length_is_read_as_it_is(length):
    head, rest = bytearray(), length
    while rest > 0x7F:
        head.append(rest & 0x7F | 0x80)
        rest >>= 7
    head.append(rest)
    reader = FrameReader(0)
    reader.feed(bytes(head))
    if length == 0:
        assert list(reader) == [b""]
        return
    with pytest.raises(FrameTooLong) as refused:
        list(reader)
    assert (refused.value.length, refused.value.limit) == (length, 0)


def test_frames_before_nonsense_are_given_out():
    reader = FrameReader(10)
    reader.feed(b"\x02ab\x01c" + b"\xff" * 20)
    frames = iter(reader)
    assert (next(frames), next(frames)) == (b"ab", b"c")
    with pytest.raises(BadLength):
        next(frames)


@pytest.mark.parametrize("head", [b"\xff" * 10, b"\x80" * 10, b"\xff" * 9 + b"\x02"])
def test_what_is_no_uint64_is_refused(head):
    reader = FrameReader(10)
    reader.feed(head)
    with pytest.raises(BadLength):
        list(reader)


def test_a_length_with_idle_bytes_is_read_as_go_reads_it():
    reader = FrameReader(10)
    reader.feed(b"\x82\x80\x00ab")
    assert list(reader) == [b"ab"]


def test_lengths_around_the_limit():
    for size in (99, 100):
        reader = FrameReader(100)
        reader.feed(frame(bytes(size)))
        assert list(reader) == [bytes(size)]
