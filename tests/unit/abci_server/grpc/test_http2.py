"""One connection's bytes: calls come out however frames are cut, and no client makes us hold much."""

import struct
from itertools import pairwise

import pytest
from hpack import Decoder
from hypothesis import given, settings
from hypothesis import strategies as st

from abci_server.errors import BadHttp2
from abci_server.grpc.connection import GOOD, HEAD, message
from abci_server.grpc.http2 import STREAMS, WINDOW, Http2
from tests.sampling import rounds
from tests.unit.abci_server.grpc import raw as frames
from tests.unit.abci_server.grpc.raw import frame, frames_in

LIMIT = 1_000_000
BEGIN = frames.PREFACE + frame(frames.SETTINGS, 0, 0) + 2 * frame(frames.SETTINGS, frames.ACK, 0)
PATH = b"\x83\x86\x44\x02/x"


def opening(stream, flags=frames.END_HEADERS):
    return frame(frames.HEADERS, flags, stream, PATH)


def data(stream, payload, *, last=False):
    return frame(frames.DATA, frames.END_STREAM if last else 0, stream, payload)


def number(value):
    return struct.pack(">L", value)


def begun(limit=LIMIT):
    made = Http2(limit)
    made.feed(BEGIN)
    made.out.clear()
    return made


def sent(http2):
    """The frames that the server has put out since the last look."""
    return list(frames_in(http2.out))


def test_a_server_begins_with_its_settings_and_answers_the_clients():
    made = Http2(LIMIT)
    first, second, window = sent(made)
    assert first[:3] == second[:3] == (frames.SETTINGS, 0, 0)
    assert dict(struct.iter_unpack(">HL", second.payload)) == {3: STREAMS, 4: WINDOW, 6: 16_384}
    assert window == (frames.WINDOW_UPDATE, 0, 0, number(2**31 - 65_536))
    made.feed(BEGIN)
    assert sent(made) == [(frames.SETTINGS, frames.ACK, 0, b"")]


STREAM = (
    BEGIN
    + opening(1) + data(1, b"one ") + frame(frames.PING, 0, 0, b"12345678") + opening(3)
    + data(3, b"") + frame(frames.PRIORITY, 0, 3, bytes(5)) + data(3, b"two", last=True)
    + frame(99, 0, 0, b"later") + frame(frames.DATA, frames.PADDED | frames.END_STREAM, 1, b"\x03more\0\0\0")
    + frame(frames.HEADERS, frames.PADDED | frames.WITH_PRIORITY, 5, b"\x01" + bytes(5) + PATH[:3] + b"\0")
    + frame(frames.CONTINUATION, frames.END_HEADERS, 5, PATH[3:]) + data(5, b"three")
    + frame(frames.HEADERS, frames.END_HEADERS | frames.END_STREAM, 5, b"\x40\x01t\x01v")
)  # fmt: skip


@settings(deadline=None)
@given(st.lists(st.integers(0, len(STREAM)), max_size=20))
def test_calls_come_out_however_the_stream_is_cut(cuts):
    made = Http2(LIMIT)
    for start, end in pairwise(sorted({0, len(STREAM), *cuts})):
        made.feed(STREAM[start:end])
    calls = [(each.id, each.path, bytes(each.body)) for each in made.calls]
    assert calls == [(3, b"/x", b"two"), (1, b"/x", b"one more"), (5, b"/x", b"three")]
    assert (frames.PING, frames.ACK, 0, b"12345678") in sent(made)


def test_an_answer_is_cut_into_frames_and_waits_for_the_clients_windows():
    made = begun()
    made.feed(opening(1) + data(1, b"ask", last=True))
    made.answer(made.calls.popleft(), HEAD, message(b"x" * 100_000), GOOD)
    assert made.blocked
    head, *bodies = sent(made)
    assert (head.type, Decoder().decode(head.payload, raw=True)) == (frames.HEADERS, [*HEAD])
    assert [len(each.payload) for each in bodies] == [16_384, 16_384, 16_384, 16_383]
    made.feed(frame(frames.WINDOW_UPDATE, 0, 0, number(50_000)))
    assert sent(made) == []  # the stream's own window is spent as well
    made.feed(frame(frames.WINDOW_UPDATE, 0, 1, number(10_000)))
    assert [len(each.payload) for each in sent(made)] == [10_000]
    made.feed(frame(frames.SETTINGS, 0, 0, struct.pack(">HL", 4, 65_535 + 50_000)))
    _, *bodies, trailers = sent(made)
    assert sum(len(each.payload) for each in bodies) == 100_005 - 65_535 - 10_000
    assert trailers.flags == frames.END_HEADERS | frames.END_STREAM
    assert b"grpc-status" in Decoder().decode(trailers.payload, raw=True)[0]
    assert not made.blocked


def test_a_call_that_its_client_cancels_is_not_made():
    made = begun()
    made.feed(opening(1) + data(1, b"a", last=True) + opening(3) + data(3, b"b", last=True))
    under_way = made.calls.popleft()
    for stream in (3, 1):
        made.feed(frame(frames.RST_STREAM, 0, stream, number(8)))
    assert not made.calls
    made.answer(under_way, HEAD, message(b""), GOOD)
    assert sent(made) == []


def test_an_answer_under_way_is_dropped_where_its_client_cancels():
    made = begun()
    made.feed(opening(1) + data(1, b"a", last=True) + opening(3) + data(3, b"b", last=True))
    made.answer(made.calls.popleft(), HEAD, message(b"x" * 100_000), GOOD)
    made.feed(frame(frames.RST_STREAM, 0, 1, number(8)))
    assert not made.blocked


# -- hostile clients

LONG = b"\x00\x01a\x7f" + bytes([0x81, 0x9E, 0x01]) + bytes(16_000)
"""A header with a value of 20,352 bytes, of which 16,000 are here."""

UNFOLDING = b"\x40\x01a\x7f\xa1\x1e" + bytes(4_000) + b"\xbe" * 5
"""A header of 4,000 bytes that a table remembers, and five times the same by a byte each."""

BAD = {
    "HTTP/1": b"GET / HTTP/1.1\r\n\r\n",
    "a long frame": BEGIN + opening(1) + frame(frames.DATA, 0, 1, bytes(16_385)),
    "an even stream": BEGIN + opening(2),
    "data of no stream": BEGIN + data(1, b"x"),
    "data of the connection": BEGIN + opening(1) + data(0, b"x"),
    "headers are interrupted": BEGIN + opening(1, 0) + frame(frames.PING, 0, 0, bytes(8)),
    "a continuation of nothing": BEGIN + frame(frames.CONTINUATION, frames.END_HEADERS, 1),
    "a continuation of another": BEGIN + opening(1, 0) + frame(frames.CONTINUATION, 4, 3),
    "many continuations": BEGIN + opening(1, 0) + 70 * frame(frames.CONTINUATION, 0, 1),
    "long headers": BEGIN
    + opening(1, 0)
    + frame(frames.CONTINUATION, 0, 1, LONG)
    + frame(frames.CONTINUATION, frames.END_HEADERS, 1, bytes(4_352)),
    "headers that unfold": BEGIN + frame(frames.HEADERS, frames.END_HEADERS, 1, UNFOLDING),
    "bad headers": BEGIN + frame(frames.HEADERS, frames.END_HEADERS, 1, b"\xbe"),
    "headers in the middle": BEGIN + opening(1) + opening(1),
    "padding alone": BEGIN + opening(1) + frame(frames.DATA, frames.PADDED, 1, b"\x05abcd"),
    "no length of padding": BEGIN + opening(1) + frame(frames.DATA, frames.PADDED, 1),
    "a push": BEGIN + frame(frames.PUSH_PROMISE, 4, 1, bytes(4)),
    "a short ping": BEGIN + frame(frames.PING, 0, 0, b"x"),
    "a ping of a stream": BEGIN + frame(frames.PING, 0, 1, bytes(8)),
    "settings of a stream": BEGIN + frame(frames.SETTINGS, 0, 1),
    "half a setting": BEGIN + frame(frames.SETTINGS, 0, 0, bytes(5)),
    "small frames": BEGIN + frame(frames.SETTINGS, 0, 0, struct.pack(">HL", 5, 16_383)),
    "a huge window at first": BEGIN + frame(frames.SETTINGS, 0, 0, struct.pack(">HL", 4, 2**31)),
    "a window of nothing": BEGIN + frame(frames.WINDOW_UPDATE, 0, 0, number(0)),
    "a huge window": BEGIN + frame(frames.WINDOW_UPDATE, 0, 0, number(2**31 - 1)),
    "a window of no stream": BEGIN + frame(frames.WINDOW_UPDATE, 0, 1, number(1)),
    "a reset of no stream": BEGIN + frame(frames.RST_STREAM, 0, 1, number(0)),
    "a short reset": BEGIN + opening(1) + frame(frames.RST_STREAM, 0, 1, b"x"),
}


@pytest.mark.parametrize("kind", BAD)
def test_h207_what_breaks_the_protocol_ends_the_connection(kind):
    made = Http2(LIMIT)
    made.out.clear()
    with pytest.raises(BadHttp2, match=r"^HTTP/2: \w+Error"):
        made.feed(BAD[kind])
    goodbye = [each.type for each in sent(made)]
    assert goodbye[-1:] == ([] if kind == "HTTP/1" else [frames.GOAWAY])
    made.leave("it is said already")
    assert (sent(made), list(made.calls)) == ([], [])


FRAMES = st.builds(
    frame,
    st.integers(0, 11),
    st.sampled_from([0, 1, 4, 5, 8, 0x20, 0x2D, 0xFF]) | st.integers(0, 255),
    st.sampled_from([0, 1, 1, 1, 3, 5, 2]),
    st.sampled_from([b"", PATH, bytes(4), number(1), bytes(6), bytes(8), bytes(5000)])
    | st.binary(max_size=40),
)


@settings(deadline=None, max_examples=rounds(125, 500))
@given(st.lists(FRAMES, max_size=12))
def test_h207_any_frames_are_calls_or_end_the_connection(some):
    made = Http2(LIMIT)
    try:
        made.feed(BEGIN + b"".join(some))
    except BadHttp2:
        made.leave("bye")
    assert len(made.out) < 10_000


def held(http2):
    return sum(len(each.body) for each in (*http2._incomplete.values(), *http2.calls))


def test_h205_calls_that_are_half_sent_hold_little_and_do_not_keep_each_other_from_the_end():
    """A client opens as many large calls as it may, and sends a frame of each in turn as windows allow."""
    size, made = LIMIT - 5, begun(LIMIT)
    left = {2 * index + 1: message(bytes(size)) for index in range(STREAMS)}
    windows = dict.fromkeys(left, WINDOW)
    made.feed(b"".join(opening(stream) for stream in left))
    done, most = [], 0
    for _ in range(10_000):
        for stream in [*left]:
            piece = left[stream][: min(16_384, windows[stream])]
            left[stream] = left[stream][len(piece) :]
            windows[stream] -= len(piece)
            if piece:
                made.feed(data(stream, piece, last=not left[stream]))
            if not left[stream]:
                del left[stream]
        most = max(most, held(made))
        for update in sent(made):
            if update.stream in windows:
                windows[update.stream] += int.from_bytes(update.payload)
        while made.calls:
            done.append(len(made.calls.popleft().body))
        if not left:
            break
    assert done == [LIMIT] * STREAMS
    assert most <= STREAMS * WINDOW + LIMIT


def test_h205_one_who_sends_more_than_it_may_is_turned_away():
    made = begun()
    made.feed(opening(1) + opening(3))
    room = data(3, bytes(16_384)) * (WINDOW // 16_384)
    made.feed(room)
    with pytest.raises(BadHttp2, match="FlowControlError"):
        made.feed(data(3, b"x"))


def test_h205_a_call_beyond_those_that_may_be_open_is_refused_alone():
    made = Http2(LIMIT)
    made.feed(BEGIN.removesuffix(2 * frame(frames.SETTINGS, frames.ACK, 0)))  # it has not read it
    made.out.clear()
    made.feed(b"".join(opening(2 * index + 1) for index in range(STREAMS + 1)))
    assert sent(made) == [(frames.RST_STREAM, 0, 2 * STREAMS + 1, number(7))]
    made.feed(data(1, b"x", last=True))
    assert [each.id for each in made.calls] == [1]
    made.feed(data(2 * STREAMS + 1, b"on its way already", last=True))
    assert len(made.calls) == 1


def test_h205_who_knows_and_opens_more_is_turned_away():
    made = begun()
    with pytest.raises(BadHttp2, match="TooManyStreamsError"):
        made.feed(b"".join(opening(2 * index + 1) for index in range(STREAMS + 1)))


def test_h207_a_window_beyond_31_bits_cancels_its_call():
    made = begun()
    made.feed(opening(1) + frame(frames.WINDOW_UPDATE, 0, 1, number(2**31 - 1)))
    assert [each.type for each in sent(made)] == [frames.RST_STREAM]
    made.feed(opening(3) + data(3, b"x", last=True))
    assert [each.id for each in made.calls] == [3]
    assert [*made._open] == [3]


def test_h205_a_body_beyond_the_limit_is_dropped_and_the_call_refused():
    made = begun(100)
    made.feed(opening(1) + data(1, bytes(101)))
    assert len(made.calls) == 1
    call = made.calls.popleft()
    assert (call.too_long, len(call.body)) == (True, 0)
    made.answer(call, b"", b"", GOOD)
    assert [(each.type, each.flags) for each in sent(made)] == [(frames.HEADERS, 5), (frames.RST_STREAM, 0)]
    made.feed(data(1, bytes(1000), last=True))
    assert not made.calls


def test_h205_the_connections_window_is_refilled_long_before_it_is_spent(monkeypatch):
    monkeypatch.setattr("abci_server.grpc.http2._REFILL", 20_000)
    made = begun()
    made.feed(opening(1) + data(1, bytes(16_000)))
    assert sent(made) == []
    made.feed(data(1, bytes(16_000)))
    assert sent(made) == [(frames.WINDOW_UPDATE, 0, 0, number(32_000))]
