"""Which coins a forwarded packet moves, and how they get ready for the way back."""

from ibc_core.coin import coin
from ibc_core.errors import ForwardRefundFailed, InsufficientBalance
from ibc_core.host.context import WriteContext
from ibc_core.packet.types import Packet
from ibc_core.packet_forward.in_flight import InFlight
from ibc_core.transfer.denom import Denom
from ibc_module.apps.transfer.coins import came_over, voucher, without_first_hop
from ibc_module.apps.transfer.escrow_moves import EscrowMoves
from ibc_module.apps.transfer.packet_data import TransferData


def received(packet: Packet, denom: Denom) -> str:
    """What the coins of a packet are called on the chain that received it."""
    if came_over(denom, packet.port_id_on_a, packet.channel_id_on_a):
        return without_first_hop(denom).coin_denom
    return voucher(denom, packet.port_id_on_b, packet.channel_id_on_b).coin_denom


def ready_for_refund(
    ctx: WriteContext, moves: EscrowMoves, sent: Packet, data: TransferData, waiting: InFlight
) -> None:
    """Puts the coins of a packet that was sent on and failed where they were before it came.

    They are in escrow for the way on, or burned; the refund on the chain before this one wants them in escrow
    for the way back, or burned.

    Raises:
        ForwardRefundFailed: they are not there.
        LogicFault: fewer were ever escrowed.
    """
    amount = coin(data.denom.coin_denom, data.amount)
    onward = sent.port_id_on_a, sent.channel_id_on_a
    back = waiting.port_id_on_b, waiting.channel_id_on_b
    try:
        # guard: h170-burned-coins-are-not-made-again drop
        #   test_h170_vouchers_burned_on_the_way_home_are_made_again_in_escrow
        #   test_h170_coins_that_were_burned_in_the_middle
        #   test_h170_no_schedule_of_forwards_loses_or_makes_coins
        if came_over(data.denom, *onward):
            moves.mint(ctx, amount, back)
        # guard: h170-vouchers-are-moved-and-not-burned test_h170_vouchers_made_here_are_burned_again
        #   test_h170_vouchers_that_the_middle_made test_h170_no_schedule_of_forwards_loses_or_makes_coins
        elif came_over(data.denom, *back):
            moves.burn(ctx, amount, onward)
        else:
            # guard: h170-coins-stay-in-the-escrow-of-the-way-on drop
            #   test_h170_coins_of_this_chain_go_back_into_the_escrow_they_came_out_of
            #   test_h170_the_middles_own_coins test_h170_no_schedule_of_forwards_loses_or_makes_coins
            moves.move(ctx, amount, onward, back)
    except InsufficientBalance as error:
        raise ForwardRefundFailed(str(error)) from error
