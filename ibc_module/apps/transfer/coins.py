"""What ICS-20 does with coins: escrowed where they are native, burned and minted where they are vouchers."""

from functools import lru_cache

from ibc_core.address import Address, AddressCodec
from ibc_core.application.services import Bank
from ibc_core.coin import Coin, coin
from ibc_core.errors import ReceiveDisabled, SendDisabled, Unauthorized
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.transfer.denom import REMEMBERED, Denom, Hop, make_denom
from ibc_core.transfer.msg_transfer import check_memo
from ibc_module.apps.transfer import state
from ibc_module.apps.transfer.escrow import escrow_address
from ibc_module.apps.transfer.packet_data import TransferData


def came_over(denom: Denom, port_id: str, channel_id: str) -> bool:
    """Whether the last hop is this one: a coin that leaves there goes home."""
    # guard: h40-any-first-hop-leads-home {denom.trace[:1] == ((port_id, channel_id),) => bool(denom.trace)}
    #   test_h40_a_hostile_chain_takes_out_no_more_than_came_in
    #   test_h40_a_coin_that_went_elsewhere_does_not_come_home_here
    return denom.trace[:1] == ((port_id, channel_id),)


def voucher(denom: Denom, port_id: str, channel_id: str) -> Denom:
    """The denomination on the chain that received it there: with one more hop in front."""
    hop = _remembered if len(denom.path) <= REMEMBERED else _with_hop
    return hop(denom.base, denom.trace, port_id, channel_id)


def _with_hop(base: str, trace: tuple[Hop, ...], port_id: str, channel_id: str) -> Denom:
    return make_denom(base, (Hop(port_id, channel_id), *trace))


_remembered = lru_cache(4096)(_with_hop)


def without_first_hop(denom: Denom) -> Denom:
    """The denomination before its last hop, which stands first. Only for one that has a hop."""
    return make_denom(denom.base, denom.trace[1:])


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
        if came_over(denom, port, channel):
            self._bank.send(ctx, sender, self._module, moved)
            self._bank.burn(ctx, self._module, moved)
        else:
            self._bank.send(ctx, sender, self._escrow(port, channel), moved)
            state.more_in_escrow(ctx, moved)

    def give_back(
        self, ctx: WriteContext, sender: Address, denom: Denom, amount: int, port: str, channel: str
    ) -> None:
        """Undoes `take` after an error acknowledgement or a timeout.

        Raises:
            LogicFault: see `put`.
        """
        moved = coin(denom.coin_denom, amount)
        if came_over(denom, port, channel):
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
        """Credits `receiver` with what arrived: our own coins out of escrow, or newly minted vouchers.

        Raises:
            LogicFault: more than was ever escrowed: the rest came into the escrow account by hand. ibc-go
                panics, so that the message fails.
        """
        if came_over(denom, port_on_a, channel_on_a):
            moved = coin(without_first_hop(denom).coin_denom, amount)
            self._unescrow(ctx, receiver, moved, port_on_b, channel_on_b)
            return
        # guard: h40-vouchers-are-not-bound-to-their-channel {channel_on_b => 'channel-0'}
        #   test_h40_the_same_coin_over_two_channels_is_two_vouchers
        #   test_h40_the_same_coin_through_two_clients_is_two_vouchers
        new = voucher(denom, port_on_b, channel_on_b)
        state.add_denom(ctx, new)
        ctx.emit(("denomination", (("denom_hash", new.hash_text), ("denom", new.json))))
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
        # guard: h40-coins-come-out-of-nowhere {=> self._bank.mint(ctx, receiver, amount)}
        #   test_h40_a_hostile_chain_cannot_move_another_channels_escrow
        #   test_h40_a_hostile_chain_takes_out_no_more_than_came_in
        self._bank.send(ctx, self._escrow(port, channel), receiver, amount)
        state.less_in_escrow(ctx, amount)

    def _escrow(self, port: str, channel: str) -> Address:
        return self._addresses.encode(escrow_address(port, channel))


class Settlement:
    """Sends, receives and refunds the coins of transfers on one chain, over a channel or between two clients.

    An end is a port and a channel, or on IBC v2 a client in the channel's place.
    """

    def __init__(self, coins: CoinMover, bank: Bank, addresses: AddressCodec) -> None:
        self._coins = coins
        self._bank = bank
        self._addresses = addresses

    def check_send(self, ctx: ReadContext, sender: Address, coin_denom: str) -> None:
        """Checks that the sender may send such coins.

        Raises:
            Unauthorized: the sender is another module.
            SendDisabled: such coins may not be moved.
        """
        self._coins.check_may_hold(sender)
        if not self._bank.is_send_enabled(ctx, coin_denom):
            raise SendDisabled

    def receive(
        self,
        ctx: WriteContext,
        data: TransferData,
        port_on_a: str,
        channel_on_a: str,
        port_on_b: str,
        channel_on_b: str,
    ) -> None:
        """Gives the receiver his coins.

        Raises:
            InvalidMemo, ReceiveDisabled, InvalidAddress, Unauthorized, InsufficientBalance.
        """
        if data.memo:
            check_memo(data.memo)
        if not state.params(ctx).receive_enabled:
            raise ReceiveDisabled
        receiver = self._addresses.decode(data.receiver, "receiver")
        self._coins.check_may_hold(receiver)
        self._coins.put(
            ctx, receiver, data.denom, data.amount, port_on_a, channel_on_a, port_on_b, channel_on_b
        )

    def refund(self, ctx: WriteContext, data: TransferData, port: str, channel: str) -> None:
        """Gives the sender his coins back, which he sent over our `port`/`channel`.

        Raises:
            InvalidAddress, Unauthorized, InsufficientBalance.
        """
        sender = self._addresses.decode(data.sender, "sender")
        self._coins.check_may_hold(sender)
        self._coins.give_back(ctx, sender, data.denom, data.amount, port, channel)
