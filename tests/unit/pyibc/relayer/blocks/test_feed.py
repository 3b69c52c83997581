"""Feed of a chain's blocks: links pass what does not concern them, and sleep until something does."""

from math import inf

import pytest

from pyibc.relayer.blocks.checked import Cursor, cursor_at
from pyibc.relayer.blocks.feed import MAX_NAME, MAX_NAMES, BlockFeed, Mark, Rest, names_in
from pyibc.relayer.errors import EndpointUnavailable

MINE, YOURS = ("port", "channel-0"), ("port", "channel-1")
NAMES = frozenset({MINE, Mark.UNREADABLE})
DOWN = EndpointUnavailable("a-1", "is down")


def sends(port, channel):
    return ("send_packet", (("packet_src_port", port), ("packet_src_channel", channel)))


@pytest.fixture
def chain(pair):
    return pair[0]


@pytest.fixture
def followed(chain):
    """Return a feed with the chain's last block, and a function that makes and adds a block with an end."""
    feed = BlockFeed()

    def add(*name):
        chain.make_block(events=(sends(*name),) if name else ())
        feed.reach(chain.height)
        feed.add(chain.block(chain.height))
        return cursor_at(chain.block(chain.height))

    add()
    return feed, add


def rest(cursor, height=10**9, time_ns=inf):
    return Rest(cursor, NAMES, height, time_ns)


def test_a_cursor_stops_before_a_block_that_names_an_end(followed):
    feed, add = followed
    start = feed.last.cursor
    before = [add(), add(*YOURS)][-1]
    mine = add(*MINE)
    after = add()
    assert feed.unrelated(start, NAMES).cursor == before
    assert feed.unrelated(before, NAMES) is None
    assert feed.unrelated(mine, NAMES).cursor == after
    assert feed.unrelated(after, NAMES) is None


def test_a_cursor_at_an_unknown_or_another_block_moves_nowhere(followed):
    feed, add = followed
    start = feed.last.cursor
    add()
    assert feed.unrelated(Cursor(start.height - 1), NAMES) is None
    assert feed.unrelated(start._replace(hash=b"another"), NAMES) is None
    assert feed.unrelated(start._replace(hash=b"", app_hash=b"another"), NAMES) is None
    assert feed.unrelated(start._replace(hash=b""), NAMES) is not None


def test_few_blocks_are_remembered(chain):
    feed = BlockFeed(window=2)
    for _ in range(3):
        chain.make_block()
        feed.add(chain.block(chain.height))
    first, second, _ = (cursor_at(chain.block(chain.height - back)) for back in (2, 1, 0))
    assert feed.unrelated(first, NAMES) is None
    assert feed.unrelated(second, NAMES).cursor.height == chain.height


def test_blocks_after_a_gap_begin_anew(followed, chain):
    feed, add = followed
    start = feed.last.cursor
    chain.make_block()
    add()
    assert feed.unrelated(start, NAMES) is None


@pytest.mark.parametrize(
    "events",
    [
        (sends(*MINE),),
        (("recv_packet", (("packet_dst_port", MINE[0]), ("packet_dst_channel", MINE[1]))),),
        (("channel_close_init", (("port_id", MINE[0]), ("channel_id", MINE[1]))),),
        (("send_packet", (("packet_src_port", MINE[0]),)),),
    ],
    ids=["sent", "received", "closed", "unreadable"],
)
def test_a_sleeper_wakes_once_at_a_block_that_names_it(followed, chain, events):
    feed, add = followed
    woken = []
    assert feed.sleep("me", rest(feed.last.cursor), lambda: woken.append(chain.height))
    add()
    add(*YOURS)
    assert woken == []
    chain.make_block(events=events)
    feed.add(chain.block(chain.height))
    assert woken == [chain.height]
    add(*MINE)
    assert len(woken) == 1


def test_a_packet_event_without_names_concerns_every_link(chain):
    chain.make_block(events=(("send_packet", (("packet_sequence", "1"),)),))
    assert names_in(chain.block(chain.height)) == {Mark.UNREADABLE}


def test_a_block_with_too_many_names_concerns_every_link(chain):
    """Events are not proven: a node may invent as many as an answer holds."""
    ends = [("port", f"channel-{each}") for each in range(MAX_NAMES + 1)]
    for number, expected in ((MAX_NAMES, {*ends[:-1]}), (MAX_NAMES + 1, {Mark.UNREADABLE})):
        chain.make_block(events=[sends(*end) for end in ends[:number]])
        assert names_in(chain.block(chain.height)) == expected


@pytest.mark.parametrize(
    "event",
    [
        sends("p" * MAX_NAME, "c"),
        ("channel_close_init", (("port_id", "p"), ("channel_id", "c" * MAX_NAME))),
        ("recv_packet", (("packet_dest_client", "x" * (MAX_NAME + 1)),)),
    ],
)
def test_a_name_that_is_too_long_concerns_every_link(chain, event):
    chain.make_block(events=(event,))
    assert names_in(chain.block(chain.height)) == {Mark.UNREADABLE}


def test_clients_are_the_names_of_packets_of_v2(chain):
    pairs = (("packet_source_client", "x-0"), ("packet_dest_client", "y-9"))
    chain.make_block(events=tuple((kind, pairs) for kind in ("send_packet", "recv_packet")))
    assert names_in(chain.block(chain.height)) == {("x-0",), ("y-9",)}


def test_a_sleeper_wakes_at_its_height_and_at_its_time(followed, chain):
    feed, add = followed
    last, woken = feed.last, []
    at_ns = last.time_ns + 2 * chain.step_ns
    feed.sleep("height", rest(last.cursor, height=last.cursor.height + 1), lambda: woken.append("height"))
    feed.sleep("time", rest(last.cursor, time_ns=at_ns), lambda: woken.append("time"))
    add()
    assert woken == ["height"]
    add()
    assert woken == ["height", "time"]


def test_a_block_that_came_before_the_sleep_keeps_the_link_awake(followed):
    feed, add = followed
    start = feed.last.cursor
    add(*MINE)
    end = add()
    assert not feed.sleep("me", rest(start), pytest.fail)
    assert feed.sleep("me", rest(end), lambda: None)


def test_nobody_sleeps_over_a_chain_that_is_not_followed(followed):
    feed, add = followed
    woken, start = [], feed.last.cursor
    assert feed.sleep("me", rest(start), lambda: woken.append("me"))
    waiting = feed.change(feed.height)
    feed.fail(DOWN)
    assert (woken, waiting.exception(), feed.height) == (["me"], DOWN, 0)
    assert not feed.sleep("me", rest(start), pytest.fail)
    add()
    assert feed.sleep("me", rest(start), lambda: None)


def test_the_next_height_is_told_to_all_who_wait(followed):
    feed, _ = followed
    known = feed.height
    assert feed.change(known - 1).result(0) == known
    waiting, cancelled = feed.change(known), feed.change(known)
    assert (waiting.done(), feed.is_awaited) == (False, True)
    cancelled.cancel()
    feed.reach(known)
    assert (waiting.result(0), feed.is_awaited) == (known, False)
    feed.change(known).cancel()
    assert not feed.is_awaited
