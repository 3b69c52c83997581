"""Timeouts and cleanup by a module (ICS-4 timeoutPacket, timeoutOnClose, cleanupPacket)."""

from handlers.direct import plain
from handlers.direct.access import ModuleAccess
from handlers.direct.caller import calling, silent
from handlers.packet import cleanup, timeout, timeout_on_close
from ibc_core.channel.types import Order
from ibc_core.direct.calls import AnyPacket
from ibc_core.direct.capability import Capability
from ibc_core.errors import InvalidRequest, InvalidSequence, PacketCommitmentNotFound
from ibc_core.height import Height
from ibc_core.host.context import WriteContext
from ibc_core.numbers import u64
from ibc_core.packet.cleanup import MsgCleanupPacket
from ibc_core.packet.outcome import Redundant
from ibc_core.packet.timeout import MsgTimeout
from ibc_core.packet.timeout_on_close import MsgTimeoutOnClose
from ibc_core.packet.types import Packet


def timeout_packet(
    access: ModuleAccess,
    ctx: WriteContext,
    held: Capability,
    packet: AnyPacket,
    proof: bytes,
    proof_height: Height,
    next_recv: int | None,
) -> Packet:
    """See `ibc_core.direct.calls.DirectHandler`."""
    plain.proven(proof, proof_height)
    clear = _own(access, ctx, held, packet)
    # PROOF
    msg = MsgTimeout(clear, proof, proof_height, _counter(next_recv), access.signer(clear.port_id_on_a))
    return _take_back(access, ctx, clear, timeout.validate(access.keepers, ctx, msg))


def timeout_on_close_(
    access: ModuleAccess,
    ctx: WriteContext,
    held: Capability,
    packet: AnyPacket,
    proofs: tuple[bytes, bytes],
    proof_height: Height,
    next_recv: int | None,
) -> Packet:
    """See `ibc_core.direct.calls.DirectHandler.timeout_on_close`."""
    for proof in proofs:
        plain.proven(proof, proof_height)
    clear = _own(access, ctx, held, packet)
    signer = access.signer(clear.port_id_on_a)
    # PROOF
    msg = MsgTimeoutOnClose(clear, *proofs, proof_height, _counter(next_recv), signer)
    return _take_back(access, ctx, clear, timeout_on_close.validate(access.keepers, ctx, msg))


def _own(access: ModuleAccess, ctx: WriteContext, held: Capability, packet: AnyPacket) -> Packet:
    """The decoded packet, of a channel that the caller has the capability of, closed or not."""
    clear = access.clear(packet)
    # CHANNEL
    access.keepers.channels.get(ctx, clear.port_id_on_a, clear.channel_id_on_a)
    access.channel_or_port(ctx, held, clear.port_id_on_a, clear.channel_id_on_a)
    return clear


def _counter(next_recv: int | None) -> int:
    """The other chain's nextSequenceRecv as the handlers expect it: 0 means that it has none.

    Raises:
        InvalidSequence: 0, which no counter has.
        InvalidRequest: outside 64 bits.
    """
    if next_recv is None:
        return 0
    plain.require(int, next_recv)
    if next_recv == 0:
        raise InvalidSequence("next_sequence_recv", 0)
    return u64(next_recv, "next_sequence_recv")


def _take_back(
    access: ModuleAccess, ctx: WriteContext, packet: Packet, verified: timeout.VerifiedTimeout | Redundant
) -> Packet:
    if isinstance(verified, Redundant):
        raise PacketCommitmentNotFound(packet.port_id_on_a, packet.channel_id_on_a, packet.sequence)
    # STATE
    timeout.execute(access.keepers, ctx, verified._replace(app=calling()))
    return packet


def cleanup_packet(
    access: ModuleAccess,
    ctx: WriteContext,
    channel: Capability,
    packet: AnyPacket,
    proof: bytes,
    proof_height: Height,
    claim: int | bytes,
) -> Packet:
    """See `ibc_core.direct.calls.DirectHandler`."""
    plain.proven(proof, proof_height)
    clear = access.clear(packet)
    keepers, port_id, channel_id = access.keepers, clear.port_id_on_a, clear.channel_id_on_a
    # CHANNEL
    end = keepers.channels.get_open(ctx, port_id, channel_id)
    access.channel(ctx, channel, port_id, channel_id)
    ordered = end.ordering is Order.ORDERED
    if type(claim) is not (int if ordered else bytes):
        raise InvalidRequest(f"{end.ordering.text} channels show {'a sequence' if ordered else 'an answer'}")
    # PROOF
    msg = MsgCleanupPacket(
        clear,
        proof,
        proof_height,
        claim if isinstance(claim, int) else 0,
        claim if isinstance(claim, bytes) else b"",
        access.signer(port_id),
    )
    verified = cleanup.prove(keepers, ctx, msg, silent)
    if isinstance(verified, Redundant):
        raise PacketCommitmentNotFound(port_id, channel_id, clear.sequence)
    # STATE
    cleanup.execute(keepers, ctx, verified)
    return clear
