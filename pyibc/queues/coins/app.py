"""Application of coin packets: commit on success, rollback on error and timeout [IBC-packets 3.4]."""

from collections.abc import Mapping
from hashlib import sha256

from ibc_module import hookimpl
from ibc_module.entry_store import EntryStore
from pyibc.core.address import Address, AddressCodec, module_address
from pyibc.core.application.services import Bank
from pyibc.core.coin import Coin, coin
from pyibc.core.errors import DenomNotFound, InvalidAddress, Unauthorized
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.isolation.builtin import builtin
from pyibc.queues.application import (
    MakeQueueApp,
    QueueApp,
    QueueReceived,
    QueueRolledBack,
    QueueSending,
    QueueServices,
)
from pyibc.queues.coins.denom import (
    PREFIX,
    CoinTransfer,
    QueueDenom,
    check_denom,
    decode_denom,
    decode_transfer,
    encode_denom,
)
from pyibc.queues.types import End

# -- store of coin transfers: the denominations of vouchers

STORE_NAME = "queue_coins"


def voucher(ctx: ReadContext, name: str) -> QueueDenom | None:
    """Return the denomination of the voucher `name`, None if it was never minted."""
    raw = ctx.reader(STORE_NAME).get(name.encode())
    return None if raw is None else decode_denom(raw)


def add_voucher(ctx: WriteContext, denom: QueueDenom) -> None:
    """Store a voucher's denomination, if it is new."""
    store, key = ctx.store(STORE_NAME), denom.name.encode()
    if not store.has(key):
        store.set(key, encode_denom(denom))


# -- the application

MODULE_NAME = "queue_coins"


def escrow_address(remote: End) -> bytes:
    """Return the escrow address (20 bytes) for the remote end; one per end."""
    return sha256(b"queue-coins\0" + remote.text.encode()).digest()[:20]


def denom_of(ctx: ReadContext, name: str) -> QueueDenom:
    """Return the denomination of this chain's coin `name`.

    Raises:
        DenomNotFound: it has the form of a voucher, and no such voucher was minted here.
    """
    if not name.startswith(PREFIX):
        return QueueDenom(name)
    found = voucher(ctx, name)
    if found is None:
        raise DenomNotFound(name)
    return found


@builtin
class CoinsApp(QueueApp):
    """Escrows coins that leave, mints vouchers for coins that arrive, and the reverse.

    Args:
        bank: The host's coins.
        addresses: The host's address codec.
        module: The account that mints and burns vouchers.
    """

    def __init__(self, bank: Bank, addresses: AddressCodec, module: Address) -> None:
        self._bank = bank
        self._addresses = addresses
        self._module = module

    def on_send(self, ctx: WriteContext, sending: QueueSending) -> None:
        """Escrow the coins, or burn vouchers that return to their origin.

        Raises:
            Unauthorized: the signer is not the owner, or the bank does not allow transfers of the coin.
            DenomNotFound: no such voucher was minted here.
            InvalidRequest: the data is not a canonical transfer.
            InvalidCoins, InvalidAddress, InsufficientBalance: the coins cannot be moved.
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
        """Mint vouchers for the receiver, or release this chain's coins from the end's escrow.

        Raises:
            Unauthorized: the receiver is a module account.
            InvalidRequest: the data is not a canonical transfer.
            InvalidCoins, InvalidAddress, InsufficientBalance: the coins cannot be moved.
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
            add_voucher(ctx, voucher)
            self._mint(ctx, receiver, coin(voucher.name, transfer.amount))
        return b""

    def on_commit(self) -> None:
        """Accept: escrowed coins stay in escrow, burned vouchers stay burned."""

    def on_rollback(self, ctx: WriteContext, rolled_back: QueueRolledBack) -> None:
        """Refund the sender.

        Raises:
            InvalidRequest, InvalidCoins, InvalidAddress, InsufficientBalance: never, if `on_send`
                accepted the packet.
        """
        packet = rolled_back.packet
        transfer = decode_transfer(packet.data)
        owner = self._addresses.decode(transfer.sender, "sender")
        moved = self._coin(transfer)
        if transfer.denom.came_from(packet.destination):
            self._mint(ctx, owner, moved)
        else:
            self._bank.send(ctx, self._escrow(packet.destination), owner, moved)

    def _coin(self, transfer: CoinTransfer) -> Coin:
        return coin(transfer.denom.name, transfer.amount)

    def _mint(self, ctx: WriteContext, receiver: Address, amount: Coin) -> None:
        self._bank.mint(ctx, self._module, amount)
        self._bank.send(ctx, self._module, receiver, amount)

    def _escrow(self, remote: End) -> Address:
        return self._addresses.encode(escrow_address(remote))


# -- plugin of coin transfers over queues

COINS = "coins"
"""Packet type."""


@builtin
class QueueCoinsPlugin(EntryStore):
    """Coin transfers over queues, for hosts with a bank and `QueuePlugin`.

    The store must survive an export of the genesis: vouchers could not be redeemed without it.
    """

    store_name = STORE_NAME

    @hookimpl
    def ibc_register_queue_apps(self) -> Mapping[str, MakeQueueApp]:
        """Register the application of packet type `coins`."""
        return {COINS: _make}


def _make(services: QueueServices) -> QueueApp:
    if services.bank is None:
        raise ValueError("coins over queues need a host that offers its coins through the hook ibc_bank")
    module = services.addresses.encode(module_address(MODULE_NAME))
    return CoinsApp(services.bank, services.addresses, module)
