"""Moves of attestation clients: their attestors sign the state of another chain, which does not exist."""

from collections.abc import Sequence
from hashlib import sha256

from conformance.walks import view
from conformance.walks.chain import WalkChain
from conformance.walks.moves import Move
from conformance.walks.moves.packets_v2 import DATA, PORTS, counterparty, is_pending
from conformance.walks.world import World
from light_client.attestations.client import CLIENT_TYPE
from light_client.attestations.states import (
    NOTHING,
    PACKET_TAG,
    STATE_TAG,
    AttestedEntry,
    encode_proof,
    load_client_state,
    packets_data,
    sign_attestation,
    state_data,
)
from pyibc.codec.anys import AnyMessage, pack
from pyibc.core import paths
from pyibc.core.client.messages import MsgCreateClient, MsgUpdateClient
from pyibc.core.client_v2 import MsgRegisterCounterparty
from pyibc.core.crypto import ethereum
from pyibc.core.height import Height
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.packet_v2.messages import MsgAcknowledgementV2, MsgRecvPacketV2, MsgSendPacket, MsgTimeoutV2
from pyibc.core.packet_v2.types import PacketV2, Payload, acknowledgement_commitment, packet_commitment
from pyibc.proto.ibc.lightclients.attestations.v1 import attestations_pb2 as pb
from pyibc.testing.pair import SECOND

KEYS = tuple(sha256(f"attestor {number}".encode()).digest() for number in range(4))
"""Attestors' keys; no client knows the last one."""
KNOWN, QUORUM = 3, 2
FAR_CLIENT = "attestations-77"


def create(world: World, chain: WalkChain) -> list[object] | None:
    """Create a client with three attestors, or with an invalid quorum."""
    usable = [each for each in view.client_ids(chain, CLIENT_TYPE) if not _is_frozen(chain, each)]
    if len(usable) > 2:
        return None
    known = [ethereum.own_address(key).hex() for key in KEYS[:KNOWN]]
    names = world.choices.weighted(
        ((6, known), (1, [*known, known[0].upper()]), (1, []), (1, ["0x", *known]))
    )
    names = [world.choices.pick(("", "0x", "0X")) + each for each in names]
    quorum, time_ns = world.choices.weighted(((18, QUORUM), (1, 0), (1, 9))), world.now_ns // SECOND * SECOND
    height = world.choices.weighted(((18, 7), (1, 0)))
    state = pb.ClientState(attestor_addresses=names, min_required_sigs=quorum, latest_height=height)
    consensus = pb.ConsensusState(timestamp=world.choices.weighted(((18, time_ns), (1, 0))))
    return [MsgCreateClient(pack(state), pack(consensus), world.relayer)]


def _one(world: World, chain: WalkChain) -> str | None:
    """Return a client, mostly an active one."""
    found = view.client_ids(chain, CLIENT_TYPE)
    ready = [each for each in found if counterparty(chain, each) and not _is_frozen(chain, each)]
    return world.choices.pick(ready if ready and world.choices.chance(90) else found) if found else None


def _is_frozen(chain: WalkChain, client_id: str) -> bool:
    return load_client_state(chain.get(paths.client_state_path(client_id)) or b"").is_frozen


def _heights(chain: WalkChain, client_id: str) -> list[Height]:
    return view.known_heights(chain, client_id) or [Height(0, 7)]


def _signed(world: World, data: bytes, tag: bytes) -> pb.AttestationProof:
    """Return signatures: mostly by a quorum.

    Else too few, unknown, repeated, or of another type of attestation.
    """
    enough: Sequence[bytes] = KEYS[:QUORUM]
    odd = (KEYS[:1], (), (KEYS[0], KEYS[3]), (KEYS[0], KEYS[0]), KEYS[1:KNOWN], KEYS[:KNOWN])
    keys = enough if world.choices.chance(70) else world.choices.pick(odd)
    other = {STATE_TAG: PACKET_TAG, PACKET_TAG: STATE_TAG}[tag]
    return sign_attestation(keys, data, other if world.choices.chance(3) else tag)


def update(world: World, chain: WalkChain) -> list[object] | None:
    """Attest the time of a height: a later one, the same again, or a conflicting one."""
    client_id = _one(world, chain)
    if client_id is None:
        return None
    choices = world.choices
    last = max(each.revision_height for each in _heights(chain, client_id))
    height = choices.weighted(((18, last + choices.between(1, 3)), (1, last), (1, max(last - 1, 0))))
    time_ns = choices.weighted(((9, world.now_ns), (1, 0), (1, (2**64 - 1) * SECOND)))
    data = state_data(height, time_ns)
    if choices.chance(5):
        data = choices.pick((b"", data[:-1], packets_data(height, [AttestedEntry(b"x")])))
    message = pack(_signed(world, data, STATE_TAG))
    return [MsgUpdateClient(client_id, message, world.relayer)]


def register(world: World, chain: WalkChain) -> list[object] | None:
    """Register a counterparty client; a prefix of two parts is unusable for attestors."""
    free = [each for each in view.client_ids(chain, CLIENT_TYPE) if counterparty(chain, each) is None]
    if not free:
        return None
    prefix = world.choices.weighted(((8, (b"",)), (4, (b"a prefix",)), (1, (b"ibc", b""))))
    return [MsgRegisterCounterparty(world.choices.pick(free), prefix, FAR_CLIENT, world.relayer)]


def send(world: World, chain: WalkChain) -> list[object] | None:
    """Send mock data to the other chain."""
    client_id = _one(world, chain)
    if client_id is None:
        return None
    seconds = world.now_ns // SECOND + world.choices.pick((12, 40, 3600))
    return [MsgSendPacket(client_id, seconds, (_payload(world),), world.someone())]


def _payload(world: World) -> Payload:
    choices = world.choices
    data = choices.weighted(DATA)
    return Payload(choices.pick(PORTS), choices.pick(PORTS), "mock-version", "application/json", data)


def _proof(world: World, height: Height, path: bytes, commitment: bytes) -> bytes:
    """Return an attestation of the value at a path, sometimes of a wrong or an additional one."""
    choices = world.choices
    entry = AttestedEntry(path, commitment)
    other = AttestedEntry(path, sha256(commitment).digest())
    entries = choices.weighted(
        ((12, [entry]), (1, []), (1, [other]), (1, [other, entry]), (1, [AttestedEntry(b"else", commitment)]))
    )
    told = height.revision_height + (1 if choices.chance(4) else 0)
    return encode_proof(_signed(world, packets_data(told, entries), PACKET_TAG))


def _path(chain: WalkChain, client_id: str, key: bytes) -> bytes:
    prefix = view.counterparty_prefix(chain, client_id)
    return prefix[-1] + key if prefix else key


def recv(world: World, chain: WalkChain) -> list[object] | None:
    """Receive an attested packet."""
    client_id = _one(world, chain)
    if client_id is None:
        return None
    seconds = world.now_ns // SECOND + world.choices.pick((5, 3600))
    sequence = world.choices.between(1, 30)
    packet = PacketV2(sequence, FAR_CLIENT, client_id, seconds, (_payload(world),))
    height = world.choices.pick(_heights(chain, client_id))
    path = _path(chain, client_id, paths.packet_commitment_v2_path(FAR_CLIENT, sequence))
    proof = _proof(world, height, path, packet_commitment(packet))
    return [MsgRecvPacketV2(packet, proof, height, world.relayer)]


def _pending(world: World, chain: WalkChain) -> PacketV2 | None:
    sent = world.packet_logs[chain.name].sent_v2
    found = [each for each in sent if each.client_id_on_b == FAR_CLIENT and is_pending(chain, each)]
    return world.choices.pick(found) if found else None


def settle(world: World, chain: WalkChain) -> list[object] | None:
    """Acknowledge a packet, or time it out."""
    packet = _pending(world, chain)
    if packet is None:
        return None
    client_id, far, sequence = packet.client_id_on_a, packet.client_id_on_b, packet.sequence
    height = world.choices.pick(_heights(chain, client_id)[-3:])
    if world.choices.chance(50):
        path = _path(chain, client_id, paths.packet_receipt_v2_path(far, sequence))
        return [MsgTimeoutV2(packet, _proof(world, height, path, NOTHING), height, world.relayer)]
    answer = (world.choices.pick((acks.success(), acks.success(b"mock acknowledgement"), b"no")),)
    path = _path(chain, client_id, paths.packet_acknowledgement_v2_path(far, sequence))
    proof = _proof(world, height, path, acknowledgement_commitment(answer))
    return [MsgAcknowledgementV2(packet, answer, proof, height, world.relayer)]


def misuse(world: World, chain: WalkChain) -> list[object] | None:
    """Submit a malformed client message: no proof, or signatures of a wrong length."""
    client_id = _one(world, chain)
    if client_id is None:
        return None
    proof = _signed(world, state_data(9, world.now_ns), STATE_TAG)
    short = [each[: world.choices.pick((0, 64))] for each in proof.signatures]
    odd = [bytes([each[0] ^ 1]) + each[1:] for each in proof.signatures]
    high = [each[:-1] + bytes([each[-1] + 27]) for each in proof.signatures]
    del proof.signatures[:]
    proof.signatures.extend(world.choices.pick((short, odd, high)))
    packed = pack(proof)
    empty = AnyMessage(packed.type_url, b"")
    return [MsgUpdateClient(client_id, world.choices.pick((packed, packed, empty)), world.relayer)]


MOVES: tuple[tuple[int, Move], ...] = (
    (4, create),
    (6, update),
    (4, register),
    (6, send),
    (10, recv),
    (10, settle),
    (2, misuse),
)
"""Weights and moves."""
