"""IBC v2 packets, and the registrations they need."""

from collections.abc import Callable

from conformance.walks import genesis, view
from conformance.walks.chain import Action, WalkChain
from conformance.walks.moves import Move
from conformance.walks.moves.clients import DAY
from conformance.walks.prover import Prover
from conformance.walks.record import text_of
from conformance.walks.world import World
from pyibc.apps.transfer import packet_data
from pyibc.apps.transfer.denom import native
from pyibc.core import paths
from pyibc.core.client_v2 import MsgRegisterCounterparty, MsgUpdateClientConfig
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.packet_v2.messages import MsgAcknowledgementV2, MsgRecvPacketV2, MsgSendPacket, MsgTimeoutV2
from pyibc.core.packet_v2.types import (
    ABI,
    JSON,
    PROTOBUF,
    PacketV2,
    Payload,
    decode_config,
    decode_counterparty,
    encode_acknowledgement,
)
from pyibc.testing.pair import SECOND

DATA = (
    (6, b"mock packet data"),
    (3, b"mock async packet data"),
    (2, b"mock failed packet data"),
)
PORTS = ("mockv2A", "mockv2B")
PREFIX = (b"ibc", b"")


def counterparty(chain: WalkChain, client_id: str) -> str | None:
    """Return the registered counterparty client, or None."""
    raw = chain.get(paths.client_counterparty_path(client_id))
    return None if raw is None else decode_counterparty(raw).client_id


def pairs(world: World, chain: WalkChain) -> list[tuple[str, str]]:
    """Return clients of both chains that are registered with each other."""
    far = world.other(chain)
    found = []
    for client_id in view.tendermint_ids(chain):
        other = counterparty(chain, client_id)
        if other is not None and counterparty(far, other) == client_id:
            found.append((client_id, other))
    return found


def register(world: World, chain: WalkChain) -> list[object] | None:
    """Register a counterparty, first on one chain, then on the other."""
    far = world.other(chain)
    anyone = world.choices.chance(10)
    maker = genesis.ADDRESSES.decode(world.relayer, "relayer").raw
    free = [
        each
        for each in view.tendermint_ids(chain)
        if counterparty(chain, each) is None
        and (anyone or chain.get(paths.client_creator_path(each)) == maker)
    ]
    if not free:
        return None
    taken = {counterparty(chain, each) for each in view.tendermint_ids(chain)}
    wanting = {counterparty(far, each): each for each in view.tendermint_ids(far)}
    named = [(each, wanting[each]) for each in free if each in wanting]
    ends = [each for each in view.tendermint_ids(far) if each not in taken]
    options = named or [(each, end) for each in free for end in ends]
    if not options:
        return None
    near, other = world.choices.pick(options)
    return [MsgRegisterCounterparty(near, PREFIX, other, world.relayer)]


def configure(world: World, chain: WalkChain) -> list[object] | None:
    """Set the allowed relayers of a client; a list without our relayer is soon cleared."""
    ids = view.tendermint_ids(chain)
    if len(ids) < 2:
        return None
    for client_id in ids:
        raw = chain.get(paths.client_config_path(client_id))
        if raw is not None and decode_config(raw) and world.relayer not in decode_config(raw):
            return [MsgUpdateClientConfig(client_id, (), genesis.AUTHORITY)]
    people = world.people
    allowed: tuple[str, ...] = world.choices.weighted(
        (
            (4, ()),
            (4, (world.relayer,)),
            (1, (people["alice"],)),
            (1, ("nobody",)),
            (1, (world.relayer,) * 21),
        )
    )
    signer = world.choices.pick((genesis.AUTHORITY, world.relayer, world.relayer, world.people["mallory"]))
    return [MsgUpdateClientConfig(world.choices.pick(ids), allowed, signer)]


def send(world: World, chain: WalkChain) -> list[object] | None:
    """Send a payload of the mock applications or of ICS-20."""
    found = pairs(world, chain)
    if not found:
        return None
    choices = world.choices
    client_id, _ = choices.pick(found)
    signer = world.someone()
    payload = _transfer(world, signer) if choices.chance(25) else _mock(world)
    seconds = world.now_ns // SECOND + choices.pick((12, 40, 3600, 80_000, DAY // SECOND + 100))
    return [MsgSendPacket(client_id, seconds, (payload,), signer)]


def _mock(world: World) -> Payload:
    choices = world.choices
    port_on_b = "nobody" if choices.chance(5) else choices.pick(PORTS)
    data = choices.weighted(DATA)
    return Payload(choices.pick(PORTS), port_on_b, "mock-version", "application/json", data)


def _transfer(world: World, signer: str) -> Payload:
    choices = world.choices
    denom, receiver = choices.pick(("stake", "ufoo")), world.someone()
    data = packet_data.make(native(denom), choices.between(1, 10**9), signer, receiver, "")
    encoding = choices.pick((JSON, PROTOBUF, ABI))
    value = packet_data.encode_payload(data, encoding)
    return Payload(packet_data.PORT_ID, packet_data.PORT_ID, packet_data.VERSION, encoding, value)


def pending(world: World, chain: WalkChain) -> list[PacketV2]:
    """Return packets `chain` sent to the other one that are neither acknowledged nor timed out."""
    ours = view.tendermint_ids(chain)
    sent = world.packet_logs[chain.name].sent_v2
    return [packet for packet in sent if packet.client_id_on_a in ours and is_pending(chain, packet)]


def is_pending(chain: WalkChain, packet: PacketV2) -> bool:
    """Return whether a packet that `chain` sent is neither acknowledged nor timed out."""
    return chain.get(paths.packet_commitment_v2_path(packet.client_id_on_a, packet.sequence)) is not None


def _received(chain: WalkChain, packet: PacketV2) -> bool:
    key = paths.packet_receipt_v2_path(packet.client_id_on_b, packet.sequence)
    return chain.get(key) is not None


def _some_proven(
    world: World, chain: WalkChain, options: list[PacketV2], client_of: Callable[[PacketV2], str]
) -> tuple[PacketV2, Prover] | None:
    """Return one of the packets, with a prover for its client on `chain`."""
    if not options:
        return None
    packet = world.choices.pick(options)
    proofs = world.prover(chain, client_of(packet))
    return None if proofs is None else (packet, proofs)


def recv(world: World, chain: WalkChain) -> list[object] | None:
    """Receive a packet of the other chain, sometimes a second time."""
    again, late = world.choices.chance(8), world.choices.chance(15)
    waiting = [
        packet
        for packet in pending(world, world.other(chain))
        if (again or not _received(chain, packet)) and (late or packet.timeout_s_on_b * SECOND > world.now_ns)
    ]
    found = _some_proven(world, chain, waiting, lambda packet: packet.client_id_on_b)
    if found is None:
        return None
    packet, proofs = found
    key = paths.packet_commitment_v2_path(packet.client_id_on_a, packet.sequence)
    message = MsgRecvPacketV2(packet, proofs.proof(key), proofs.height, world.relayer)
    return [*proofs.before, message]


def acknowledge(world: World, chain: WalkChain) -> list[object] | None:
    """Deliver an acknowledgement of the other chain."""
    answers = world.packet_logs[world.other(chain).name].answers_v2
    waiting = [
        packet for packet in pending(world, chain) if (packet.client_id_on_b, packet.sequence) in answers
    ]
    found = _some_proven(world, chain, waiting, lambda packet: packet.client_id_on_a)
    if found is None:
        return None
    packet, proofs = found
    answer = answers[packet.client_id_on_b, packet.sequence]
    proof = proofs.proof(paths.packet_acknowledgement_v2_path(packet.client_id_on_b, packet.sequence))
    return [*proofs.before, MsgAcknowledgementV2(packet, answer, proof, proofs.height, world.relayer)]


def timeout(world: World, chain: WalkChain) -> list[object] | None:
    """Time out a packet; sometimes too early."""
    far, early = world.other(chain), world.choices.chance(10)
    late = [
        packet
        for packet in pending(world, chain)
        if (early or packet.timeout_s_on_b * SECOND <= world.now_ns) and not _received(far, packet)
    ]
    found = _some_proven(world, chain, late, lambda packet: packet.client_id_on_a)
    if found is None:
        return None
    packet, proofs = found
    proof = proofs.proof(paths.packet_receipt_v2_path(packet.client_id_on_b, packet.sequence))
    return [*proofs.before, MsgTimeoutV2(packet, proof, proofs.height, world.relayer)]


def answer_later(world: World, chain: WalkChain) -> list[object] | None:
    """A mock application acknowledges a packet asynchronously."""
    log = world.packet_logs[chain.name]
    waiting = [
        packet
        for packet in log.received_v2
        if (packet.client_id_on_b, packet.sequence) not in log.answers_v2 or world.choices.chance(5)
    ]
    if not waiting:
        return None
    packet = world.choices.pick(waiting)
    answer = world.choices.weighted(((6, (acks.success(b"later"),)), (1, ()), (1, (b"",)), (1, (b"a", b"b"))))
    args = {
        "client": packet.client_id_on_b,
        "sequence": packet.sequence,
        "acknowledgement_b64": text_of(encode_acknowledgement(answer)),
    }
    return [Action("write_acknowledgement_v2", args)]


MOVES: tuple[tuple[int, Move], ...] = (
    (4, register),
    (3, configure),
    (12, send),
    (14, recv),
    (10, acknowledge),
    (6, timeout),
    (3, answer_later),
)
"""Weights and moves."""
