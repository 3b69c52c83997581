"""The application of packets of coins: commit on success, rollback on error and timeout [IBC-packets 3.4]."""

from hashlib import sha256

from ibc_core.address import Address, AddressCodec
from ibc_core.application.services import Bank
from ibc_core.coin import Coin, coin
from ibc_core.errors import DenomNotFound, InvalidAddress, Unauthorized
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.host.shipped import shipped
from ibc_core.queue.application import QueueApp, QueueReceived, QueueRolledBack, QueueSending
from ibc_core.queue.types import End
from ibc_module.apps.queue_coins import state
from ibc_module.apps.queue_coins.denom import PREFIX, QueueDenom, Transfer, check_denom, decode_transfer

MODULE_NAME = "queue_coins"


def escrow_address(remote: End) -> bytes:
    """The escrow address for the other chain's end `remote`: 20 bytes, one address per end."""
    return sha256(b"queue-coins\0" + remote.text.encode()).digest()[:20]


def denom_of(ctx: ReadContext, name: str) -> QueueDenom:
    """The denomination of this chain's coin `name`.

    Raises:
        DenomNotFound: it has the form of a voucher, and no such voucher was minted here.
    """
    if not name.startswith(PREFIX):
        return QueueDenom(name)
    found = state.voucher(ctx, name)
    if found is None:
        raise DenomNotFound(name)
    return found


@shipped
class CoinsApp(QueueApp):
    """Escrows coins that leave, mints vouchers for coins that arrive, and the reverse.

    Args:
        bank: The host's coins.
        addresses: The host's spelling of addresses.
        module: The account that mints and burns vouchers.
    """

    def __init__(self, bank: Bank, addresses: AddressCodec, module: Address) -> None:
        self._bank = bank
        self._addresses = addresses
        self._module = module

    def on_send(self, ctx: WriteContext, sending: QueueSending) -> None:
        """Escrows the coins, or burns vouchers that return to their origin.

        Raises:
            Unauthorized: they are another's, or sending the coin is disabled.
            DenomNotFound: no such voucher was made here.
            InvalidRequest, InvalidCoins, InvalidAddress, InsufficientBalance.
        """
        packet, sender = sending
        transfer = decode_transfer(packet.data)
        owner = self._addresses.decode(transfer.sender, "sender")
        if owner.raw != sender.raw:
            raise Unauthorized(transfer.sender[:128], sender.text)
        if not transfer.receiver:
            raise InvalidAddress("receiver", "")
        name = transfer.denom.name
        if denom_of(ctx, name) != transfer.denom or not self._bank.is_send_enabled(ctx, name):
            raise Unauthorized("a coin that may be moved", name)
        moved = coin(name, transfer.amount)
        if transfer.denom.came_from(packet.destination):
            self._bank.send(ctx, owner, self._module, moved)
            self._bank.burn(ctx, self._module, moved)
        else:
            self._bank.send(ctx, owner, self._escrow(packet.destination), moved)

    def on_receive(self, ctx: WriteContext, received: QueueReceived) -> bytes:
        """Mints vouchers to the receiver, or releases our own coins from this end's escrow.

        Raises:
            Unauthorized: the receiver is a module.
            InvalidRequest, InvalidCoins, InvalidAddress, InsufficientBalance.
        """
        packet = received.packet
        transfer = decode_transfer(packet.data)
        receiver = self._addresses.decode(transfer.receiver, "receiver")
        if self._bank.is_blocked(receiver.raw):
            raise Unauthorized("an account that may hold coins", receiver.text)
        if transfer.denom.came_from(packet.destination):
            home = coin(transfer.denom.home().name, transfer.amount)
            self._bank.send(ctx, self._escrow(packet.source), receiver, home)
        else:
            voucher = transfer.denom.received_from(packet.source)
            check_denom(voucher)
            state.add_voucher(ctx, voucher)
            self._mint(ctx, receiver, coin(voucher.name, transfer.amount))
        return b""

    def on_commit(self) -> None:
        """Success on the other chain: escrowed coins stay in escrow, burned vouchers stay burned."""

    def on_rollback(self, ctx: WriteContext, rolled_back: QueueRolledBack) -> None:
        """Refunds the sender.

        Raises:
            InvalidRequest, InvalidCoins, InvalidAddress, InsufficientBalance: never, if `on_send` took them.
        """
        packet = rolled_back.packet
        transfer = decode_transfer(packet.data)
        owner = self._addresses.decode(transfer.sender, "sender")
        moved = self._coin(transfer)
        if transfer.denom.came_from(packet.destination):
            self._mint(ctx, owner, moved)
        else:
            self._bank.send(ctx, self._escrow(packet.destination), owner, moved)

    def _coin(self, transfer: Transfer) -> Coin:
        return coin(transfer.denom.name, transfer.amount)

    def _mint(self, ctx: WriteContext, receiver: Address, amount: Coin) -> None:
        self._bank.mint(ctx, self._module, amount)
        self._bank.send(ctx, self._module, receiver, amount)

    def _escrow(self, remote: End) -> Address:
        return self._addresses.encode(escrow_address(remote))
