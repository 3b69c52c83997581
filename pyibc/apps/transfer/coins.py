"""Bank operations of ICS-20: native coins are escrowed, vouchers are minted and burned."""

from functools import lru_cache
from hashlib import sha256

from pyibc.apps.transfer import state
from pyibc.apps.transfer.denom import MAX_CACHED_PATH, Denom, Hop, make_denom
from pyibc.apps.transfer.messages import check_memo
from pyibc.apps.transfer.packet_data import TransferData
from pyibc.core.address import Address, AddressCodec, module_address
from pyibc.core.application.services import Bank
from pyibc.core.coin import Coin, coin, is_denom
from pyibc.core.errors import LogicFault, ReceiveDisabled, SendDisabled, Unauthorized
from pyibc.core.host.context import ReadContext, WriteContext

# -- escrow accounts (ICS-20), and operations on them for middleware that forwards transfers
#
# Packet forwarding gets `EscrowMoves` and no other access to ICS-20's accounts and store. The operations
# keep `totalEscrowForDenom` up to date.


class EscrowMoves:
    """Moves, burns and mints coins in escrow accounts; an account is named by its (port, channel)."""

    def __init__(self, bank: Bank, addresses: AddressCodec) -> None:
        self._bank = bank
        self._addresses = addresses
        self._module = addresses.encode(module_address(state.MODULE_NAME))

    def move(self, ctx: WriteContext, amount: Coin, out_of: tuple[str, str], into: tuple[str, str]) -> None:
        """Move coins to the escrow account of another channel; the total in escrow stays the same.

        Raises:
            InsufficientBalance: the account holds less.
        """
        self._bank.send(ctx, self._account(out_of), self._account(into), amount)

    def burn(self, ctx: WriteContext, amount: Coin, out_of: tuple[str, str]) -> None:
        """Burn vouchers that are in escrow.

        Raises:
            InsufficientBalance: the account holds less.
            LogicFault: more than was ever escrowed; ibc-go panics.
        """
        self._bank.send(ctx, self._account(out_of), self._module, amount)
        self._bank.burn(ctx, self._module, amount)
        # guard: h170-burned-coins-stay-in-the-total test_h170_vouchers_made_here_are_burned_again
        #   test_h170_no_schedule_of_forwards_loses_or_makes_coins
        state.subtract_from_total_escrow(ctx, amount)

    def mint(self, ctx: WriteContext, amount: Coin, into: tuple[str, str]) -> None:
        """Mint vouchers in an escrow account, in place of those burned when they were sent on."""
        self._bank.mint(ctx, self._module, amount)
        self._bank.send(ctx, self._module, self._account(into), amount)
        # guard: h170-made-coins-are-not-in-the-total drop
        #   test_h170_vouchers_burned_on_the_way_home_are_made_again_in_escrow
        #   test_h170_no_schedule_of_forwards_loses_or_makes_coins
        state.add_to_total_escrow(ctx, amount)

    def _account(self, end: tuple[str, str]) -> Address:
        return self._addresses.encode(escrow_address(*end))


@lru_cache(4096)
def escrow_address(port_id: str, channel_id: str) -> bytes:
    """Return the escrow address of a channel or client.

    20 bytes: sha256("ics20-1" 0x00 "port/channel")[:20].
    """
    # guard: h40-one-escrow-for-all-channels {f'{port_id}/{channel_id}' => f'{port_id}'}
    #   test_h40_a_hostile_chain_cannot_move_another_channels_escrow
    #   test_h40_a_client_takes_out_no_more_than_came_in_through_it
    return sha256(b"ics20-1\0" + f"{port_id}/{channel_id}".encode()).digest()[:20]


# -- coins of packets


def has_prefix(denom: Denom, port_id: str, channel_id: str) -> bool:
    """Return whether the last hop is this port and channel: the coin returns to its source there."""
    # guard: h40-any-first-hop-leads-home {denom.trace[:1] == ((port_id, channel_id),) => bool(denom.trace)}
    #   test_h40_a_hostile_chain_takes_out_no_more_than_came_in
    #   test_h40_a_coin_that_went_elsewhere_does_not_come_home_here
    return denom.trace[:1] == ((port_id, channel_id),)


def voucher(denom: Denom, port_id: str, channel_id: str) -> Denom:
    """Return the denomination on the receiving chain, with one more hop in front."""
    hop = _cached if len(denom.path) <= MAX_CACHED_PATH else _with_hop
    return hop(denom.base, denom.trace, port_id, channel_id)


def _with_hop(base: str, trace: tuple[Hop, ...], port_id: str, channel_id: str) -> Denom:
    return make_denom(base, (Hop(port_id, channel_id), *trace))


_cached = lru_cache(4096)(_with_hop)


def without_first_hop(denom: Denom) -> Denom:
    """Return the denomination without its last hop, which stands first; it must have one."""
    return make_denom(denom.base, denom.trace[1:])


def _check_name(coin_denom: str) -> None:
    # guard: ics20-a-name-of-no-coin-is-answered
    #   test_a_name_that_no_coin_can_have_at_home_fails_the_transaction
    #   test_a_name_that_no_coin_can_have_at_home_is_no_answer
    if not is_denom(coin_denom):
        raise LogicFault(f"no coin can be named {coin_denom[:64]!a}")


class CoinMover:
    """Moves the coins of transfers through the host's bank."""

    def __init__(self, bank: Bank, addresses: AddressCodec, module: Address) -> None:
        """Set up the bank and the account `module`, which mints and burns vouchers."""
        self._bank = bank
        self._addresses = addresses
        self._module = module

    def escrow_or_burn(
        self, ctx: WriteContext, sender: Address, denom: Denom, amount: int, port: str, channel: str
    ) -> None:
        """Debit `sender` for a transfer over this chain's `port`/`channel`.

        Vouchers that came in over this channel are burned, all other coins are escrowed.

        Raises:
            LogicFault: no coin can have this name; ibc-go panics.
            InsufficientBalance, ...: the bank refuses.
        """
        moved = coin(denom.coin_denom, amount)
        _check_name(moved.denom)
        if has_prefix(denom, port, channel):
            self._bank.send(ctx, sender, self._module, moved)
            self._bank.burn(ctx, self._module, moved)
        else:
            self._bank.send(ctx, sender, self._escrow(port, channel), moved)
            state.add_to_total_escrow(ctx, moved)

    def refund(
        self, ctx: WriteContext, sender: Address, denom: Denom, amount: int, port: str, channel: str
    ) -> None:
        """Undo the debit after an error acknowledgement or a timeout.

        Raises:
            LogicFault: see `unescrow_or_mint`.
        """
        moved = coin(denom.coin_denom, amount)
        if has_prefix(denom, port, channel):
            self._mint(ctx, sender, moved)
        else:
            self._unescrow(ctx, sender, moved, port, channel)

    def unescrow_or_mint(
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
        """Credit `receiver`: this chain's own coins out of escrow, or newly minted vouchers.

        Raises:
            LogicFault: no coin can have this name, or more would leave escrow than ICS-20 ever put there
                (somebody sent coins to the escrow account directly). ibc-go panics in both cases: the
                transaction fails.
        """
        if has_prefix(denom, port_on_a, channel_on_a):
            home = without_first_hop(denom).coin_denom
            _check_name(home)
            self._unescrow(ctx, receiver, coin(home, amount), port_on_b, channel_on_b)
            return
        # guard: h40-vouchers-are-not-bound-to-their-channel {channel_on_b => 'channel-0'}
        #   test_h40_the_same_coin_over_two_channels_is_two_vouchers
        #   test_h40_the_same_coin_through_two_clients_is_two_vouchers
        new = voucher(denom, port_on_b, channel_on_b)
        state.add_denom(ctx, new)
        ctx.emit(("denomination", (("denom_hash", new.hash_text), ("denom", new.json))))
        self._mint(ctx, receiver, coin(new.coin_denom, amount))

    def check_may_hold(self, address: Address) -> None:
        """Check that the account may send and receive coins; ICS-20's own module account may, as in ibc-go.

        Raises:
            Unauthorized: it is another module's account.
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
        state.subtract_from_total_escrow(ctx, amount)

    def _escrow(self, port: str, channel: str) -> Address:
        return self._addresses.encode(escrow_address(port, channel))


class TransferKeeper:
    """Sends, receives and refunds coins over a channel, or between two clients of IBC v2.

    In IBC v2 the parameter for the channel holds the client identifier.
    """

    def __init__(self, coins: CoinMover, bank: Bank, addresses: AddressCodec) -> None:
        self._coins = coins
        self._bank = bank
        self._addresses = addresses

    def check_send(self, ctx: ReadContext, sender: Address, coin_denom: str) -> None:
        """Check that the sender may send coins of this denomination.

        Raises:
            Unauthorized: the sender is another module's account.
            SendDisabled: the bank does not allow transfers of this denomination.
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
        """Credit the receiver of a transfer.

        Raises:
            InvalidMemo: the memo is too long.
            ReceiveDisabled: the chain's parameters forbid it.
            InvalidAddress: the receiver is not an address of this chain.
            Unauthorized: the receiver is another module's account.
            InsufficientBalance: the escrow account holds less.
        """
        if data.memo:
            check_memo(data.memo)
        if not state.params(ctx).receive_enabled:
            raise ReceiveDisabled
        receiver = self._addresses.decode(data.receiver, "receiver")
        self._coins.check_may_hold(receiver)
        self._coins.unescrow_or_mint(
            ctx, receiver, data.denom, data.amount, port_on_a, channel_on_a, port_on_b, channel_on_b
        )

    def refund(self, ctx: WriteContext, data: TransferData, port: str, channel: str) -> None:
        """Return coins to the sender of a transfer over this chain's `port`/`channel`.

        Raises:
            InvalidAddress: the sender is not an address of this chain.
            Unauthorized: the sender is another module's account.
            InsufficientBalance: the escrow account holds less.
        """
        sender = self._addresses.decode(data.sender, "sender")
        self._coins.check_may_hold(sender)
        self._coins.refund(ctx, sender, data.denom, data.amount, port, channel)
