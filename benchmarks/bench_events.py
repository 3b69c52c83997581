"""Benchmark: encoding of ABCI events by concatenation, beside protobuf's messages.

python -m benchmarks.bench_events

The events of received packets, a host's tuples, become the field `events` of transaction results: CPU
microseconds per packet. Packets differ in each round, as on a chain: ports, channels and modules repeat, all
else does not. The baseline fills protobuf messages one by one.
"""

from collections.abc import Iterator, Sequence
from itertools import count

from abci_server.messages import encode
from benchmarks.packets_world import PER_BLOCK, World
from benchmarks.timing import Row, Work, beside, show
from pyibc.chain.abci_responses import pack_event
from pyibc.core.host.block import Event, TxOutcome
from pyibc.proto.tendermint.abci import types_pb2 as pb


def received() -> tuple[TxOutcome, ...]:
    """Return the results of a block of received packets."""
    world = World(keys=1_000, balances=2 * PER_BLOCK)
    world.a.make_block(world.txs(world.a, world.users, world.transfers(PER_BLOCK)))
    world.b.make_block(world.txs(world.b, world.relayers, world.recvs(world.sent_in_last_block())))
    return world.b.block(world.b.height).txs


def renumbered(outcomes: Sequence[TxOutcome]) -> Iterator[list[tuple[Event, ...]]]:
    """Yield the transactions' events with new sequences, receivers and data each time."""
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
    """Measure ours and protobuf's."""
    blocks = renumbered(received())
    ready = [next(blocks) for _ in range(40)]
    turns = {"joined": iter(ready), "protobuf": iter(ready)}

    def joined() -> bytes:
        block = pb.ResponseFinalizeBlock()
        for events in next(turns["joined"]):
            block.tx_results.add().MergeFromString(encode.encode(events, encode.OF_TX))
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
