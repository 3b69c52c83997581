"""Benchmark: a relayer's cold start with 10,000 stuck packets and a million blocks.

Measured with and without state queries. Counts calls at 50 ms each; CPU time is this machine's. The baseline
reads every block once.

python -m benchmarks.bench_cold_start
"""

import time
from hashlib import sha256
from typing import NamedTuple

from pyibc.core import paths
from pyibc.core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from pyibc.core.errors import UnknownRequest
from pyibc.core.height import ZERO_HEIGHT
from pyibc.core.host.block import CommittedBlock, Event, TxOutcome
from pyibc.core.packet.types import Packet, packet_commitment
from pyibc.core.paths import STORE_NAME
from pyibc.core.wire import states
from pyibc.proto.ibc.core.channel.v1 import query_pb2
from pyibc.relayer.blocks.reader import BlockReader
from pyibc.relayer.chain.endpoint import NO_EXTRAS
from pyibc.relayer.chain.values import LightBlock, Proven, Tip
from pyibc.relayer.errors import RelayerError
from pyibc.relayer.links.options import DEFAULT_OPTIONS
from pyibc.relayer.links.reconciler import Intervals, Reconciler
from pyibc.relayer.metrics import Metrics
from pyibc.relayer.packets.backlog import Backlog
from pyibc.relayer.paths.path import SIDES, Path, PathEnd, other

STUCK, BLOCKS = 10_000, 1_000_000
CALL_S = 0.05
NOW_NS = 10**18
PATH = Path(
    PathEnd("old-1", "07-tendermint-0", "connection-0", "transfer", "channel-0"),
    PathEnd("new-2", "07-tendermint-3", "connection-5", "transfer", "channel-8"),
    Order.UNORDERED,
    "ics20-1",
)


def stuck(sequence: int) -> Packet:
    """Return a packet that is never delivered."""
    a, b = PATH.end(0), PATH.end(1)
    ends = a.port_id, a.channel_id, b.port_id, b.channel_id
    return Packet(sequence, *ends, b"{}", ZERO_HEIGHT, 2 * NOW_NS)


COMMITMENTS = {sequence: packet_commitment(stuck(sequence)) for sequence in range(1, STUCK + 2)}


class OldChain:
    """A chain of a million blocks, with the calls of a cold start.

    The last block but one has a fresh packet.
    """

    signer = "relayer"

    def __init__(self, side: int, *, serves: bool) -> None:
        self.side = side
        self.chain_id = PATH.end(SIDES[side]).chain_id
        self.serves = serves
        self.calls = 0

    extras = NO_EXTRAS

    def tip(self) -> Tip:
        """Return the last block, the millionth."""
        self.calls += 1
        return Tip(BLOCKS, NOW_NS)

    def block(self, height: int) -> CommittedBlock:
        """Return a block, empty except for the fresh packet; two calls over RPC: block and results."""
        self.calls += 2
        fresh = self.side == 0 and height == BLOCKS - 1
        txs = (TxOutcome(b"tx", 0, "", (_sent(stuck(STUCK + 1)),), 0, 0),) if fresh else ()
        own, parent = _hash(self.side, height), _hash(self.side, height - 1) if height > 1 else b""
        return CommittedBlock(self.chain_id, height, NOW_NS - BLOCKS + height, b"", txs, (), own, parent)

    def get(self, key: bytes, _store: str = STORE_NAME) -> bytes | None:
        """Return the channel end, which is open."""
        self.calls += 1
        near, far = PATH.end(SIDES[self.side]), PATH.end(other(SIDES[self.side]))
        if key != paths.channel_path(near.port_id, near.channel_id):
            return None
        counterparty = ChannelCounterparty(far.port_id, far.channel_id)
        end = ChannelEnd(ChannelState.OPEN, PATH.order, counterparty, (near.connection_id,), PATH.version)
        return states.encode_channel_end(end)

    def grpc(self, path: str, request: bytes) -> bytes:
        """Run a packet query: all packets are committed on one side, and not received on the other."""
        self.calls += 1
        name = path.rpartition("/")[2]
        if not self.serves or name not in _ANSWERS:
            raise UnknownRequest(path)
        return _ANSWERS[name](self, request)

    def _commitments(self, request: bytes) -> bytes:
        asked = query_pb2.QueryPacketCommitmentsRequest.FromString(request)
        answer = query_pb2.QueryPacketCommitmentsResponse()
        answer.height.revision_height = BLOCKS
        first = int(asked.pagination.key or b"1")
        for sequence in range(first, min(first + 1_000, len(COMMITMENTS) + 1)) if self.side == 0 else ():
            answer.commitments.add(sequence=sequence, data=COMMITMENTS[sequence])
        if self.side == 0 and first + 1_000 <= len(COMMITMENTS):
            answer.pagination.next_key = b"%d" % (first + 1_000)
        return answer.SerializeToString()

    def _unreceived(self, request: bytes) -> bytes:
        asked = query_pb2.QueryUnreceivedPacketsRequest.FromString(request)
        answer = query_pb2.QueryUnreceivedPacketsResponse(sequences=asked.packet_commitment_sequences)
        answer.height.revision_height = BLOCKS
        return answer.SerializeToString()

    # -- not called during a cold start

    def light_block(self, height: int) -> LightBlock:
        """Raise: not called."""
        raise NotImplementedError(height)

    def prove(self, key: bytes, height: int, store: str = STORE_NAME) -> Proven:
        """Raise: not called."""
        raise NotImplementedError(key, height, store)

    def submit(self, messages: object) -> TxOutcome:
        """Raise: not called."""
        raise NotImplementedError(messages)

    def wait(self, height: int) -> None:
        """Raise: not called."""
        raise NotImplementedError(height)


_ANSWERS = {"PacketCommitments": OldChain._commitments, "UnreceivedPackets": OldChain._unreceived}


def _hash(side: int, height: int) -> bytes:
    return sha256(b"%d/%d" % (side, height)).digest()


def _sent(packet: Packet) -> Event:
    return "send_packet", (
        ("packet_data_hex", packet.data.hex()),
        ("packet_timeout_height", str(packet.timeout_height_on_b)),
        ("packet_timeout_timestamp", str(packet.timeout_ns_on_b)),
        ("packet_sequence", str(packet.sequence)),
        ("packet_src_port", packet.port_id_on_a),
        ("packet_src_channel", packet.channel_id_on_a),
        ("packet_dst_port", packet.port_id_on_b),
        ("packet_dst_channel", packet.channel_id_on_b),
    )


class Row(NamedTuple):
    """Figures of one start."""

    name: str
    cpu_s: float
    calls: int

    @property
    def seconds(self) -> float:
        """Seconds until the fresh packet can be delivered."""
        return self.cpu_s + self.calls * CALL_S


def cold_start(*, serves: bool) -> Row:
    """Start like `Link`, until the fresh packet is known and the state was compared."""
    chains = OldChain(0, serves=serves), OldChain(1, serves=serves)
    began = time.process_time()
    backlog, metrics = Backlog([PATH]), Metrics()
    truth = Reconciler(
        backlog, chains, metrics, Intervals(DEFAULT_OPTIONS.reconcile_every, DEFAULT_OPTIONS.search_blocks)
    )
    reader = BlockReader(backlog, chains, None, metrics)
    if reader.open(None) and not truth.begin(reader.cursors):
        reader.start_over(DEFAULT_OPTIONS.history)
    reader.read()
    while truth.is_due():
        try:
            if truth.check():
                truth.search(reader.cursors)
        except RelayerError:
            continue
    if len(backlog.channels[0].sent_from(0).packets) != 1:
        raise ValueError("the fresh packet is not known")
    name = "state queries served" if serves else "state queries refused"
    return Row(name, time.process_time() - began, sum(chain.calls for chain in chains))


def rows() -> list[Row]:
    """Measure both starts, and reading every block of both chains once."""
    return [cold_start(serves=True), cold_start(serves=False), Row("every block read", 0.0, 4 * BLOCKS)]


def show(found: list[Row]) -> None:
    """Print a table."""
    print(f"{STUCK} stuck packets, {BLOCKS} blocks on each of two chains, {CALL_S * 1000:g} ms a call")
    for row in found:
        print(f"{row.name:30}{row.seconds:>12.1f} s {row.calls:>10} calls {row.cpu_s:>8.2f} s of CPU")


if __name__ == "__main__":
    show(rows())
