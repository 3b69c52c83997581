"""Packets of the mock application over channels: send, receive, acknowledge, time out."""

from conformance.kit.messages import unreceived_key
from conformance.walks import view
from conformance.walks.chain import Action, WalkChain
from conformance.walks.moves import Move
from conformance.walks.moves.channels import MOCK, Line, lines
from conformance.walks.prover import Prover
from conformance.walks.record import text_of
from conformance.walks.world import World
from pyibc.codec.encoding import encode
from pyibc.core import paths
from pyibc.core.channel.types import ChannelState, Order
from pyibc.core.height import ZERO_HEIGHT, Height
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.packet.messages import MsgAcknowledgement, MsgRecvPacket, MsgTimeout, MsgTimeoutOnClose
from pyibc.core.packet.types import Packet, timeout_elapsed
from pyibc.core.wire.table import pack
from pyibc.relayer.packets.packets import commitment_key
from pyibc.testing.pair import SECOND

DATA = (
    (6, b"mock packet data"),
    (3, b"mock async packet data"),
    (2, b"mock failed packet data"),
    (1, b"\x00\xff"),
)


def timeouts(world: World, far: WalkChain) -> tuple[Height, int]:
    """Return timeout height and time for a packet to `far`: soon or late, one or both."""
    choices = world.choices
    soon, late = choices.between(2, 9), choices.between(50, 500)
    height = Height(far.height.revision_number, far.height.revision_height + choices.pick((soon, late, late)))
    when = world.now_ns + choices.pick((20, 60, 3600, 86_400)) * SECOND
    return choices.pick(((height, 0), (ZERO_HEIGHT, when), (height, when)))


def send(world: World, chain: WalkChain) -> list[object] | None:
    """The mock application sends a packet."""
    usable = [line for line in lines(world, chain) if line.near.port_id == MOCK]
    opened = [line for line in usable if line.near.end.state is ChannelState.OPEN]
    if not usable or (not opened and world.choices.chance(80)):
        return None
    line = world.choices.pick(opened if opened and world.choices.chance(95) else usable)
    height, when = timeouts(world, line.far_chain)
    args = {
        "port": MOCK,
        "channel": line.near.channel_id,
        "timeout_height": str(height),
        "timeout_timestamp": when,
        "data_b64": text_of(world.choices.weighted(DATA)),
    }
    return [Action("send_packet", args)]


def line_of(world: World, chain: WalkChain, port_id: str, channel_id: str) -> Line | None:
    """Return the channel with these identifiers."""
    for line in lines(world, chain):
        if (line.near.port_id, line.near.channel_id) == (port_id, channel_id):
            return line
    return None


def _receipt(far: WalkChain, packet: Packet, order: Order) -> bool:
    """Return whether the receiving chain has received the packet."""
    port, channel = packet.port_id_on_b, packet.channel_id_on_b
    if order is Order.ORDERED:
        due = view.sequence(far, paths.next_sequence_recv_path(port, channel))
        return packet.sequence < due
    return far.get(paths.packet_receipt_path(port, channel, packet.sequence)) is not None


def pending(world: World, chain: WalkChain) -> list[tuple[Line, Packet]]:
    """Return packets `chain` sent that are neither acknowledged nor timed out."""
    found = []
    by_name = {(line.near.port_id, line.near.channel_id): line for line in lines(world, chain)}
    for packet in world.packet_logs[chain.name].sent:
        line = by_name.get((packet.port_id_on_a, packet.channel_id_on_a))
        if line is not None and chain.get(commitment_key(packet)) is not None:
            found.append((line, packet))
    return found


def _some(world: World, options: list[tuple[Line, Packet]]) -> tuple[Line, Packet] | None:
    """Return a packet, usually the first, which an ordered channel requires."""
    if not options:
        return None
    return options[0] if world.choices.chance(60) else world.choices.pick(options)


def _some_proven(
    world: World, chain: WalkChain, options: list[tuple[Line, Packet]]
) -> tuple[Line, Packet, Prover] | None:
    """Return one of the packets `chain` sent, with a prover for its client."""
    found = _some(world, options)
    proofs = world.prover(chain, found[0].client_id) if found else None
    return None if found is None or proofs is None else (*found, proofs)


def recv(world: World, chain: WalkChain) -> list[object] | None:
    """Receive a packet from the other chain or over localhost; sometimes a second time."""
    again = world.choices.chance(8)
    early = world.choices.chance(10)
    waiting = [
        (line, packet)
        for sender in world.chains
        for line, packet in pending(world, sender)
        if line.far_chain is chain
        and (again or not _receipt(chain, packet, line.near.end.ordering))
        and (early or (line.far is not None and line.far.end.state is ChannelState.OPEN))
        and (early or not _is_late(world, chain, packet))
    ]
    found = _some(world, waiting)
    if found is None:
        return None
    packet = found[1]
    ours = line_of(world, chain, packet.port_id_on_b, packet.channel_id_on_b)
    proofs = world.prover(chain, ours.client_id) if ours else None
    if proofs is None:
        return None
    message = MsgRecvPacket(packet, proofs.proof(commitment_key(packet)), proofs.height, world.relayer)
    return [*proofs.before, message]


def acknowledge(world: World, chain: WalkChain) -> list[object] | None:
    """Deliver an acknowledgement of the other chain."""
    answered = []
    for line, packet in pending(world, chain):
        place = packet.port_id_on_b, packet.channel_id_on_b, packet.sequence
        answer = world.packet_logs[line.far_chain.name].answers.get(place)
        if answer is not None:
            answered.append((line, packet))
    found = _some_proven(world, chain, answered)
    if found is None:
        return None
    line, packet, proofs = found
    place = packet.port_id_on_b, packet.channel_id_on_b, packet.sequence
    answer = world.packet_logs[line.far_chain.name].answers[place]
    proof = proofs.proof(paths.packet_acknowledgement_path(*place))
    return [*proofs.before, MsgAcknowledgement(packet, answer, proof, proofs.height, world.relayer)]


def timeout(world: World, chain: WalkChain) -> list[object] | None:
    """Time out a packet; sometimes too early."""
    early = world.choices.chance(10)
    late = [
        (line, packet)
        for line, packet in pending(world, chain)
        if (early or _is_late(world, line.far_chain, packet))
        and not _receipt(line.far_chain, packet, line.near.end.ordering)
    ]
    found = _some_proven(world, chain, late)
    if found is None:
        return None
    line, packet, proofs = found
    order, far = line.near.end.ordering, line.far_chain
    due_key = paths.next_sequence_recv_path(packet.port_id_on_b, packet.channel_id_on_b)
    due = view.sequence(far, due_key) or 1
    proof = proofs.proof(unreceived_key(packet, order))
    return [*proofs.before, MsgTimeout(packet, proof, proofs.height, due, world.relayer)]


def _is_late(world: World, far: WalkChain, packet: Packet) -> bool:
    height = Height(far.height.revision_number, far.height.revision_height + 1)
    return timeout_elapsed(packet.timeout_height_on_b, packet.timeout_ns_on_b, height, world.now_ns)


def timeout_on_close(world: World, chain: WalkChain) -> list[object] | None:
    """Time out a packet whose channel is closed on the other chain."""
    lost = [
        (line, packet)
        for line, packet in pending(world, chain)
        if line.far is not None
        and line.far.end.state is ChannelState.CLOSED
        and not _receipt(line.far_chain, packet, line.near.end.ordering)
    ]
    found = _some_proven(world, chain, lost)
    if found is None:
        return None
    line, packet, proofs = found
    port, channel = packet.port_id_on_b, packet.channel_id_on_b
    due = view.sequence(line.far_chain, paths.next_sequence_recv_path(port, channel)) or 1
    unreceived = proofs.proof(unreceived_key(packet, line.near.end.ordering))
    closed = proofs.proof(paths.channel_path(port, channel))
    message = MsgTimeoutOnClose(packet, unreceived, closed, proofs.height, due, world.relayer)
    return [*proofs.before, message]


def answer_later(world: World, chain: WalkChain) -> list[object] | None:
    """The mock application acknowledges a packet asynchronously."""
    log = world.packet_logs[chain.name]
    waiting = [
        packet
        for packet in log.received
        if packet.port_id_on_b == MOCK
        and (
            (packet.port_id_on_b, packet.channel_id_on_b, packet.sequence) not in log.answers
            or world.choices.chance(5)
        )
    ]
    if not waiting:
        return None
    packet = world.choices.pick(waiting)
    raw = encode(pack(packet))
    good = world.choices.chance(80)
    answer = acks.success(b"later") if good else b'{"error":"ABCI code: 1: later"}'
    args = {"packet_b64": text_of(raw), "ack_b64": text_of(answer), "ack_success": good}
    return [Action("write_acknowledgement", args)]


MOVES: tuple[tuple[int, Move], ...] = (
    (18, send),
    (20, recv),
    (14, acknowledge),
    (10, timeout),
    (5, timeout_on_close),
    (5, answer_later),
)
"""Weights and moves."""
