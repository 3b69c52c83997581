"""Direct calls for timeouts and cleanup (ICS-4 timeoutPacket, timeoutOnClose, cleanupPacket)."""

from handlers.packet import timeout, timeout_on_close
from pyibc.core.channel.types import Order
from pyibc.core.errors import InvalidRequest, InvalidSequence, PacketCommitmentNotFound
from pyibc.core.height import Height
from pyibc.core.host.context import WriteContext
from pyibc.core.numbers import u64
from pyibc.core.packet.messages import MsgTimeout, MsgTimeoutOnClose, Redundant
from pyibc.core.packet.types import Packet
from pyibc.direct.calls import AnyPacket
from pyibc.direct.capability import Capability
from pyibc.direct.handlers import cleanup, plain
from pyibc.direct.handlers.access import ModuleAccess, do_nothing, stub_app
from pyibc.direct.messages import MsgCleanupPacket
from pyibc.isolation.scoped_context import opened


class TimeoutCalls:
    """Timeout and cleanup functions of a `DirectHandler`."""

    __slots__ = ()
    _access: ModuleAccess

    def timeout_packet(
        self,
        ctx: WriteContext,
        held: Capability,
        packet: AnyPacket,
        proof: bytes,
        proof_height: Height,
        next_sequence_recv: int | None,
    ) -> Packet:
        """Implement `DirectHandler.timeout_packet`."""
        access, ctx = self._access, opened(ctx)
        plain.proven(proof, proof_height)
        decoded = _authorized(access, ctx, held, packet)
        # PROOF
        msg = MsgTimeout(
            decoded, proof, proof_height, _counter(next_sequence_recv), access.signer(decoded.port_id_on_a)
        )
        return _execute(access, ctx, decoded, timeout.validate(access.keepers, ctx, msg))

    def timeout_on_close(
        self,
        ctx: WriteContext,
        held: Capability,
        packet: AnyPacket,
        proofs: tuple[bytes, bytes],
        proof_height: Height,
        next_sequence_recv: int | None,
    ) -> Packet:
        """Implement `DirectHandler.timeout_on_close`."""
        access, ctx = self._access, opened(ctx)
        for proof in proofs:
            plain.proven(proof, proof_height)
        decoded = _authorized(access, ctx, held, packet)
        signer = access.signer(decoded.port_id_on_a)
        # PROOF
        msg = MsgTimeoutOnClose(decoded, *proofs, proof_height, _counter(next_sequence_recv), signer)
        return _execute(access, ctx, decoded, timeout_on_close.validate(access.keepers, ctx, msg))

    def cleanup_packet(
        self,
        ctx: WriteContext,
        channel: Capability,
        packet: AnyPacket,
        proof: bytes,
        proof_height: Height,
        next_sequence_recv_or_acknowledgement: int | bytes,
    ) -> Packet:
        """Implement `DirectHandler.cleanup_packet`."""
        access, ctx = self._access, opened(ctx)
        claim = next_sequence_recv_or_acknowledgement
        plain.proven(proof, proof_height)
        decoded = access.decode(packet)
        keepers, port_id, channel_id = access.keepers, decoded.port_id_on_a, decoded.channel_id_on_a
        # CHANNEL
        end = keepers.channels.get_open(ctx, port_id, channel_id)
        access.channel(ctx, channel, port_id, channel_id)
        ordered = end.ordering is Order.ORDERED
        if type(claim) is not (int if ordered else bytes):
            raise InvalidRequest(
                f"{end.ordering.text} channels need {'a sequence' if ordered else 'an acknowledgement'}"
            )
        # PROOF
        msg = MsgCleanupPacket(
            decoded,
            proof,
            proof_height,
            claim if isinstance(claim, int) else 0,
            claim if isinstance(claim, bytes) else b"",
            access.signer(port_id),
        )
        verified = cleanup.prove(keepers, ctx, msg, do_nothing)
        if isinstance(verified, Redundant):
            raise PacketCommitmentNotFound(port_id, channel_id, decoded.sequence)
        # STATE
        cleanup.execute(keepers, ctx, verified)
        return decoded


def _authorized(access: ModuleAccess, ctx: WriteContext, held: Capability, packet: AnyPacket) -> Packet:
    """Return the decoded packet of a channel for which the caller has the capability, closed or not."""
    decoded = access.decode(packet)
    # CHANNEL
    access.keepers.channels.get(ctx, decoded.port_id_on_a, decoded.channel_id_on_a)
    access.channel_or_port(ctx, held, decoded.port_id_on_a, decoded.channel_id_on_a)
    return decoded


def _counter(next_recv: int | None) -> int:
    """Return the counterparty's nextSequenceRecv as the handlers expect it: 0 means no such counter.

    Raises:
        InvalidSequence: it is 0, which no counter is.
        InvalidRequest: it is outside 64 bits.
    """
    if next_recv is None:
        return 0
    plain.require(int, next_recv)
    if next_recv == 0:
        raise InvalidSequence("next_sequence_recv", 0)
    return u64(next_recv, "next_sequence_recv")


def _execute(
    access: ModuleAccess, ctx: WriteContext, packet: Packet, verified: timeout.VerifiedTimeout | Redundant
) -> Packet:
    if isinstance(verified, Redundant):
        raise PacketCommitmentNotFound(packet.port_id_on_a, packet.channel_id_on_a, packet.sequence)
    # STATE
    timeout.execute(access.keepers, ctx, verified._replace(app=stub_app()))
    return packet
