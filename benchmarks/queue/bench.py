"""Benchmark: queue packets beside channel packets: the same coins, chains, and depth of proofs.

python -m benchmarks.queue.bench

Messages only, without signatures, blocks and trees: decoded, checked, proven, executed, with gas, events and
bank, on chains with 100,000 keys in either store. "alone": with cold proof caches. "under one header": 100
packets, of which the first has cold caches. Medians of CPU, two runs in turns.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from benchmarks.queue.world import Proven, QueuesWorld
from benchmarks.timing import Work, beside
from localnet.chain import LocalChain
from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.codec.anys import AnyMessage
from pyibc.core.proofs import fast
from pyibc.queues.messages import MsgQueueSend

PACKETS = 100


class Row(NamedTuple):
    """Delivery of a packet or a receipt, by one kind of message."""

    name: str
    us: float  # CPU microseconds
    ratio: float  # relative to a channel's, delivered the same way
    size: float  # bytes of messages


class Batch(NamedTuple):
    """Messages that deliver `PACKETS` packets or receipts."""

    chain: LocalChain
    messages: Sequence[AnyMessage]

    @property
    def size(self) -> float:
        """Return the bytes per packet."""
        return sum(len(message.value) for message in self.messages) / PACKETS

    def work(self, *, alone: bool) -> Work:
        """Deliver all; with `alone`, each with cold proof caches."""
        return Work(self._deliver(alone=alone), PACKETS)

    def _deliver(self, *, alone: bool) -> Callable[[], None]:
        app, routes = self.chain.app, self.chain.app.pipeline.messages()

        def run() -> None:
            ctx = app.query_context()
            forget()
            for each in self.messages:
                if alone:
                    forget()
                route = routes[each.type_url]
                route.deliver(ctx, route.decode(each.value))
                ctx.take_events()

        return run


def forget() -> None:
    """Empty the proof memo, as at the start of the process."""
    fast._SHARED.__init__()  # type: ignore[misc]


def queue_ways(
    proven: Proven, messages: Callable[[Proven, int], list[AnyMessage]]
) -> dict[str, list[AnyMessage]]:
    """Return one message per packet, and one for all."""
    return {"queue": messages(proven, 1), "queue, one message": messages(proven, PACKETS)}


def make(chain: LocalChain, world: QueuesWorld, messages: Sequence[AnyMessage]) -> None:
    """Make a block of messages, all of which succeed; the first account of either kind signs."""
    wallets = (
        world.users
        if messages[0].type_url in {MsgTransfer.TYPE_URL, MsgQueueSend.TYPE_URL}
        else world.relayers
    )
    chain.make_block(world.txs(chain, wallets, messages))
    failed = [outcome.log for outcome in chain.block(chain.height).txs if outcome.code]
    if failed:
        raise RuntimeError(failed[0])


def rows() -> list[Row]:
    """Measure packets and then their receipts, in every way, alone and under one header."""
    world = QueuesWorld()
    make(world.a, world, world.transfers(PACKETS))
    recvs = world.recvs(world.sent_in_last_block())
    make(world.a, world, world.packets(PACKETS))
    arrived = world.arrivals()
    ways = {"channel": recvs, **queue_ways(arrived, world.receives)}
    found = _both("packet received", world.b, ways)
    make(world.b, world, recvs)
    acks = world.acks(world.answered_in_last_block())
    make(world.b, world, world.receives(arrived, PACKETS))
    return found + _both(
        "answer handled", world.a, {"channel": acks, **queue_ways(world.answers(), world.receipts)}
    )


def _both(name: str, chain: LocalChain, ways: dict[str, list[AnyMessage]]) -> list[Row]:
    made = {way: Batch(chain, messages) for way, messages in ways.items()}
    return [
        *_rows(f"{name}, alone", made, alone=True),
        *_rows(f"{name}, under one header", made, alone=False),
    ]


def _rows(name: str, ways: dict[str, Batch], *, alone: bool) -> list[Row]:
    chosen = {way: batch for way, batch in ways.items() if len(batch.messages) == PACKETS or not alone}
    timed = beside({way: batch.work(alone=alone) for way, batch in chosen.items()}, "channel", {})
    return [Row(f"{name}: {row.name}", row.us, row.ratio, chosen[row.name].size) for row in timed]


def show(found: list[Row]) -> None:
    """Print a table."""
    print(f"{'operation':58}{'us':>8}{'a second':>10}{'ratio':>8}{'bytes':>8}")
    for row in found:
        print(f"{row.name:58}{row.us:>8.1f}{1e6 / row.us:>10.0f}{row.ratio:>8.2f}{row.size:>8.0f}")
    print("ratio: against a channel's of the same run; bytes: of messages, a packet")


if __name__ == "__main__":
    show(rows())
