"""ICS-20 guards: a channel's escrow pays only for that channel."""

from tools.guards.mutant import Mutant

PACKETS = "tests/road/test_security_packets.py::"
COINS = "tests/road/test_security_transfers.py::"
APP_V2 = "tests/unit/ibc_module/apps/transfer/test_app_v2.py::"

_COINS = "ibc_module/apps/transfer/coins.py"
_NOT_OTHERS = f"{COINS}test_h40_a_hostile_chain_cannot_move_another_channels_escrow"
_TWO_VOUCHERS = f"{COINS}test_h40_the_same_coin_over_two_channels_is_two_vouchers"
_NO_MORE = f"{COINS}test_h40_a_hostile_chain_takes_out_no_more_than_came_in"

H40 = (
    Mutant(
        "h40-vouchers-are-not-bound-to-their-channel",
        _COINS,
        (("new = voucher(denom, port_on_b, channel_on_b)", 'new = voucher(denom, port_on_b, "channel-0")'),),
        (_TWO_VOUCHERS, f"{APP_V2}test_h40_the_same_coin_through_two_clients_is_two_vouchers"),
    ),
    Mutant(
        "h40-any-first-hop-leads-home",
        _COINS,
        (("denom.trace[:1] == ((port_id, channel_id),)", "bool(denom.trace)"),),
        (_NO_MORE, f"{APP_V2}test_h40_a_coin_that_went_elsewhere_does_not_come_home_here"),
    ),
    Mutant(
        "h40-one-escrow-for-all-channels",
        "ibc_module/apps/transfer/escrow.py",
        (('f"{port_id}/{channel_id}"', 'f"{port_id}"'),),
        (_NOT_OTHERS, f"{APP_V2}test_h40_a_client_takes_out_no_more_than_came_in_through_it"),
    ),
    Mutant(
        "h40-coins-come-out-of-nowhere",
        _COINS,
        (
            (
                "        self._bank.send(ctx, self._escrow(port, channel), receiver, amount)\n",
                "        self._bank.mint(ctx, receiver, amount)\n",
            ),
        ),
        (_NOT_OTHERS, _NO_MORE),
    ),
    Mutant(
        "h40-a-packet-comes-from-any-channel",
        "handlers/packet/recv.py",
        (("    check_source(end_on_b, packet)\n", ""),),
        (f"{PACKETS}test_h40_a_packet_comes_from_the_other_end_of_its_channel",),
    ),
    Mutant(
        "h40-a-packet-went-to-any-channel",
        "handlers/packet/acknowledge.py",
        (("    check_destination(end_on_a, packet)\n", ""),),
        (f"{PACKETS}test_h40_an_answer_comes_from_the_other_end_of_its_channel",),
    ),
    Mutant(
        "h40-a-late-packet-went-to-any-channel",
        "handlers/packet/timeout.py",
        (("    check_destination(end_on_a, packet)\n", ""),),
        (f"{PACKETS}test_h40_a_receipt_that_another_channel_lacks_refunds_nothing",),
    ),
)
