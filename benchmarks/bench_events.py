"""Events on their way to CometBFT: joined from bytes, beside protobuf's own fields.

python -m benchmarks.bench_events

The events of received packets, as a host's tuples, become the field `events` of their transactions' results:
CPU microseconds a packet. The packets are other ones in each round, as they are on a chain: ports, channels
and modules repeat themselves, all else does not. The baseline fills protobuf's messages one by one.
"""

from collections.abc import Iterator, Sequence
from itertools import count

from abci_server import event_bytes
from benchmarks.packets_world import PER_BLOCK, World
from benchmarks.timing import Row, Work, beside, show
from ibc_core.host.block import TxOutcome
from ibc_core.host.events import Event
from ibc_core.wire.abci import pack_event
from ibc_proto.tendermint.abci import types_pb2 as pb


def received() -> tuple[TxOutcome, ...]:
    """The results of a block of received packets."""
    world = World(keys=1_000, balances=2 * PER_BLOCK)
    world.a.make_block(world.txs(world.a, world.users, world.transfers(PER_BLOCK)))
    world.b.make_block(world.txs(world.b, world.relayers, world.recvs(world.sent_in_last_block())))
    return world.b.block(world.b.height).txs


def renumbered(outcomes: Sequence[TxOutcome]) -> Iterator[list[tuple[Event, ...]]]:
    """The transactions' events again and again, with other sequences, receivers and data each time."""
    own = {"packet_sequence", "packet_data_hex", "receiver", "recipient", "packet_ack_hex"}
    for turn in count():
        yield [
            tuple(
                [
                    (kind, tuple([(k, f"{v}{turn}" if k in own else v) for k, v in pairs]))
                    for kind, pairs in of
                ]
            )
            for of in (outcome.events for outcome in outcomes)
        ]


def rows() -> list[Row]:
    """Ours and protobuf's."""
    blocks = renumbered(received())
    ready = [next(blocks) for _ in range(40)]
    turns = {"joined": iter(ready), "protobuf": iter(ready)}

    def joined() -> bytes:
        block = pb.ResponseFinalizeBlock()
        for events in next(turns["joined"]):
            block.tx_results.add().MergeFromString(event_bytes.encode(events, event_bytes.OF_TX))
        return block.SerializeToString()

    def protobuf() -> bytes:
        block = pb.ResponseFinalizeBlock()
        for events in next(turns["protobuf"]):
            block.tx_results.add(events=map(pack_event, events))
        return block.SerializeToString()

    work = {
        "a received packet's events, joined from bytes": Work(joined, PER_BLOCK),
        "filled into protobuf's messages": Work(protobuf, PER_BLOCK),
    }
    return beside(work, "filled into protobuf's messages", {})


if __name__ == "__main__":
    show(rows())
