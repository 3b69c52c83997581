"""Coins on their way: escrowed where they are native, burned and minted where they are vouchers."""

from ibc_core.address import Address, AddressCodec
from ibc_core.application.services import Bank
from ibc_core.coin import Coin, coin
from ibc_core.errors import LogicFault, Unauthorized
from ibc_core.host.context import WriteContext
from ibc_module.apps.transfer import events, state
from ibc_module.apps.transfer.denom import Denom, voucher, without_first_hop
from ibc_module.apps.transfer.escrow import escrow_address


class CoinMover:
    """Moves the coins of transfers through the host's bank."""

    def __init__(self, bank: Bank, addresses: AddressCodec, module: Address) -> None:
        """`module` is the account that mints and burns vouchers."""
        self._bank = bank
        self._addresses = addresses
        self._module = module

    def take(
        self, ctx: WriteContext, sender: Address, denom: Denom, amount: int, port: str, channel: str
    ) -> None:
        """Takes coins from `sender` to send them over our `port`/`channel`.

        Vouchers that came in over this channel are burned, all others are escrowed.
        """
        moved = coin(denom.coin_denom, amount)
        if denom.came_over(port, channel):
            self._bank.send(ctx, sender, self._module, moved)
            self._bank.burn(ctx, self._module, moved)
        else:
            self._bank.send(ctx, sender, self._escrow(port, channel), moved)
            state.set_total_escrow(ctx, moved.denom, state.total_escrow(ctx, moved.denom) + amount)

    def give_back(
        self, ctx: WriteContext, sender: Address, denom: Denom, amount: int, port: str, channel: str
    ) -> None:
        """Undoes `take` after an error acknowledgement or a timeout.

        Raises:
            LogicFault: see `put`.
        """
        moved = coin(denom.coin_denom, amount)
        if denom.came_over(port, channel):
            self._mint(ctx, sender, moved)
        else:
            self._unescrow(ctx, sender, moved, port, channel)

    def put(
        self,
        ctx: WriteContext,
        receiver: Address,
        denom: Denom,
        amount: int,
        port_on_a: str,
        channel_on_a: str,
        port_on_b: str,
        channel_on_b: str,
    ) -> None:
        """Gives `receiver` what came in: our own coins out of escrow, or vouchers of a foreign one.

        Raises:
            LogicFault: more than was ever escrowed: the rest came into the escrow account by hand. ibc-go
                panics, so that the message fails.
        """
        if denom.came_over(port_on_a, channel_on_a):
            moved = coin(without_first_hop(denom).coin_denom, amount)
            self._unescrow(ctx, receiver, moved, port_on_b, channel_on_b)
            return
        new = voucher(denom, port_on_b, channel_on_b)
        state.add_denom(ctx, new)
        events.denomination(ctx, new)
        self._mint(ctx, receiver, coin(new.coin_denom, amount))

    def check_may_hold(self, address: Address) -> None:
        """Checks that the account may send and receive coins; our own module's may, as in ibc-go.

        Raises:
            Unauthorized: it is another module's.
        """
        if self._bank.is_blocked(address.raw) and address.raw != self._module.raw:
            raise Unauthorized("an account that may hold coins", address.text)

    def _mint(self, ctx: WriteContext, receiver: Address, amount: Coin) -> None:
        self._bank.mint(ctx, self._module, amount)
        self._bank.send(ctx, self._module, receiver, amount)

    def _unescrow(self, ctx: WriteContext, receiver: Address, amount: Coin, port: str, channel: str) -> None:
        self._bank.send(ctx, self._escrow(port, channel), receiver, amount)
        total = state.total_escrow(ctx, amount.denom) - amount.amount
        if total < 0:
            raise LogicFault(f"{-total}{amount.denom} more than was ever escrowed would leave escrow")
        state.set_total_escrow(ctx, amount.denom, total)

    def _escrow(self, port: str, channel: str) -> Address:
        return self._addresses.encode(escrow_address(port, channel))
