"""What middleware that sends transfers on may do to coins in escrow; `totalEscrowForDenom` follows.

The middleware says which: it knows what became of the packets. It is given this and nothing else of ICS-20's
accounts and store.
"""

from ibc_core.address import Address, AddressCodec
from ibc_core.application.services import Bank
from ibc_core.coin import Coin
from ibc_core.host.context import WriteContext
from ibc_core.host.module_account import module_address
from ibc_module.apps.transfer import state
from ibc_module.apps.transfer.escrow import escrow_address


class EscrowMoves:
    """Coins of escrow accounts: moved, destroyed, made. An account belongs to a port and channel."""

    def __init__(self, bank: Bank, addresses: AddressCodec) -> None:
        self._bank = bank
        self._addresses = addresses
        self._module = addresses.encode(module_address(state.MODULE_NAME))

    def move(self, ctx: WriteContext, amount: Coin, out_of: tuple[str, str], into: tuple[str, str]) -> None:
        """Moves coins to the escrow account of another channel: as much is in escrow as before.

        Raises:
            InsufficientBalance: they are not there.
        """
        self._bank.send(ctx, self._account(out_of), self._account(into), amount)

    def burn(self, ctx: WriteContext, amount: Coin, out_of: tuple[str, str]) -> None:
        """Destroys vouchers that are in escrow.

        Raises:
            InsufficientBalance: they are not there.
            LogicFault: more than was ever escrowed; ibc-go panics.
        """
        self._bank.send(ctx, self._account(out_of), self._module, amount)
        self._bank.burn(ctx, self._module, amount)
        # guard: h170-burned-coins-stay-in-the-total test_h170_vouchers_made_here_are_burned_again
        #   test_h170_vouchers_that_the_middle_made test_h170_no_schedule_of_forwards_loses_or_makes_coins
        state.less_in_escrow(ctx, amount)

    def mint(self, ctx: WriteContext, amount: Coin, into: tuple[str, str]) -> None:
        """Makes coins in an escrow account, which were burned when they were sent on."""
        self._bank.mint(ctx, self._module, amount)
        self._bank.send(ctx, self._module, self._account(into), amount)
        # guard: h170-made-coins-are-not-in-the-total drop
        #   test_h170_vouchers_burned_on_the_way_home_are_made_again_in_escrow
        #   test_h170_coins_that_were_burned_in_the_middle
        #   test_h170_no_schedule_of_forwards_loses_or_makes_coins
        state.more_in_escrow(ctx, amount)

    def _account(self, end: tuple[str, str]) -> Address:
        return self._addresses.encode(escrow_address(*end))
