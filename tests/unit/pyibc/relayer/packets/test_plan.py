"""Plan: tasks for two heads and a backlog, as tables."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyibc.core.channel.types import Order
from pyibc.core.height import Height
from pyibc.core.host.block import CommittedBlock, TxOutcome
from pyibc.core.numbers import MAX_U64
from pyibc.core.packet.types import Packet
from pyibc.relayer.links.batch import BatchLimits, pack
from pyibc.relayer.packets.backlog import Backlog
from pyibc.relayer.packets.pending_packets import Stage
from pyibc.relayer.packets.plan import Head, plan
from pyibc.relayer.packets.task import TaskKey, TaskKind, TaskSet
from pyibc.relayer.paths.path import Path, PathEnd
from tests.sampling import rounds

NOW = 10**18
A_HEAD = Head(Height(1, 50), NOW)
B_HEAD = Head(Height(2, 90), NOW)


def path(number: int = 0, order: Order = Order.UNORDERED) -> Path:
    a = PathEnd("alpha-1", "07-tendermint-0", "connection-0", "port", f"channel-{number}")
    b = PathEnd("beta-2", "07-tendermint-3", "connection-5", "port", f"channel-{number + 100}")
    return Path(a, b, order, "v1")


def event(kind: str, sequence: int, channel: int = 0, height: str = "0-0", stamp: int = 2 * NOW, **more):
    pairs = {
        "packet_data_hex": "7b7d",
        "packet_timeout_height": height,
        "packet_timeout_timestamp": str(stamp),
        "packet_sequence": str(sequence),
        "packet_src_port": "port",
        "packet_src_channel": f"channel-{channel}",
        "packet_dst_port": "port",
        "packet_dst_channel": f"channel-{channel + 100}",
        **more,
    }
    return kind, tuple(pairs.items())


def answered(sequence: int, channel: int = 0):
    return event("write_acknowledgement", sequence, channel, packet_ack_hex="01")


def closing(channel: str):
    return "channel_close_init", (("port_id", "port"), ("channel_id", channel))


def block(height: int, *events, code: int = 0) -> CommittedBlock:
    return CommittedBlock("any", height, NOW, b"", (TxOutcome(b"", code, "", events, 0, 0),), ())


def backlog(*seen, order: Order = Order.UNORDERED, channels: int = 1) -> Backlog:
    """Read `seen`: (side, height, events...), in this order."""
    made = Backlog([path(number, order) for number in range(channels)])
    for side, height, *events in seen:
        made.observe(side, block(height, *events))
    return made


def planned(made: Backlog, target: int, held=(), limit: int = 100, heads=(A_HEAD, B_HEAD)):
    tasks = plan(made, heads, target, TaskSet(held), limit)
    return [(task.key.kind.value, task.key.sequence) for task in tasks]


SENT = (0, 49, event("send_packet", 1))
LATEST = (0, 50, event("send_packet", 1))
DUE = (0, 49, event("send_packet", 1, stamp=NOW))
RECEIVED = (1, 80, event("recv_packet", 1))
ANSWERED = (1, 80, event("recv_packet", 1), answered(1))
ACKED = (0, 50, event("acknowledge_packet", 1))
CLOSED_B = (1, 80, closing("channel-100"))
CLOSED_A = (0, 49, closing("channel-0"))


@pytest.mark.parametrize(
    ("seen", "for_a", "for_b"),
    [
        ([], [], []),
        ([SENT], [], [("recv", 1)]),
        ([LATEST], [], []),  # the next header proves it
        ([SENT, RECEIVED], [], []),  # the application has not answered
        ([RECEIVED, SENT], [], []),
        ([SENT, ANSWERED], [("acknowledge", 1)], []),
        ([ANSWERED, SENT], [("acknowledge", 1)], []),
        ([SENT, (1, 90, answered(1))], [], []),
        ([SENT, ANSWERED, ACKED], [], []),
        ([SENT, ACKED, ANSWERED], [], []),  # a was read ahead of b
        ([SENT, ACKED, RECEIVED], [], []),
        ([DUE], [("timeout", 1)], []),
        ([DUE, (0, 50, event("timeout_packet", 1))], [], []),
        ([DUE, RECEIVED], [], []),
        ([(0, 49, event("send_packet", 1, height="2-90"))], [("timeout", 1)], []),
        ([(0, 49, event("send_packet", 1, height="2-91"))], [], []),  # too late for b's next block
        ([(0, 49, event("send_packet", 1, height="2-92"))], [], [("recv", 1)]),
        ([(0, 49, event("send_packet", 1, height="1-9999"))], [("timeout", 1)], []),
        ([(0, 49, event("send_packet", 1, stamp=NOW + 1))], [], [("recv", 1)]),
        ([SENT, CLOSED_B], [("timeout_on_close", 1)], []),
        ([SENT, (1, 90, closing("channel-100"))], [], []),  # to be proven with the next header
        ([CLOSED_B], [("close_confirm", 0)], []),
        ([CLOSED_B, CLOSED_A], [], []),
        ([CLOSED_A], [], [("close_confirm", 0)]),
        ([SENT, CLOSED_A], [], [("recv", 1)]),  # first what can still be delivered
        ([SENT, ANSWERED, CLOSED_A], [], [("close_confirm", 0)]),  # a takes no acknowledgement any more
        ([SENT, ANSWERED, CLOSED_B], [("acknowledge", 1)], []),
        ([(0, 49, event("send_packet", 1, channel=7))], [], []),
        ([(0, 49, event("send_packet", 1, packet_dst_channel="channel-7"))], [], []),
    ],
)
def test_table(seen, for_a, for_b) -> None:
    made = backlog(*seen)
    assert planned(made, 0) == for_a
    assert planned(made, 1) == for_b


def test_failed_transactions_say_nothing() -> None:
    made = Backlog([path()])
    made.observe(0, block(49, event("send_packet", 1), code=5))
    assert made.pending == 0


def test_unreadable_events_are_counted_and_passed_over() -> None:
    made = backlog((0, 49, event("send_packet", 1, height="x"), event("send_packet", 2)))
    assert (made.unreadable, planned(made, 1)) == (1, [("recv", 2)])


@pytest.mark.parametrize(
    ("next_recv", "sent", "due", "expected"),
    [
        (1, [1, 2, 3], [], [1, 2, 3]),
        (2, [2, 3], [], [2, 3]),
        (1, [2, 3], [], []),  # 1 has not been read yet
        (1, [1, 3], [], [1]),
        (1, [1, 2, 3], [2], [1]),
        (1, [1, 2, 3], [1], []),
    ],
)
def test_ordered_deliveries(next_recv, sent, due, expected) -> None:
    events = [event("send_packet", s, stamp=NOW if s in due else 2 * NOW) for s in sent]
    made = backlog((0, 49, *events), order=Order.ORDERED)
    made.channels[0].sent_from(0).next_sequence_recv = next_recv
    assert planned(made, 1) == [("recv", s) for s in expected]
    assert planned(made, 0) == [("timeout", s) for s in due]


def test_ordered_acknowledgements_keep_order() -> None:
    both = [event("recv_packet", 1), event("recv_packet", 2), answered(2)]
    made = backlog((1, 80, *both), order=Order.ORDERED)
    assert planned(made, 0) == []
    made.observe(1, block(81, answered(1)))
    assert planned(made, 0) == [("acknowledge", 1), ("acknowledge", 2)]


def test_held_acknowledgements_stop_an_ordered_channel_and_no_other() -> None:
    held = {TaskKey(TaskKind.ACKNOWLEDGE, 0, 0, 2)}
    events = [each for s in (1, 2, 3) for each in (event("recv_packet", s), answered(s))]
    every = backlog((1, 80, *events))
    assert planned(every, 0, held) == [("acknowledge", 1), ("acknowledge", 3)]
    assert planned(backlog((1, 80, *events), order=Order.ORDERED), 0, held) == [("acknowledge", 1)]


def test_held_work_stops_an_ordered_channel_and_no_other() -> None:
    held = {TaskKey(TaskKind.RECV, 0, 1, 2)}
    sent = [event("send_packet", s) for s in (1, 2, 3)]
    assert planned(backlog((0, 49, *sent)), 1, held) == [("recv", 1), ("recv", 3)]
    assert planned(backlog((0, 49, *sent), order=Order.ORDERED), 1, held) == [("recv", 1)]


def test_channels_take_turns() -> None:
    events = [event("send_packet", s) for s in range(1, 9)]
    events += [event("send_packet", s, channel=1) for s in (1, 2)]
    made = backlog((0, 49, *events), channels=2)
    tasks = plan(made, (A_HEAD, B_HEAD), 1, TaskSet(), 5)
    assert [(task.key.channel, task.key.sequence) for task in tasks] == [
        (0, 1),
        (1, 1),
        (0, 2),
        (1, 2),
        (0, 3),
    ]


numbers = st.integers(0, MAX_U64)


@settings(deadline=None, max_examples=rounds(20, 80))
@given(numbers, numbers, numbers, numbers)
def test_h52_every_timeout_is_planned_for(revision, height, stamp, now) -> None:
    """hermes#1442: times and heights are unsigned 64-bit numbers, and all of them compare."""
    made = backlog((0, 49, event("send_packet", 1, height=f"{revision}-{height}", stamp=stamp)))
    head = Head(Height(2, 90), now)
    for_a, for_b = planned(made, 0, heads=(A_HEAD, head)), planned(made, 1, heads=(A_HEAD, head))
    past_height = (0, 0) < (revision, height) <= (2, 90)
    past_time = 0 < stamp <= now
    assert for_a == ([("timeout", 1)] if past_height or past_time else [])
    assert for_b == ([] if past_height or past_time or (revision, height) == (2, 91) else [("recv", 1)])


@settings(deadline=None, max_examples=rounds(15, 60))
@given(st.data())
def test_interleaving_of_the_chains_does_not_matter(data) -> None:
    """Any interleaving that keeps each chain's own order gives the same plan."""
    on_a = [(0, 10 + s, event("send_packet", s)) for s in (1, 2, 3)]
    on_a += [(0, 20, event("acknowledge_packet", 1)), (0, 21, event("timeout_packet", 3))]
    on_b = [
        (1, 30, event("recv_packet", 1)),
        (1, 31, answered(1)),
        (1, 32, event("recv_packet", 2), answered(2)),
    ]
    reference = backlog(*on_a, *on_b)
    left, right, merged = list(on_a), list(on_b), []
    while left or right:
        source = left if left and (not right or data.draw(st.booleans())) else right
        merged.append(source.pop(0))
    made = backlog(*merged)
    assert made.channels[0].sent_from(0).packets == reference.channels[0].sent_from(0).packets
    assert planned(made, 0) == [("acknowledge", 2)]
    assert made.channels[0].sent_from(0).packets[2].stage == Stage.ACKNOWLEDGED


class Item:
    def __init__(self, size: int) -> None:
        self.size = size


@settings(deadline=None)
@given(st.lists(st.integers(0, 30), max_size=40), st.integers(1, 6), st.integers(1, 50))
def test_batches(sizes, messages, size) -> None:
    items = [Item(each) for each in sizes]
    batches = list(pack(items, BatchLimits(messages, size)))
    assert [item for batch in batches for item in batch] == items
    for batch in batches:
        assert 1 <= len(batch) <= messages
        assert len(batch) == 1 or sum(item.size for item in batch) <= size
    for one, following in pairwise(batches):  # none could have taken one more
        assert len(one) == messages or sum(i.size for i in one) + following[0].size > size


def test_packet_of_the_plan_is_the_one_of_the_event() -> None:
    made = backlog(SENT)
    task = plan(made, (A_HEAD, B_HEAD), 1, TaskSet(), 9)[0]
    expected = Packet(1, "port", "channel-0", "port", "channel-100", b"{}", Height(0, 0), 2 * NOW)
    assert (task.packet, task.target_end, task.prover_end) == (expected, path().b, path().a)
