"""Handler of MsgTimeoutOnClose: chain A times out a packet because B closed the channel (ICS-4)."""

from handlers.packet.route import check_commitment, check_destination
from handlers.packet.timeout import VerifiedTimeout, execute, prove_unreceived
from keepers.keepers import Keepers
from light_client.interface import with_effect
from pyibc.core import paths
from pyibc.core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from pyibc.core.errors import InvalidPacket
from pyibc.core.host.context import ReadContext
from pyibc.core.packet.messages import REDUNDANT, MsgTimeoutOnClose, Redundant
from pyibc.core.packet.types import packet_commitment
from pyibc.core.wire.states import encode_channel_end

__all__ = ["execute", "validate"]


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgTimeoutOnClose) -> VerifiedTimeout | Redundant:
    """Check that the packet's commitment is stored, that chain B's end is CLOSED and has not received it.

    Raises:
        InvalidRoute, ChannelNotFound, InvalidPacket, ConnectionNotFound: the packet is not of this channel,
            or chain B's next sequence is beyond the packet's.
        ClientNotActive, DelayPeriodNotPassed, InvalidProof, ...: the proof does not verify.
    """
    packet = msg.packet
    # CHANNEL
    app = keepers.ports.route(packet.port_id_on_a)
    end_on_a = keepers.channels.get(ctx, packet.port_id_on_a, packet.channel_id_on_a)
    check_destination(end_on_a, packet)
    connection = keepers.connections.get(ctx, end_on_a.connection_id)
    # REPLAY
    # guard: h5-timeout-on-close-asks-for-no-commitment {keepers.packets.commitment(ctx, packet) =>
    #   packet_commitment(packet)} test_security_packets::test_h5_reentrant_app_cannot_be_refunded_twice
    #   test_h38_a_second_timeout_on_close_does_nothing
    commitment = keepers.packets.commitment(ctx, packet)
    if commitment is None:
        return REDUNDANT
    check_commitment(commitment, packet_commitment(packet))
    # PROOF
    closed_on_b = ChannelEnd(
        ChannelState.CLOSED,
        end_on_a.ordering,
        ChannelCounterparty(packet.port_id_on_a, packet.channel_id_on_a),
        (connection.counterparty.connection_id,),
        end_on_a.version,
    )
    # guard: h23-closed-end-under-the-own-port other:port_id_on_b
    #   test_timeout_on_close::test_an_unordered_packet_comes_back
    # guard: h23-closed-end-under-the-own-channel other:channel_id_on_b
    #   test_timeout_on_close::test_an_unordered_packet_comes_back
    path = paths.channel_path(packet.port_id_on_b, packet.channel_id_on_b)
    height, proof = msg.proof_height_on_b, msg.proof_close_on_b
    closed = keepers.connections.verify(ctx, connection, height, proof, path, encode_channel_end(closed_on_b))
    next_recv = msg.next_sequence_recv_on_b
    if end_on_a.ordering is Order.ORDERED and next_recv > packet.sequence:
        raise InvalidPacket(f"packet {packet.sequence} was received: the next sequence there is {next_recv}")
    # The second proof is verified after the effect of the first, which may have used a sequence.
    after = with_effect(ctx, closed)
    proof = msg.proof_unreceived_on_b
    unreceived = prove_unreceived(keepers, after, connection, end_on_a, packet, height, proof, next_recv)
    relayer = keepers.addresses.decode(msg.signer, "signer")
    return VerifiedTimeout(packet, end_on_a, app, relayer, unreceived or closed)
