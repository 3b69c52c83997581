"""Benchmark: a backlog of 100,000 packets at 50 ms per call: first delivery, total time, CPU and memory.

Time is virtual, counted in calls and blocks; CPU and memory are this machine's. The chains answer truthfully
and verify nothing. The baseline makes one call at a time for each packet's two proofs.

python -m benchmarks.bench_backlog
"""

import resource
import time
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import NamedTuple

from pyibc.codec.anys import AnyMessage, encode_any
from pyibc.core import paths
from pyibc.core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from pyibc.core.connection.types import (
    DEFAULT_VERSION,
    ConnectionCounterparty,
    ConnectionEnd,
    ConnectionState,
)
from pyibc.core.errors import UnknownRequest
from pyibc.core.height import ZERO_HEIGHT
from pyibc.core.host.block import CommittedBlock, Event, TxOutcome
from pyibc.core.packet.types import Packet, acknowledgement_commitment, packet_commitment
from pyibc.core.paths import STORE_NAME
from pyibc.core.wire import states
from pyibc.proto.ibc.core.channel.v1 import query_pb2, tx_pb2
from pyibc.proto.ibc.core.client.v1 import tx_pb2 as client_pb2
from pyibc.relayer.chain.endpoint import ChainEndpoint, EndpointExtras
from pyibc.relayer.chain.values import LightBlock, Proven, Tip, height_on
from pyibc.relayer.clients.driver import (
    ClientView,
    Difference,
    DriverExtras,
    Drivers,
    InitialStates,
    SubmittedHeader,
)
from pyibc.relayer.errors import RelayerError
from pyibc.relayer.links.link import Link
from pyibc.relayer.links.options import Options
from pyibc.relayer.paths.path import SIDES, Path, PathEnd, other

PACKETS, IN_BLOCK = 100_000, 100
OLD = PACKETS // IN_BLOCK + 100  # blocks of each chain before the relayer starts
CALL_S, BLOCK_S, AT_ONCE = 0.05, 1.0, 8
NOW_NS = 10**18
ANSWER = b'{"result":"AQ=="}'
DATA = b'{"amount":"1","denom":"uatom","memo":"","receiver":"%s","sender":"%s"}' % (b"r" * 43, b"s" * 43)
PATH = Path(
    PathEnd("from-1", "07-tendermint-0", "connection-0", "transfer", "channel-0"),
    PathEnd("to-2", "07-tendermint-3", "connection-5", "transfer", "channel-8"),
    Order.UNORDERED,
    "ics20-1",
)


def packet(sequence: int) -> Packet:
    """Return a packet of the backlog."""
    a, b = PATH.end(0), PATH.end(1)
    ends = a.port_id, a.channel_id, b.port_id, b.channel_id
    return Packet(sequence, *ends, DATA, ZERO_HEIGHT, 2 * NOW_NS)


class World:
    """State of the packets on both chains, and the time."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.first_s = 0.0
        self.received = set[int]()
        self.open = dict.fromkeys(range(1, PACKETS + 1))  # not acknowledged


class BacklogChain:
    """A chain (`pyibc.relayer.chain.endpoint.ChainEndpoint`)."""

    signer = "relayer"

    @property
    def extras(self) -> EndpointExtras:
        """Many proofs at once."""
        return EndpointExtras(prove_many=self.prove_many)

    def __init__(self, side: int, world: World) -> None:
        self.side, self.world = side, world
        self.near, self.far = PATH.end(SIDES[side]), PATH.end(other(SIDES[side]))
        self.chain_id = self.near.chain_id
        self.height, self.client = OLD, OLD
        self.calls = 0
        self._blocks: dict[int, list[tuple[str, int]]] = {}  # events by block: kind and sequence

    def tip(self) -> Tip:
        """Return the last block."""
        self._took(1)
        return Tip(self.height, NOW_NS + self.height)

    def block(self, height: int) -> CommittedBlock:
        """Return a block; two calls over RPC."""
        self._took(2)
        told = self._blocks.get(height, [])
        if self.side == 0 and height <= PACKETS // IN_BLOCK:
            told = [("send_packet", (height - 1) * IN_BLOCK + number) for number in range(1, IN_BLOCK + 1)]
        txs = (TxOutcome(b"tx", 0, "", tuple(_event(*each) for each in told), 0, 0),)
        own, parent = _hash(self.side, height), _hash(self.side, height - 1) if height > 1 else b""
        return CommittedBlock(self.chain_id, height, NOW_NS + height, b"", txs, (), own, parent)

    def get(self, key: bytes, _store: str = STORE_NAME) -> bytes | None:
        """Return client, connection and channel."""
        self._took(1)
        near, far = self.near, self.far
        if key == paths.channel_path(near.port_id, near.channel_id):
            end = ChannelCounterparty(far.port_id, far.channel_id)
            hops = (near.connection_id,)
            return states.encode_channel_end(
                ChannelEnd(ChannelState.OPEN, PATH.order, end, hops, PATH.version)
            )
        if key == paths.connection_path(near.connection_id):
            there = ConnectionCounterparty(far.client_id, far.connection_id, b"ibc")
            here = near.client_id, (DEFAULT_VERSION,), ConnectionState.OPEN
            return states.encode_connection_end(ConnectionEnd(*here, there, 0))
        if key == paths.client_state_path(near.client_id):
            return encode_any(AnyMessage("/fake.Client", b"%s %d" % (far.chain_id.encode(), self.client)))
        return encode_any(AnyMessage("/fake.Header", b"")) if b"consensusStates" in key else None

    def prove(self, key: bytes, height: int, _store: str = STORE_NAME) -> Proven:
        """Prove the commitment of a packet or of an acknowledgement."""
        self._took(1)
        return self._proven(key, height)

    def prove_many(self, keys: Sequence[bytes], height: int) -> list[Proven | RelayerError]:
        """Prove several commitments, `AT_ONCE` at a time."""
        self._took(-(-len(keys) // AT_ONCE))
        return [self._proven(key, height) for key in keys]

    def grpc(self, path: str, request: bytes) -> bytes:
        """Run a packet query."""
        self._took(1)
        name = path.rpartition("/")[2]
        if name not in _ANSWERS:
            raise UnknownRequest(path)
        return _ANSWERS[name](self, request)

    def submit(self, messages: Sequence[AnyMessage]) -> TxOutcome:
        """Execute a transaction in a block of its own: simulated, broadcast, and confirmed."""
        self._took(4)
        told = [each for message in messages for each in self._execute(message)]
        self._make_block(told)
        return TxOutcome(b"tx", 0, "", tuple(_event(*each) for each in told), 0, 0)

    def wait(self, height: int) -> None:
        """Advance to the block."""
        while self.height < height:
            self._make_block([])

    def light_block(self, height: int) -> LightBlock:
        """Raise: clients of `FakeDriver` use a height as header."""
        raise NotImplementedError(height)

    # -- internals

    def _took(self, calls: int) -> None:
        self.calls += calls
        self.world.now_s += calls * CALL_S

    def _make_block(self, told: list[tuple[str, int]]) -> None:
        self.world.now_s += BLOCK_S
        self.height += 1
        if told:
            self._blocks[self.height] = told

    def _proven(self, key: bytes, height: int) -> Proven:
        sequence, proven_at = int(key.rpartition(b"/")[2]), height_on(self.chain_id, height + 1)
        if self.side == 0:
            value = packet_commitment(packet(sequence)) if sequence in self.world.open else None
        else:
            value = acknowledgement_commitment(ANSWER) if sequence in self.world.received else None
        return Proven(value, b"p" * 1_000, proven_at)

    def _execute(self, message: AnyMessage) -> Iterator[tuple[str, int]]:
        world, name = self.world, message.type_url.rpartition(".")[2]
        if name == "MsgUpdateClient":
            header = client_pb2.MsgUpdateClient.FromString(message.value).client_message.value
            self.client = max(self.client, int(header))
        elif name == "MsgRecvPacket":
            sequence = tx_pb2.MsgRecvPacket.FromString(message.value).packet.sequence
            world.first_s = world.first_s or world.now_s
            if sequence not in world.received:
                world.received.add(sequence)
                yield from (("recv_packet", sequence), ("write_acknowledgement", sequence))
        else:
            sequence = tx_pb2.MsgAcknowledgement.FromString(message.value).packet.sequence
            if sequence in world.open:
                del world.open[sequence]
                yield "acknowledge_packet", sequence

    def _commitments(self, request: bytes) -> bytes:
        asked = query_pb2.QueryPacketCommitmentsRequest.FromString(request)
        answer = query_pb2.QueryPacketCommitmentsResponse()
        answer.height.revision_height = self.height
        if self.side == 0:
            first, last = int(asked.pagination.key or b"1"), 0
            for sequence in range(first, PACKETS + 1):
                if sequence in self.world.open:
                    if len(answer.commitments) == asked.pagination.limit:
                        answer.pagination.next_key = b"%d" % sequence
                        break
                    last = sequence
                    answer.commitments.add(sequence=last, data=packet_commitment(packet(last)))
        return answer.SerializeToString()

    def _unreceived(self, request: bytes) -> bytes:
        asked = query_pb2.QueryUnreceivedPacketsRequest.FromString(request)
        left = [each for each in asked.packet_commitment_sequences if each not in self.world.received]
        answer = query_pb2.QueryUnreceivedPacketsResponse(sequences=left)
        answer.height.revision_height = self.height
        return answer.SerializeToString()

    def _acknowledgements(self, request: bytes) -> bytes:
        asked = query_pb2.QueryPacketAcknowledgementsRequest.FromString(request)
        answer = query_pb2.QueryPacketAcknowledgementsResponse()
        answer.height.revision_height = self.height
        for sequence in asked.packet_commitment_sequences:
            if sequence in self.world.received:
                answer.acknowledgements.add(sequence=sequence, data=acknowledgement_commitment(ANSWER))
        return answer.SerializeToString()


_ANSWERS = {
    "PacketCommitments": BacklogChain._commitments,
    "UnreceivedPackets": BacklogChain._unreceived,
    "PacketAcknowledgements": BacklogChain._acknowledgements,
}


class FakeDriver:
    """Driver of clients that use a height as header (`pyibc.relayer.clients.driver.ClientDriver`)."""

    client_type = "07-tendermint"
    extras = DriverExtras()

    def view(self, client_state: AnyMessage) -> ClientView:
        """Return chain and height."""
        chain_id, height = client_state.value.decode().split()
        return ClientView(chain_id, height_on(chain_id, int(height)), frozen=False, trusting_ns=0)

    def headers(
        self, client_state: AnyMessage, _reference: ChainEndpoint, height: int, _max_step: int
    ) -> Iterator[AnyMessage]:
        """Return one header."""
        if self.view(client_state).latest.revision_height < height:
            yield AnyMessage("/fake.Header", b"%d" % height)

    def time_of(self, _consensus_state: AnyMessage) -> int:
        """Return the current time."""
        return NOW_NS

    def is_own(self, _consensus_state: AnyMessage, _reference: ChainEndpoint, _height: int) -> bool:
        """Return True."""
        return True

    def differences(self, _client_state: AnyMessage, _reference: ChainEndpoint) -> Sequence[Difference]:
        """Return no differences."""
        return ()

    def headers_in(self, _tx: bytes, _chain_id: str) -> Iterator[SubmittedHeader]:
        """Return no headers."""
        return iter(())

    def initial_states(self, reference: ChainEndpoint) -> InitialStates:
        """Raise: no client is created."""
        raise NotImplementedError(reference)

    def contradicts(self, submitted: SubmittedHeader, _reference: ChainEndpoint, _newest: int) -> bool:
        """Raise: clients are not monitored."""
        raise NotImplementedError(submitted)

    def evidence(
        self, client_id: str, submitted: object, reference: object, newest: int, states: Iterable[object]
    ) -> AnyMessage | None:
        """Raise: clients are not monitored."""
        raise NotImplementedError(client_id, submitted, reference, newest, states)


def _hash(side: int, height: int) -> bytes:
    return sha256(b"%d/%d" % (side, height)).digest()


def _event(kind: str, sequence: int) -> Event:
    sent = packet(sequence)
    pairs = (
        ("packet_data_hex", sent.data.hex()),
        ("packet_timeout_height", str(sent.timeout_height_on_b)),
        ("packet_timeout_timestamp", str(sent.timeout_ns_on_b)),
        ("packet_sequence", str(sequence)),
        ("packet_src_port", sent.port_id_on_a),
        ("packet_src_channel", sent.channel_id_on_a),
        ("packet_dst_port", sent.port_id_on_b),
        ("packet_dst_channel", sent.channel_id_on_b),
    )
    return kind, (*pairs, ("packet_ack_hex", ANSWER.hex())) if kind == "write_acknowledgement" else pairs


class Row(NamedTuple):
    """A figure, with an optional limit."""

    name: str
    value: float
    unit: str
    bar: float | None = None


def rows() -> list[Row]:
    """Relay the whole backlog."""
    world = World()
    a, b = BacklogChain(0, world), BacklogChain(1, world)
    began = time.process_time()
    link = Link([PATH], a, b, options=Options(sleep=lambda _s: None), drivers=Drivers(FakeDriver()))
    link.until_idle()
    cpu_s = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return [
        Row("until the first delivery", world.first_s, "s", 60),
        Row("until all are acknowledged", world.now_s, "s", 2 * PACKETS * CALL_S),
        Row("delivered", len(world.received), "packets", PACKETS),
        Row("not acknowledged", len(world.open), "packets", 0),
        Row("calls", a.calls + b.calls, "calls"),
        Row("CPU a packet, both ways, chains and all", cpu_s / PACKETS * 1e3, "ms", 0.8),
        Row("memory at most, chains and all", peak, "MB", 500),
    ]


def show(found: list[Row]) -> None:
    """Print a table."""
    print(f"{PACKETS} packets, {CALL_S * 1000:g} ms a call, {AT_ONCE} proofs at once, {BLOCK_S:g} s a block")
    for row in found:
        bar = "" if row.bar is None else f"   bar {row.bar:g}"
        print(f"{row.name:44}{row.value:>12.1f} {row.unit}{bar}")


if __name__ == "__main__":
    show(rows())
