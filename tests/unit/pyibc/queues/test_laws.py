"""Names, keys, ends, expiry: the laws that proofs of queues stand on."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyibc.core.errors import InvalidRequest
from pyibc.core.height import ZERO_HEIGHT, Height
from pyibc.queues.errors import InvalidEnd, InvalidQueuePacket
from pyibc.queues.packet import QueuePacket, check_packet, expired
from pyibc.queues.types import (
    End,
    QueueKey,
    QueueName,
    Role,
    connection_key,
    element_key,
    head_key,
    is_registration_key,
    local_key,
    parse_end,
    parse_key,
    parse_name,
    queue_name,
    queue_of,
    registration_key,
    tail_key,
    validate_end,
)
from tests.sampling import rounds

TOP = 2**64 - 1
CHARACTERS = "".join(chr(n) for n in range(0x21, 0x7F) if chr(n) != "/")
nasty = st.sampled_from(["a", "aa", "ab", ":send", "a:send", "ibc:a", "a:receipt", "a:outgoing", ":", "ibc:"])
chains = nasty | st.text(CHARACTERS, min_size=1, max_size=50)
ids = st.sampled_from(["connection-0", "connection-1", "channel-01", "head#####tail", "_" * 64])
ends = chains.map(End) | st.tuples(chains, ids, ids).map(lambda parts: End(*parts))
indexes = st.sampled_from([0, 1, 255, 256, 2**63 - 1, 2**63, TOP - 1, TOP]) | st.integers(0, TOP)
places = st.sampled_from([head_key, tail_key]) | st.builds(
    lambda index: lambda queue: element_key(queue, index), indexes
)


channels = st.tuples(chains, ids, ids).map(lambda parts: End(*parts))
pairs = st.tuples(chains.map(End), chains.map(End)) | st.tuples(channels, channels)


def test_names_are_the_documents():
    assert queue_name(End("chain-b"), End("chain-a"), Role.SEND) == "ibc:chain-a:send"
    assert queue_name(End("chain-b"), End("chain-a"), Role.RECEIPT) == "ibc:chain-a:receipt"
    ours, theirs = End("chain-b", "connection-3", "channel-4"), End("chain-a", "connection-1", "channel-2")
    name = "ibc:chain-a/connection-1/channel-2/connection-3/channel-4"
    assert queue_name(ours, theirs, Role.SEND) == f"{name}:outgoing"
    assert queue_name(ours, theirs, Role.RECEIPT) == f"{name}:incoming"


def said(pair, role):
    """What the queue's name says: the keeping chain's id is not in it, its state is that chain's."""
    local, remote = pair
    return QueueName(remote, local.connection, local.channel, role)


@settings(deadline=None, max_examples=rounds(75, 300))
@given(pairs, st.sampled_from(Role), places)
def test_a_key_says_whose_it_is(pair, role, place):
    key = place(queue_of(*pair, role))
    found = parse_key(key)
    assert found.name == said(pair, role)
    assert found.index == (int.from_bytes(key[-8:], "big") if place not in {head_key, tail_key} else None)
    assert parse_name(queue_name(*pair, role)) == said(pair, role)


@settings(deadline=None, max_examples=rounds(125, 500))
@given(pairs, pairs, st.sampled_from(Role), st.sampled_from(Role), places, places)
def test_no_two_keys_are_equal_and_no_queue_lies_in_another(one, two, role, other, place, elsewhere):
    first, second = queue_of(*one, role), queue_of(*two, other)
    if first == second:
        assert said(one, role) == said(two, other)
    else:
        assert not first.startswith(second)
        assert not second.startswith(first)
        assert place(first) != elsewhere(second)


def test_ids_whose_concatenated_keys_would_collide_do_not():
    """An id that ends as a name does, one that begins as a key does, parts that could shift."""
    chain, channel = End("z"), End("z", "connection-9", "channel-9")
    twins = [
        (channel, End("ab", "connection-0", "channel-0"), channel, End("a", "bconnection-0", "channel-0")),
        (chain, End("a:send"), chain, End("a")),
        (chain, End("ibc:a"), chain, End("a")),
        (chain, End("a:send:receipt"), chain, End("a:send")),
        (channel, End("a", "connection-0", "channel-0"), channel, End("a", "connection-0", "channel-01")),
        (
            End("z", "connection-1", "channel-22"),
            End("a", "connection-0", "channel-0"),
            End("z", "connection-0", "channel-0"),
            End("a", "connection-1", "channel-22"),
        ),
    ]
    for one, far, two, beyond in twins:
        names = {queue_name(*pair, role) for pair in ((one, far), (two, beyond)) for role in Role}
        assert len(names) == 4


def test_the_order_of_keys_is_the_order_of_indexes():
    queue = queue_of(End("z"), End("a"), Role.SEND)
    places_in_order = [0, 1, 2**8, 2**63 - 1, 2**63, TOP]
    assert sorted(element_key(queue, index) for index in reversed(places_in_order)) == [
        element_key(queue, index) for index in places_in_order
    ]


@pytest.mark.parametrize(
    "key",
    [
        b"",
        b"\0",
        b"ibc:a:send",
        b"ibc:a:send\0",
        b"ibc:a:send\0neck",
        b"ibc:a:send\0" + b"\0" * 7,
        b"ibc:a:send\0" + b"\0" * 9,
        b"ibc:a:outgoing\0head",  # a chain's end with a channel's word
        b"ibc:a/connection-0/channel-0/connection-0/channel-0:send\0head",
        b"ibc:a/connection-0/channel-0:outgoing\0head",
        b"ibc:a/connection-0/channel-0/connection-0/:outgoing\0head",
        b"ibc:a/connection-0/channel-0/connection-0/ch:outgoing\0head",
        b"ibc:a/connection-0/channel-0/connection-0/channel-0/x:outgoing\0head",
        b"ibc:a/connection-0:outgoing\0head",
        b"ibc::send\0head",
        b"IBC:a:send\0head",
        b"a:send\0head",
        b"ibc:a b:send\0head",
        "ibc:ä:send\0head".encode(),
        b"\xff\0head",
        registration_key(End("a")),
        local_key(End("a", "connection-0", "channel-0")),
        connection_key("connection-0"),
    ],
)
def test_other_keys_are_no_queues(key):
    assert parse_key(key) is None


def test_head_and_tail_are_no_index():
    queue = queue_of(End("z"), End("a"), Role.SEND)
    assert parse_key(head_key(queue)) == QueueKey(QueueName(End("a"), "", "", Role.SEND), None)
    assert parse_key(tail_key(queue)) == QueueKey(QueueName(End("a"), "", "", Role.SEND), None)


@pytest.mark.parametrize(
    "end",
    [
        End(""),
        End("a b"),
        End("a/b"),
        End("a\0"),
        End("ä"),
        End("a" * 51),
        End("a", "connection-0"),
        End("a", "", "channel-0"),
        End("a", "c", "channel-0"),
        End("a", "connection-0", "ch"),
        End("a", "connection:0", "channel-0"),
        End("a", "connection-0", "channel/0"),
    ],
)
def test_an_end_that_is_none(end):
    with pytest.raises(InvalidEnd):
        validate_end(end)


@given(ends)
@settings(deadline=None)
def test_an_end_is_read_back(end):
    validate_end(end)
    assert parse_end(end.text) == end
    assert is_registration_key(end.text.encode())


@pytest.mark.parametrize("text", ["", "/", "a/b", "a//c", "a/connection-0/", "a/connection-0/channel-0/x"])
def test_a_text_that_is_no_end(text):
    assert parse_end(text) is None
    assert not is_registration_key(text.encode())
    assert not is_registration_key(b"\xff")


def packet(height=ZERO_HEIGHT, time_ns=0):
    return QueuePacket(End("a"), End("b"), 0, "t", b"", height, time_ns)


@pytest.mark.parametrize(
    ("limit", "at", "late"),
    [
        ((ZERO_HEIGHT, 0), (Height(9, 9), 2**63), False),
        ((Height(1, 5), 0), (Height(1, 5), 0), False),  # the last height at which it is valid
        ((Height(1, 5), 0), (Height(1, 6), 0), True),
        ((Height(1, 5), 0), (Height(2, 1), 0), True),
        ((Height(2, 1), 0), (Height(1, 99), 0), False),
        ((ZERO_HEIGHT, 7), (Height(1, 1), 7), False),
        ((ZERO_HEIGHT, 7), (Height(1, 1), 8), True),
        ((Height(1, 5), 7), (Height(1, 5), 8), True),  # one is enough
        ((Height(1, 5), 7), (Height(1, 6), 7), True),
    ],
)
def test_expired(limit, at, late):
    assert expired(packet(*limit), *at) is late


def test_what_a_packet_may_be_made_of():
    check_packet("t" * 64, b"x" * 262_144, Height(TOP, TOP), TOP)
    for kind in ("", "t" * 65, "a b", "ä", "a\n", "\x7f"):
        with pytest.raises(InvalidQueuePacket):
            check_packet(kind, b"", ZERO_HEIGHT, 0)
    with pytest.raises(InvalidQueuePacket):
        check_packet("t", b"x" * 262_145, ZERO_HEIGHT, 0)
    for height, time_ns in ((Height(TOP + 1, 0), 0), (Height(0, -1), 0), (ZERO_HEIGHT, TOP + 1)):
        with pytest.raises(InvalidRequest):
            check_packet("t", b"", height, time_ns)
