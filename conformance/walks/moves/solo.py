"""Moves of solo machines: clients, connections and channels whose other end the machine simulates."""

from conformance.kit.solo_machine import SoloMachine
from conformance.walks import view
from conformance.walks.chain import Action, WalkChain
from conformance.walks.moves import Move
from conformance.walks.record import text_of
from conformance.walks.view import ChannelView
from conformance.walks.world import World
from light_client.solomachine.client import HEADER_PATH
from light_client.solomachine.codec import HEADER_TYPE_URL, load_client_state
from pyibc.apps.transfer import packet_data
from pyibc.apps.transfer.coins import voucher
from pyibc.apps.transfer.denom import native
from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.codec.anys import AnyMessage, pack_any
from pyibc.codec.encoding import encode
from pyibc.core import paths
from pyibc.core.channel.messages import MsgChannelOpenAck
from pyibc.core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from pyibc.core.client.messages import MsgCreateClient, MsgUpdateClient
from pyibc.core.connection.messages import MsgConnectionOpenAck, MsgConnectionOpenInit
from pyibc.core.connection.types import (
    COMPATIBLE_VERSIONS,
    DEFAULT_VERSION,
    ConnectionCounterparty,
    ConnectionEnd,
    ConnectionState,
)
from pyibc.core.height import ZERO_HEIGHT, Height
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.packet.messages import MsgAcknowledgement, MsgRecvPacket, MsgTimeout
from pyibc.core.packet.types import Packet, acknowledgement_commitment, packet_commitment
from pyibc.core.wire.states import encode_channel_end, encode_connection_end
from pyibc.proto.ibc.lightclients.solomachine.v3 import solomachine_pb2 as pb
from pyibc.testing.pair import SECOND

FAR_CLIENT, FAR_CONNECTION, FAR_CHANNEL = "07-tendermint-77", "connection-77", "channel-77"
ODD_SIGNATURES = (b"", b"\xff", b"\x0a\x00", b"\x12\x00", b"\x12\x02\x0a\x00")
"""Invalid signatures: empty, no message, an empty one, a threshold signature without signers, and one with
none."""


def create(world: World, chain: WalkChain) -> list[object] | None:
    """Create a client for a new machine with a single or a threshold key."""
    number = view.sequence(chain, paths.NEXT_CLIENT_SEQUENCE)
    if len(view.solo_ids(chain)) > 2:
        return None
    keys, threshold = world.choices.pick(((1, 1), (3, 2)))
    machine = SoloMachine(f"{world.seed}/{chain.name}/{number}", keys, threshold)
    world.machines[chain.name, f"06-solomachine-{number}"] = machine
    return [MsgCreateClient(*machine.states(), world.relayer)]


def _due(world: World, chain: WalkChain, client_id: str) -> SoloMachine | None:
    """Return the machine of a client, at the expected sequence; None if unknown or frozen."""
    machine = world.machines.get((chain.name, client_id))
    raw = chain.get(paths.client_state_path(client_id))
    if machine is None or raw is None:
        return None
    state = load_client_state(raw)
    machine.sequence = state.sequence
    machine.timestamp = state.consensus_state.timestamp + world.choices.below(3)
    return None if state.is_frozen else machine


def _any(world: World, chain: WalkChain) -> tuple[str, SoloMachine] | None:
    found = [(each, _due(world, chain, each)) for each in view.solo_ids(chain)]
    usable = [(client_id, machine) for client_id, machine in found if machine is not None]
    return world.choices.pick(usable) if usable else None


def update(world: World, chain: WalkChain) -> list[object] | None:
    """Rotate the machine to a new key."""
    found = _any(world, chain)
    if found is None:
        return None
    client_id, machine = found
    heir = SoloMachine(f"{world.seed}/heir/{machine.sequence}")
    heir.timestamp = machine.timestamp
    message = MsgUpdateClient(client_id, machine.header(heir), world.relayer)
    world.machines[chain.name, client_id] = heir
    return [message]


def forged_header(world: World, chain: WalkChain) -> list[object] | None:
    """Submit a header whose signature is malformed, by another key or type of key, or of another sequence."""
    found = _any(world, chain)
    if found is None:
        return None
    client_id, machine = found
    late = machine.sequence + 1
    signature = world.choices.pick((*ODD_SIGNATURES, machine.sign(HEADER_PATH, b"", sequence=late)))
    header = pb.Header(
        timestamp=machine.timestamp,
        signature=signature,
        new_public_key=pack_any(machine.public_key),
        new_diversifier=machine.diversifier,
    )
    return [MsgUpdateClient(client_id, AnyMessage(HEADER_TYPE_URL, encode(header)), world.relayer)]


def misbehaviour(world: World, chain: WalkChain) -> list[object] | None:
    """The machine signs two values for the same sequence."""
    found = _any(world, chain)
    if found is None or len(view.solo_ids(chain)) < 2:
        return None
    client_id, machine = found
    return [MsgUpdateClient(client_id, machine.misbehaviour(b"one", b"two"), world.relayer)]


def _connections(world: World, chain: WalkChain, state: ConnectionState) -> list[tuple[str, str]]:
    return [
        (name, end.client_id)
        for name, end in view.connections(chain).items()
        if end.state is state and (chain.name, end.client_id) in world.machines
    ]


def connect(world: World, chain: WalkChain) -> list[object] | None:
    """Open a connection to the machine, or continue its handshake."""
    begun = _connections(world, chain, ConnectionState.INIT)
    if not begun:
        found = _any(world, chain)
        if found is None or _connections(world, chain, ConnectionState.OPEN):
            return None
        far = ConnectionCounterparty(FAR_CLIENT, "", paths.COMMITMENT_PREFIX)
        return [MsgConnectionOpenInit(found[0], far, DEFAULT_VERSION, 0, world.relayer)]
    name, client_id = begun[0]
    machine = _due(world, chain, client_id)
    if machine is None:
        return None
    near = ConnectionCounterparty(client_id, name, paths.COMMITMENT_PREFIX)
    end = ConnectionEnd(FAR_CLIENT, COMPATIBLE_VERSIONS, ConnectionState.TRYOPEN, near, 0)
    proof = machine.proof(paths.connection_path(FAR_CONNECTION), encode_connection_end(end))
    height = Height(0, machine.sequence)
    return [MsgConnectionOpenAck(name, FAR_CONNECTION, DEFAULT_VERSION, proof, height, world.relayer)]


def _channels(world: World, chain: WalkChain, state: ChannelState) -> list[tuple[ChannelView, SoloMachine]]:
    ends = view.connections(chain)
    found = []
    for each in view.channels(chain):
        machine = _due(world, chain, ends[each.end.connection_id].client_id)
        if each.end.state is state and machine is not None:
            found.append((each, machine))
    return found


def open_channel(world: World, chain: WalkChain) -> list[object] | None:
    """The machine answers a channel handshake started by `channels.open_init`."""
    found = _channels(world, chain, ChannelState.INIT)
    if not found:
        return None
    near, machine = found[0]
    other = ChannelCounterparty(near.port_id, near.channel_id)
    version = near.end.version
    far = ChannelEnd(ChannelState.TRYOPEN, near.end.ordering, other, (FAR_CONNECTION,), version)
    key = paths.channel_path(near.end.counterparty.port_id, FAR_CHANNEL)
    proof = machine.proof(key, encode_channel_end(far))
    height, signer = Height(0, machine.sequence), world.relayer
    return [
        MsgChannelOpenAck(near.port_id, near.channel_id, FAR_CHANNEL, version, proof, height, signer),
    ]


def recv(world: World, chain: WalkChain) -> list[object] | None:
    """Receive a packet that the machine sends."""
    found = _channels(world, chain, ChannelState.OPEN)
    if not found:
        return None
    near, machine = world.choices.pick(found)
    due = view.sequence(chain, paths.next_sequence_recv_path(near.port_id, near.channel_id))
    sequence = due if near.end.ordering is Order.ORDERED else world.choices.between(1, 50)
    until = world.now_ns + 3600 * SECOND
    data = _data(world, near)
    port, channel = near.end.counterparty.port_id, near.end.counterparty.channel_id
    packet = Packet(sequence, port, channel, near.port_id, near.channel_id, data, ZERO_HEIGHT, until)
    proof = machine.proof(paths.packet_commitment_path(port, channel, sequence), packet_commitment(packet))
    return [MsgRecvPacket(packet, proof, Height(0, machine.sequence), world.relayer)]


def _data(world: World, near: ChannelView) -> bytes:
    if near.port_id != packet_data.PORT_ID:
        return world.choices.pick((b"mock packet data", b"mock async packet data", b"no"))
    there = voucher(native("stake"), near.end.counterparty.port_id, near.end.counterparty.channel_id)
    denom = world.choices.pick((native("solocoin"), there))
    amount = world.choices.between(1, 10**6)
    return packet_data.encode(packet_data.make(denom, amount, "the machine", world.someone(), ""))


def send(world: World, chain: WalkChain) -> list[object] | None:
    """Send a packet to the machine: mock data or coins."""
    found = _channels(world, chain, ChannelState.OPEN)
    if not found:
        return None
    near = world.choices.pick(found)[0]
    when = world.now_ns + world.choices.pick((60, 3600)) * SECOND
    if near.port_id == packet_data.PORT_ID:
        sender, height = world.someone(), ZERO_HEIGHT
        port, channel = near.port_id, near.channel_id
        return [MsgTransfer(port, channel, "stake", "77", sender, "the machine", height, when, "")]
    args = {
        "port": near.port_id,
        "channel": near.channel_id,
        "timeout_height": "0-0",
        "timeout_timestamp": when,
        "data_b64": text_of(b"mock packet data"),
    }
    return [Action("send_packet", args)]


def settle(world: World, chain: WalkChain) -> list[object] | None:
    """Acknowledge or time out a packet to the machine."""
    options = []
    for near, machine in _channels(world, chain, ChannelState.OPEN):
        for packet in world.packet_logs[chain.name].sent:
            key = paths.packet_commitment_path(packet.port_id_on_a, packet.channel_id_on_a, packet.sequence)
            mine = (packet.port_id_on_a, packet.channel_id_on_a) == (near.port_id, near.channel_id)
            if mine and chain.get(key) is not None:
                options.append((near, machine, packet))
    if not options:
        return None
    near, machine, packet = world.choices.pick(options)
    if world.choices.chance(50):
        return [_acknowledgement(world, machine, packet)]
    return [_timeout(world, machine, near, packet)]


def _acknowledgement(world: World, machine: SoloMachine, packet: Packet) -> MsgAcknowledgement:
    answer = acks.success() if world.choices.chance(70) else b'{"error":"ABCI code: 1: no"}'
    port, channel = packet.port_id_on_b, packet.channel_id_on_b
    key = paths.packet_acknowledgement_path(port, channel, packet.sequence)
    proof = machine.proof(key, acknowledgement_commitment(answer))
    return MsgAcknowledgement(packet, answer, proof, Height(0, machine.sequence), world.relayer)


def _timeout(world: World, machine: SoloMachine, near: ChannelView, packet: Packet) -> MsgTimeout:
    port, channel = packet.port_id_on_b, packet.channel_id_on_b
    if packet.timeout_ns_on_b and world.choices.chance(80):
        machine.timestamp = max(machine.timestamp, packet.timeout_ns_on_b)
    key = paths.packet_receipt_path(port, channel, packet.sequence)
    data = b""
    if near.end.ordering is Order.ORDERED:
        key, data = paths.next_sequence_recv_path(port, channel), packet.sequence.to_bytes(8, "big")
    height = Height(0, machine.sequence)
    return MsgTimeout(packet, machine.proof(key, data), height, packet.sequence, world.relayer)


MOVES: tuple[tuple[int, Move], ...] = (
    (2, create),
    (2, update),
    (1, forged_header),
    (1, misbehaviour),
    (3, connect),
    (3, open_channel),
    (3, recv),
    (3, send),
    (5, settle),
)
"""Weights and moves."""
