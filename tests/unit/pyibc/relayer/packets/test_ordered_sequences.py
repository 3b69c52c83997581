"""Sequences stay in order as packets come and go, without a sort of all of them."""

from hypothesis import given
from hypothesis import strategies as st

from pyibc.core.channel.types import Order
from pyibc.core.height import ZERO_HEIGHT, Height
from pyibc.core.packet.types import Packet
from pyibc.core.packet_v2.types import PacketV2
from pyibc.relayer.packets.backlog import Backlog
from pyibc.relayer.packets.packets import elapsed
from pyibc.relayer.packets.pending_packets import Deadlines, OrderedSequences, PendingPacket, Stage
from pyibc.relayer.packets.plan import Head, plan
from pyibc.relayer.packets.task import TaskKey, TaskKind, TaskSet
from pyibc.relayer.paths.path import Path, PathEnd


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 30))))
def test_sequences_are_ascending(steps):
    ours, theirs = OrderedSequences(), set()
    for adds, sequence in steps:
        (ours.add if adds else ours.discard)(sequence)
        (theirs.add if adds else theirs.discard)(sequence)
    assert (list(ours), len(ours)) == (sorted(theirs), len(theirs))


heights = st.tuples(st.integers(0, 2), st.integers(0, 9)).map(lambda each: Height(*each))
packets = st.builds(
    lambda sequence, height, time_ns, seconds, v2: (
        PacketV2(sequence, "a", "b", seconds, ())
        if v2
        else Packet(sequence, "p", "c", "p", "d", b"", height, time_ns)
    ),
    st.integers(1, 40), heights, st.integers(0, 5 * 10**9), st.integers(1, 5), st.booleans(),
)  # fmt: skip


@given(
    st.lists(packets, unique_by=lambda each: each.sequence),
    st.sets(st.integers(1, 40)),
    heights,
    st.integers(0, 6 * 10**9),
)
def test_deadlines_that_have_passed(made, gone, height, time_ns):
    deadlines = Deadlines()
    for each in made:
        deadlines.add(each)
    for each in made:
        if each.sequence in gone:
            deadlines.discard(each)
    left = [each for each in made if each.sequence not in gone]
    expected = sorted(each.sequence for each in left if elapsed(each, height, time_ns))
    assert deadlines.passed(height, time_ns) == expected


class Counting(dict):
    looked_at = 0

    def __getitem__(self, key):
        self.looked_at += 1
        return super().__getitem__(key)


def test_packets_that_wait_are_not_looked_at_by_each_plan():
    a = PathEnd("a-1", "07-tendermint-0", "connection-0", "port", "channel-0")
    b = PathEnd("b-2", "07-tendermint-3", "connection-5", "port", "channel-8")
    made = Backlog([Path(a, b, Order.UNORDERED, "v1")])
    sent = made.channels[0].sent_from(0)
    for sequence in range(1, 1001):
        packet = Packet(sequence, "port", "channel-0", "port", "channel-8", b"", ZERO_HEIGHT, 10**18)
        stage = Stage.RECEIVED if sequence % 2 else Stage.SENT
        sent.put(sequence, PendingPacket(packet, stage, 1))
    sent.packets = Counting(sent.packets)
    heads = Head(Height(1, 50), 10**9), Head(Height(2, 90), 10**9)
    given_up = TaskSet(TaskKey(TaskKind.RECV, 0, 1, sequence) for sequence in range(2, 1001, 2))
    assert [plan(made, heads, side, given_up, 10) for side in (0, 1)] == [[], []]
    assert sent.packets.looked_at == 0
    given_up.discard(TaskKey(TaskKind.RECV, 0, 1, 500))
    assert [task.key.sequence for task in plan(made, heads, 1, given_up, 10)] == [500]
