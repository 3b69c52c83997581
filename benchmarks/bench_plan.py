"""Benchmark: a relayer's planning over 100,000 pending packets and no news, beside sorting them once.

python -m benchmarks.bench_plan
"""

from typing import NamedTuple

from benchmarks.timing import Work, measure
from pyibc.core.channel.types import Order
from pyibc.core.height import ZERO_HEIGHT, Height
from pyibc.core.packet.types import Packet
from pyibc.relayer.packets.backlog import Backlog
from pyibc.relayer.packets.pending_packets import PendingPacket, Stage
from pyibc.relayer.packets.plan import Head, plan
from pyibc.relayer.packets.task import TaskKey, TaskKind, TaskSet
from pyibc.relayer.paths.path import SIDES, Path, PathEnd

PACKETS = 100_000
NOW = 10**18
HEADS = Head(Height(1, 500), NOW), Head(Height(2, 900), NOW)
LIMIT = 1_000
SORT = "sort of all packets"


class Row(NamedTuple):
    """One figure."""

    name: str
    us: float  # CPU microseconds
    ratio: float  # relative to one sort of all packets


def backlog(stage: Stage) -> Backlog:
    """Return packets of one direction, all at the same stage, with timeouts far in the future."""
    a = PathEnd("a-1", "07-tendermint-0", "connection-0", "transfer", "channel-0")
    b = PathEnd("b-2", "07-tendermint-3", "connection-5", "transfer", "channel-8")
    made = Backlog([Path(a, b, Order.UNORDERED, "ics20-1")])
    for sequence in range(1, PACKETS + 1):
        until = ZERO_HEIGHT, 2 * NOW + sequence
        packet = Packet(sequence, a.port_id, a.channel_id, b.port_id, b.channel_id, b"{}", *until)
        made.channels[0].sent_from(0).put(sequence, PendingPacket(packet, stage, 400))
    return made


def planned(of: Backlog, held: TaskSet) -> int:
    """The messages of a round, for both chains."""
    return sum(len(plan(of, HEADS, side, held, LIMIT)) for side in SIDES)


def rows() -> list[Row]:
    """Measure the rounds."""
    waiting, sent = backlog(Stage.RECEIVED), backlog(Stage.SENT)
    pending = list(sent.channels[0].sent_from(0).packets.items())
    none, all_held = TaskSet(), TaskSet(TaskKey(TaskKind.RECV, 0, 1, sequence) for sequence, _ in pending)
    work = {
        "round while acknowledgements are awaited": Work(lambda: planned(waiting, none), 1),
        "round in which all of them wait or are given up": Work(lambda: planned(sent, all_held), 1),
        f"round that submits {LIMIT} of them": Work(lambda: planned(sent, none), 1),
        SORT: Work(lambda: sorted(pending), 1),
    }
    found = measure(work)
    return [Row(name, us, us / found[SORT]) for name, us in found.items()]


def show(rows: list[Row]) -> None:
    """Print the rows."""
    for row in rows:
        print(f"{row.name:50} {row.us:12,.1f} us {row.ratio:10.5f} of a sort")


if __name__ == "__main__":
    show(rows())
