"""Two chains that obey the rules a relayer meets, with proofs that are checked against the other's past.

A proof here is text that names key, value and header; the chain that gets it looks the key up in the
other chain's state one block below that header, and wants the header on its client.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from light_client.tendermint.states import decode_client_state
from pyibc.codec.anys import AnyMessage
from pyibc.core import paths as keys
from pyibc.core.channel.messages import (
    MsgChannelCloseConfirm,
    MsgChannelOpenAck,
    MsgChannelOpenConfirm,
    MsgChannelOpenInit,
    MsgChannelOpenTry,
)
from pyibc.core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from pyibc.core.client.messages import MsgCreateClient, MsgUpdateClient
from pyibc.core.connection.messages import (
    MsgConnectionOpenAck,
    MsgConnectionOpenConfirm,
    MsgConnectionOpenInit,
    MsgConnectionOpenTry,
)
from pyibc.core.connection.types import (
    DEFAULT_VERSION,
    ConnectionCounterparty,
    ConnectionEnd,
    ConnectionState,
)
from pyibc.core.errors import IbcError, InvalidChannelState, InvalidPacket, NotEnoughTrust, UnknownRequest
from pyibc.core.height import Height, parse_height, revision_of
from pyibc.core.host.block import CommittedBlock, Event, TxOutcome
from pyibc.core.packet.messages import MsgAcknowledgement, MsgRecvPacket, MsgTimeout, MsgTimeoutOnClose
from pyibc.core.packet.types import Packet, acknowledgement_commitment, packet_commitment, timeout_elapsed
from pyibc.core.wire import states
from pyibc.core.wire.message import decode_msg
from pyibc.proto.google.protobuf import any_pb2
from pyibc.proto.ibc.core.channel.v1 import query_pb2
from pyibc.proto.ibc.core.client.v1 import query_pb2 as client_query_pb2
from pyibc.proto.ibc.lightclients.tendermint.v1 import tendermint_pb2
from pyibc.proto.tendermint.types import types_pb2, validator_pb2
from pyibc.relayer.chain.endpoint import NO_EXTRAS, EndpointExtras
from pyibc.relayer.chain.values import LightBlock, Proven, Tip

SECOND = 10**9
START = 1_700_000_000 * SECOND
Crash = Callable[[str], None]


@dataclass
class FakeChain:
    """A chain that makes one block a transaction, and empty ones when it is waited for."""

    chain_id: str
    step_ns: int = SECOND
    skew_ns: int = 0
    store: dict[bytes, bytes] = field(default_factory=dict)
    past: list[dict[bytes, bytes]] = field(default_factory=lambda: [{}])
    blocks: list[CommittedBlock] = field(default_factory=list)
    times: list[int] = field(default_factory=lambda: [0])
    sets: list[dict[bytes, int]] = field(default_factory=list)
    log: list[dict[str, object]] = field(default_factory=list)
    poison: set[int] = field(default_factory=set)
    answer_later: bool = False
    point: Crash = lambda _name: None
    calls: int = 0
    salt: int = 0  # makes its history another

    def __post_init__(self) -> None:
        self.peer: FakeChain = self
        self.validators = {b"v" * 20: 10}
        self.upcoming = dict(self.validators)  # fixed by the header of the last block
        self._events: list[Event] = []
        self.make_block()

    # -- what an endpoint offers

    extras: EndpointExtras = NO_EXTRAS

    @property
    def signer(self) -> str:
        return f"relayer-of-{self.chain_id}"

    @property
    def height(self) -> int:
        return len(self.blocks)

    def tip(self) -> Tip:
        self.point("tip")
        return Tip(self.height, self.times[-1])

    def block(self, height: int) -> CommittedBlock:
        self.point("block")
        return self.blocks[height - 1]

    def light_block(self, height: int) -> LightBlock:
        self.point("light_block")
        header = types_pb2.Header(
            chain_id=self.chain_id,
            height=height,
            app_hash=self.app_hash(height - 1),
            next_validators_hash=self._set_hash(height + 1),
            validators_hash=self._set_hash(height),
        )
        header.time.FromNanoseconds(self.times[height])
        signed = types_pb2.SignedHeader(header=header)
        signed.commit.height = height
        for address in self._set(height):
            signed.commit.signatures.add(block_id_flag=2, validator_address=address)
        members = [
            validator_pb2.Validator(address=a, voting_power=p) for a, p in sorted(self._set(height).items())
        ]
        validators = validator_pb2.ValidatorSet(validators=members, proposer=members[0])
        return LightBlock(
            height, self.times[height], signed.SerializeToString(), validators.SerializeToString()
        )

    def get(self, key: bytes, _store: str = "ibc") -> bytes | None:
        self.point("get")
        return self.store.get(key)

    def prove(self, key: bytes, height: int, _store: str = "ibc") -> Proven:
        self.point("prove")
        assert height < self.height, "the next header is not there yet"
        value = self.past[height].get(key)
        return Proven(value, self.proof(key, height + 1), Height(revision_of(self.chain_id), height + 1))

    @staticmethod
    def proof(key: bytes, header: int) -> bytes:
        return json.dumps([key.decode(), header]).encode()

    def grpc(self, path: str, request: bytes) -> bytes:
        self.point("grpc")
        if path.endswith("/PacketAcknowledgements"):
            return self._acknowledged(request)
        if path.endswith("/ConsensusStateHeights"):
            return self._heights(request)
        if path.endswith("/UnreceivedPackets"):
            return self._unreceived(request)
        if not path.endswith("/PacketCommitments"):
            raise UnknownRequest(path)
        asked = query_pb2.QueryPacketCommitmentsRequest.FromString(request)
        prefix = keys.packet_commitment_prefix(asked.port_id, asked.channel_id)
        answer = query_pb2.QueryPacketCommitmentsResponse()
        answer.height.revision_height = self.height
        for key in self.store:
            if key.startswith(prefix):
                answer.commitments.add(sequence=int(key.rsplit(b"/", 1)[1]))
        return answer.SerializeToString()

    def _heights(self, request: bytes) -> bytes:
        asked = client_query_pb2.QueryConsensusStateHeightsRequest.FromString(request)
        answer = client_query_pb2.QueryConsensusStateHeightsResponse()
        prefix = f"clients/{asked.client_id}/consensusStates/".encode()
        for key in self.store:
            if key.startswith(prefix):
                height = parse_height(key.removeprefix(prefix).decode())
                answer.consensus_state_heights.add(
                    revision_number=height.revision_number, revision_height=height.revision_height
                )
        return answer.SerializeToString()

    def _acknowledged(self, request: bytes) -> bytes:
        asked = query_pb2.QueryPacketAcknowledgementsRequest.FromString(request)
        answer = query_pb2.QueryPacketAcknowledgementsResponse()
        answer.height.revision_height = self.height
        for sequence in asked.packet_commitment_sequences:
            if keys.packet_acknowledgement_path(asked.port_id, asked.channel_id, sequence) in self.store:
                answer.acknowledgements.add(sequence=sequence)
        return answer.SerializeToString()

    def _unreceived(self, request: bytes) -> bytes:
        asked = query_pb2.QueryUnreceivedPacketsRequest.FromString(request)
        answer = query_pb2.QueryUnreceivedPacketsResponse()
        answer.height.revision_height = self.height
        following = self.store.get(keys.next_sequence_recv_path(asked.port_id, asked.channel_id), b"\1")
        for sequence in asked.packet_commitment_sequences:
            if self.channel(asked.channel_id).ordering == Order.ORDERED:
                came = sequence < int.from_bytes(following, "big")
            else:
                came = keys.packet_receipt_path(asked.port_id, asked.channel_id, sequence) in self.store
            if not came:
                answer.sequences.append(sequence)
        return answer.SerializeToString()

    def wait(self, height: int) -> None:
        self.point("wait")
        while self.height < height:
            self.make_block()

    def submit(self, messages: list[AnyMessage]) -> TxOutcome:
        self.point("before submit")
        self._events, saved = [], dict(self.store)
        self.log.append({"messages": [m.type_url.rsplit(".", 1)[1] for m in messages], "proofs": set()})
        try:
            for message in messages:
                self.execute(message)
            outcome = TxOutcome(b"tx", 0, "", tuple(self._events), 0, 0)
        except IbcError as error:
            self.store = saved
            outcome = TxOutcome(b"tx", error.code, error.codespace, (), 0, 0, b"", str(error))
        self.log[-1]["code"] = outcome.code
        self.make_block(outcome)
        self.point("after submit")
        return outcome

    # -- blocks

    def make_block(self, *txs: TxOutcome, events: tuple[Event, ...] = ()) -> None:
        self.past.append(dict(self.store))
        self.sets.append(self.upcoming)
        self.upcoming = dict(self.validators)
        self.times.append(START + self.skew_ns + len(self.times) * self.step_ns)
        height = len(self.times) - 1
        parent = self.blocks[-1].hash if self.blocks else b""
        own = hashlib.sha256(
            parent + self.app_hash(height) + repr((self.salt, txs, events)).encode()
        ).digest()
        time_ns, app_hash = self.times[-1], self.app_hash(height)
        block = CommittedBlock(self.chain_id, height, time_ns, app_hash, txs, events, own, parent)
        self.blocks.append(block)

    def app_hash(self, height: int) -> bytes:
        return hashlib.sha256(repr(sorted(self.past[height].items())).encode()).digest()

    def _set(self, height: int) -> dict[bytes, int]:
        return self.sets[height - 1] if height <= len(self.sets) else self.upcoming

    def _set_hash(self, height: int) -> bytes:
        return hashlib.sha256(repr(sorted(self._set(height).items())).encode()).digest()

    # -- what users and applications do

    def send(self, channel_id: str, timeout: int = 0, timeout_ns: int = 0, data: bytes = b"{}") -> Packet:
        key = keys.next_sequence_send_path("port", channel_id)
        sequence = int.from_bytes(self.store.get(key, b"\x01"), "big")
        self.store[key] = (sequence + 1).to_bytes(8, "big")
        far = self.channel(channel_id).counterparty
        height = Height(revision_of(self.peer.chain_id), timeout) if timeout else Height(0, 0)
        packet = Packet(
            sequence, "port", channel_id, far.port_id, far.channel_id, data, height, timeout_ns or 2**63
        )
        self.store[keys.packet_commitment_path("port", channel_id, sequence)] = packet_commitment(packet)
        self.make_block(events=(self._packet_event("send_packet", packet),))
        return packet

    def close(self, channel_id: str) -> None:
        self._set_channel(channel_id, ChannelState.CLOSED)
        self.make_block(events=(("channel_close_init", (("port_id", "port"), ("channel_id", channel_id))),))

    def answer(self, packet: Packet) -> None:
        self._events = []
        self._write_acknowledgement(packet)
        self.make_block(events=tuple(self._events))

    def channel(self, channel_id: str) -> ChannelEnd:
        raw = self.store.get(keys.channel_path("port", channel_id))
        if raw is None:
            raise InvalidChannelState(channel_id, "OPEN", "none")
        return states.decode_channel_end(raw)

    # -- messages

    def execute(self, message: AnyMessage) -> None:
        name = message.type_url.rsplit(".", 1)[1]
        getattr(self, f"_{name}")(message.value)

    def _MsgCreateClient(self, raw: bytes) -> None:
        msg = decode_msg(MsgCreateClient, raw)
        number = int.from_bytes(self.store.get(keys.NEXT_CLIENT_SEQUENCE, b""), "big")
        self.store[keys.NEXT_CLIENT_SEQUENCE] = (number + 1).to_bytes(8, "big")
        client_id = f"07-tendermint-{number}"
        packed = any_pb2.Any(type_url=msg.client_state.type_url, value=msg.client_state.value)
        self.store[keys.client_state_path(client_id)] = packed.SerializeToString()
        latest = decode_client_state(packed.value).latest_height
        packed = any_pb2.Any(type_url=msg.consensus_state.type_url, value=msg.consensus_state.value)
        self.store[keys.consensus_state_path(client_id, latest)] = packed.SerializeToString()
        self._emit("create_client", client_id=client_id)

    def _MsgUpdateClient(self, raw: bytes) -> None:
        msg = decode_msg(MsgUpdateClient, raw)
        header = tendermint_pb2.Header.FromString(msg.client_message.value)
        stored = header.signed_header.header
        revision = revision_of(self.peer.chain_id)
        trusted = header.trusted_height.revision_height
        if keys.consensus_state_path(msg.client_id, Height(revision, trusted)) not in self.store:
            raise InvalidPacket(f"no trusted state at {trusted}")
        believed = self.peer._set(trusted + 1)
        assert {v.address: v.voting_power for v in header.trusted_validators.validators} == believed
        signed = sum(believed.get(s.validator_address, 0) for s in header.signed_header.commit.signatures)
        if stored.height != trusted + 1 and signed * 3 <= sum(believed.values()):
            raise NotEnoughTrust(signed, sum(believed.values()) // 3)
        state = tendermint_pb2.ConsensusState(
            timestamp=stored.time, next_validators_hash=stored.next_validators_hash
        )
        state.root.hash = stored.app_hash
        packed = any_pb2.Any(
            type_url="/ibc.lightclients.tendermint.v1.ConsensusState", value=state.SerializeToString()
        )
        height = Height(revision, stored.height)
        self.store[keys.consensus_state_path(msg.client_id, height)] = packed.SerializeToString()
        self._raise_latest(msg.client_id, stored.height)

    def _raise_latest(self, client_id: str, height: int) -> None:
        key = keys.client_state_path(client_id)
        packed = any_pb2.Any.FromString(self.store[key])
        state = tendermint_pb2.ClientState.FromString(packed.value)
        state.latest_height.revision_height = max(state.latest_height.revision_height, height)
        packed.value = state.SerializeToString()
        self.store[key] = packed.SerializeToString()

    def _verify(self, client_id: str, proof: bytes, header: Height, key: bytes, value: bytes | None) -> None:
        self.log[-1]["proofs"].add(header)
        if keys.consensus_state_path(client_id, header) not in self.store:
            raise InvalidPacket(f"client without {header}")
        if proof != self.proof(key, header.revision_height):
            raise InvalidPacket("proof of another key or height")
        if self.peer.past[header.revision_height - 1].get(key) != value:
            raise InvalidPacket(f"proof of {key.decode()} does not hold")

    def _MsgConnectionOpenInit(self, raw: bytes) -> None:
        msg = decode_msg(MsgConnectionOpenInit, raw)
        name = self._name(keys.NEXT_CONNECTION_SEQUENCE, "connection")
        self._put_connection(name, msg.client_id_on_a, ConnectionState.INIT, msg.counterparty)
        self._emit("connection_open_init", connection_id=name)

    def _MsgConnectionOpenTry(self, raw: bytes) -> None:
        msg = decode_msg(MsgConnectionOpenTry, raw)
        name = self._name(keys.NEXT_CONNECTION_SEQUENCE, "connection")
        far = ConnectionCounterparty(msg.client_id_on_b, "", b"ibc")
        expected = self._connection_bytes(msg.counterparty.client_id, ConnectionState.INIT, far)
        key = keys.connection_path(msg.counterparty.connection_id)
        self._verify(msg.client_id_on_b, msg.proof_init, msg.proof_height, key, expected)
        self._put_connection(name, msg.client_id_on_b, ConnectionState.TRYOPEN, msg.counterparty)
        self._emit("connection_open_try", connection_id=name)

    def _MsgConnectionOpenAck(self, raw: bytes) -> None:
        msg = decode_msg(MsgConnectionOpenAck, raw)
        end = self._connection(msg.connection_id_on_a, ConnectionState.INIT)
        far = ConnectionCounterparty(end.client_id, msg.connection_id_on_a, b"ibc")
        expected = self._connection_bytes(end.counterparty.client_id, ConnectionState.TRYOPEN, far)
        key = keys.connection_path(msg.connection_id_on_b)
        self._verify(end.client_id, msg.proof_try, msg.proof_height, key, expected)
        theirs = ConnectionCounterparty(end.counterparty.client_id, msg.connection_id_on_b, b"ibc")
        self._put_connection(msg.connection_id_on_a, end.client_id, ConnectionState.OPEN, theirs)

    def _MsgConnectionOpenConfirm(self, raw: bytes) -> None:
        msg = decode_msg(MsgConnectionOpenConfirm, raw)
        end = self._connection(msg.connection_id_on_b, ConnectionState.TRYOPEN)
        far = ConnectionCounterparty(end.client_id, msg.connection_id_on_b, b"ibc")
        expected = self._connection_bytes(end.counterparty.client_id, ConnectionState.OPEN, far)
        key = keys.connection_path(end.counterparty.connection_id)
        self._verify(end.client_id, msg.proof_ack, msg.proof_height, key, expected)
        self._put_connection(msg.connection_id_on_b, end.client_id, ConnectionState.OPEN, end.counterparty)

    def _MsgChannelOpenInit(self, raw: bytes) -> None:
        msg = decode_msg(MsgChannelOpenInit, raw)
        self._emit("channel_open_init", channel_id=self._new_channel(msg.channel))

    def _MsgChannelOpenTry(self, raw: bytes) -> None:
        msg = decode_msg(MsgChannelOpenTry, raw)
        connection = self._connection(msg.channel.connection_id, ConnectionState.OPEN)
        far = (connection.counterparty.connection_id,)
        init = ChannelEnd(
            ChannelState.INIT, msg.channel.ordering, ChannelCounterparty("port", ""), far, msg.version_on_a
        )
        key = keys.channel_path("port", msg.channel.counterparty.channel_id)
        expected = states.encode_channel_end(init)
        self._verify(connection.client_id, msg.proof_init, msg.proof_height, key, expected)
        self._emit("channel_open_try", channel_id=self._new_channel(msg.channel))

    def _MsgChannelOpenAck(self, raw: bytes) -> None:
        msg = decode_msg(MsgChannelOpenAck, raw)
        self._require(msg.channel_id_on_a, ChannelState.INIT)
        self._set_channel(msg.channel_id_on_a, ChannelState.OPEN, msg.channel_id_on_b)
        self._verify_channel(msg.channel_id_on_a, msg.proof_try, msg.proof_height, ChannelState.TRYOPEN)

    def _MsgChannelOpenConfirm(self, raw: bytes) -> None:
        msg = decode_msg(MsgChannelOpenConfirm, raw)
        self._require(msg.channel_id_on_b, ChannelState.TRYOPEN)
        self._verify_channel(msg.channel_id_on_b, msg.proof_ack, msg.proof_height, ChannelState.OPEN)
        self._set_channel(msg.channel_id_on_b, ChannelState.OPEN)

    def _MsgChannelCloseConfirm(self, raw: bytes) -> None:
        msg = decode_msg(MsgChannelCloseConfirm, raw)
        self._require(msg.channel_id, ChannelState.OPEN)
        self._verify_channel(msg.channel_id, msg.proof_init, msg.proof_height, ChannelState.CLOSED)
        self._set_channel(msg.channel_id, ChannelState.CLOSED)
        self._emit("channel_close_confirm", port_id="port", channel_id=msg.channel_id)

    def _MsgRecvPacket(self, raw: bytes) -> None:
        msg = decode_msg(MsgRecvPacket, raw)
        packet = msg.packet
        end = self._require(packet.channel_id_on_b, ChannelState.OPEN)
        if packet.sequence in self.poison:
            raise InvalidPacket("poison")
        here = Height(revision_of(self.chain_id), self.height + 1)
        if timeout_elapsed(packet.timeout_height_on_b, packet.timeout_ns_on_b, here, self.times[-1] + 1):
            raise InvalidPacket("timed out")
        key = keys.packet_commitment_path("port", packet.channel_id_on_a, packet.sequence)
        client = self._client_of(end)
        self._verify(client, msg.proof_commitment_on_a, msg.proof_height_on_a, key, packet_commitment(packet))
        if self._take(packet, end.ordering):
            self._events.append(self._packet_event("recv_packet", packet))
            if not self.answer_later:
                self._write_acknowledgement(packet)

    def _take(self, packet: Packet, order: Order) -> bool:
        if order == Order.UNORDERED:
            key = keys.packet_receipt_path("port", packet.channel_id_on_b, packet.sequence)
            fresh = key not in self.store
            self.store[key] = b"\x01"
            return fresh
        key = keys.next_sequence_recv_path("port", packet.channel_id_on_b)
        expected = int.from_bytes(self.store[key], "big")
        if packet.sequence > expected:
            raise InvalidPacket(f"sequence {packet.sequence}, expected {expected}")
        if packet.sequence == expected:
            self.store[key] = (expected + 1).to_bytes(8, "big")
        return packet.sequence == expected

    def _MsgAcknowledgement(self, raw: bytes) -> None:
        msg = decode_msg(MsgAcknowledgement, raw)
        packet = msg.packet
        end = self._require(packet.channel_id_on_a, ChannelState.OPEN)
        if self._is_done(packet):
            return
        key = keys.packet_acknowledgement_path("port", packet.channel_id_on_b, packet.sequence)
        value = acknowledgement_commitment(msg.acknowledgement)
        self._verify(self._client_of(end), msg.proof_ack_on_b, msg.proof_height_on_b, key, value)
        self._finish("acknowledge_packet", packet)

    def _MsgTimeout(self, raw: bytes) -> None:
        msg = decode_msg(MsgTimeout, raw)
        packet, at = msg.packet, msg.proof_height_on_b
        if self._is_done(packet):
            return
        time_ns = self.peer.times[at.revision_height]
        if not timeout_elapsed(packet.timeout_height_on_b, packet.timeout_ns_on_b, at, time_ns):
            raise InvalidPacket("timeout not reached")
        self._timeout(packet, msg.proof_unreceived_on_b, at, msg.next_sequence_recv_on_b)

    def _MsgTimeoutOnClose(self, raw: bytes) -> None:
        msg = decode_msg(MsgTimeoutOnClose, raw)
        if self._is_done(msg.packet):
            return
        at = msg.proof_height_on_b
        self._verify_channel(msg.packet.channel_id_on_a, msg.proof_close_on_b, at, ChannelState.CLOSED)
        self._timeout(msg.packet, msg.proof_unreceived_on_b, at, msg.next_sequence_recv_on_b)

    def _timeout(self, packet: Packet, proof: bytes, at: Height, next_sequence: int) -> None:
        end = self.channel(packet.channel_id_on_a)
        key = keys.packet_receipt_path("port", packet.channel_id_on_b, packet.sequence)
        value = None
        if end.ordering == Order.ORDERED:
            assert next_sequence <= packet.sequence
            key = keys.next_sequence_recv_path("port", packet.channel_id_on_b)
            value = next_sequence.to_bytes(8, "big")
        self._verify(self._client_of(end), proof, at, key, value)
        self._finish("timeout_packet", packet)
        if end.ordering == Order.ORDERED and end.state == ChannelState.OPEN:
            self._set_channel(packet.channel_id_on_a, ChannelState.CLOSED)
            self._emit("channel_close", port_id="port", channel_id=packet.channel_id_on_a)

    # -- parts

    def _is_done(self, packet: Packet) -> bool:
        return keys.packet_commitment_path("port", packet.channel_id_on_a, packet.sequence) not in self.store

    def _finish(self, kind: str, packet: Packet) -> None:
        key = keys.packet_commitment_path("port", packet.channel_id_on_a, packet.sequence)
        assert self.store.pop(key) == packet_commitment(packet)
        self._events.append(self._packet_event(kind, packet))

    def _write_acknowledgement(self, packet: Packet) -> None:
        answer = b"answer to %d" % packet.sequence
        key = keys.packet_acknowledgement_path("port", packet.channel_id_on_b, packet.sequence)
        self.store[key] = acknowledgement_commitment(answer)
        kind, pairs = self._packet_event("write_acknowledgement", packet)
        self._events.append((kind, (*pairs, ("packet_ack_hex", answer.hex()))))

    def _packet_event(self, kind: str, packet: Packet) -> Event:
        return kind, (
            ("packet_data_hex", packet.data.hex()),
            ("packet_timeout_height", str(packet.timeout_height_on_b)),
            ("packet_timeout_timestamp", str(packet.timeout_ns_on_b)),
            ("packet_sequence", str(packet.sequence)),
            ("packet_src_port", packet.port_id_on_a),
            ("packet_src_channel", packet.channel_id_on_a),
            ("packet_dst_port", packet.port_id_on_b),
            ("packet_dst_channel", packet.channel_id_on_b),
        )

    def _emit(self, kind: str, **attributes: str) -> None:
        self._events.append((kind, tuple(attributes.items())))

    def _name(self, key: bytes, prefix: str) -> str:
        number = int.from_bytes(self.store.get(key, b""), "big")
        self.store[key] = (number + 1).to_bytes(8, "big")
        return f"{prefix}-{number}"

    def _connection(self, name: str, state: ConnectionState) -> ConnectionEnd:
        end = states.decode_connection_end(self.store[keys.connection_path(name)])
        if end.state != state:
            raise InvalidChannelState(name, state.name, end.state.name)
        return end

    def _connection_bytes(self, client: str, state: ConnectionState, far: ConnectionCounterparty) -> bytes:
        return states.encode_connection_end(ConnectionEnd(client, (DEFAULT_VERSION,), state, far, 0))

    def _put_connection(
        self, name: str, client: str, state: ConnectionState, far: ConnectionCounterparty
    ) -> None:
        self.store[keys.connection_path(name)] = self._connection_bytes(client, state, far)
        known = states.decode_client_paths(self.store.get(keys.client_connections_path(client), b""))
        if name not in known:
            self.store[keys.client_connections_path(client)] = states.encode_client_paths([*known, name])

    def _new_channel(self, end: ChannelEnd) -> str:
        name = self._name(keys.NEXT_CHANNEL_SEQUENCE, "channel")
        self.store[keys.channel_path("port", name)] = states.encode_channel_end(end)
        self.store[keys.next_sequence_recv_path("port", name)] = (1).to_bytes(8, "big")
        return name

    def _set_channel(self, name: str, state: ChannelState, far: str = "") -> None:
        end = self.channel(name)
        theirs = ChannelCounterparty("port", far or end.counterparty.channel_id)
        changed = ChannelEnd(state, end.ordering, theirs, end.connection_hops, end.version)
        self.store[keys.channel_path("port", name)] = states.encode_channel_end(changed)

    def _require(self, name: str, state: ChannelState) -> ChannelEnd:
        end = self.channel(name)
        if end.state != state:
            raise InvalidChannelState(name, state.name, end.state.name)
        return end

    def _client_of(self, end: ChannelEnd) -> str:
        return self._connection(end.connection_id, ConnectionState.OPEN).client_id

    def _verify_channel(self, name: str, proof: bytes, at: Height, state: ChannelState) -> None:
        end = self.channel(name)
        connection = self._connection(end.connection_id, ConnectionState.OPEN)
        hops = (connection.counterparty.connection_id,)
        far = ChannelEnd(state, end.ordering, ChannelCounterparty("port", name), hops, end.version)
        key = keys.channel_path("port", end.counterparty.channel_id)
        self._verify(connection.client_id, proof, at, key, states.encode_channel_end(far))


def connect(a: FakeChain, b: FakeChain) -> tuple[FakeChain, FakeChain]:
    a.peer, b.peer = b, a
    return a, b


@pytest.fixture
def new_pair() -> Callable[[], tuple[FakeChain, FakeChain]]:
    """Return a factory of two chains that know each other's history."""
    return lambda: connect(FakeChain("alpha-1"), FakeChain("beta-7", step_ns=3 * SECOND, skew_ns=SECOND))


@pytest.fixture
def pair(new_pair: Callable[[], tuple[FakeChain, FakeChain]]) -> tuple[FakeChain, FakeChain]:
    return new_pair()


@pytest.fixture
def fast_path(tmp_path):
    """A folder in memory where the machine has one: hundreds of journals are made and synced here."""
    memory = Path("/dev/shm")
    if not memory.is_dir():
        yield tmp_path
        return
    with TemporaryDirectory(dir=memory) as folder:
        yield Path(folder)


@pytest.fixture
def configuration(tmp_path):
    """Return a function that writes a configuration of two chains, with more about them, and a path."""

    def write(first='key = { env = "A" }', second="", path='channels = ["channel-0"]'):
        chain = '[[chains]]\nid = "%s"\nrpc = ["http://127.0.0.1:1"]\n%s\n'
        chains = chain % ("a-1", first) + chain % ("b-2", f'key = {{ env = "B_KEY" }}\n{second}')
        file = tmp_path / "relayer.toml"
        file.write_text(f'\n[relayer]\nlocks = "."\n{chains}[[paths]]\na = "a-1"\nb = "b-2"\n{path}\n')
        return file

    return write
