"""Coins over queues: vouchers named after the ends that they came through.

A voucher's name is `queue/` and the SHA-256 of its encoding in hexadecimal: coins with the same base that
came from two ends are two coins (H40).
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import NamedTuple

from google.protobuf.message import DecodeError

from ibc_module import hookimpl
from ibc_module.entry_store import EntryStore
from pyibc.core.address import Address, AddressCodec, module_address
from pyibc.core.application.services import Bank
from pyibc.core.coin import Coin, coin, is_denom
from pyibc.core.errors import DenomNotFound, InvalidAddress, InvalidCoins, InvalidRequest, Unauthorized
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.memo import memoize
from pyibc.core.numbers import MAX_U256
from pyibc.core.value import sealed
from pyibc.isolation.isolate import builtin
from pyibc.proto.pyibc.queue_coins.v1 import coins_pb2 as pb
from pyibc.queues.application import (
    MakeQueueApp,
    QueueApp,
    QueueReceived,
    QueueRolledBack,
    QueueSending,
    QueueServices,
)
from pyibc.queues.types import End, parse_end

PREFIX = "queue/"
MAX_HOPS = 16


@sealed
class QueueDenom(NamedTuple):
    """Base denomination and the ends it came through, the last one first."""

    base: str
    hops: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Bank's name of the coin on the chain that holds it."""
        return PREFIX + _digest(self).hex().upper() if self.hops else self.base

    def came_from(self, end: End) -> bool:
        """Return whether the coin was received from `end`, so that sending it there returns it."""
        return bool(self.hops) and self.hops[0] == end.text

    def received_from(self, end: End) -> "QueueDenom":
        """Return the denomination on a chain that receives the coin from `end`."""
        return QueueDenom(self.base, (end.text, *self.hops))

    def home(self) -> "QueueDenom":
        """Return the denomination without its last hop."""
        return QueueDenom(self.base, self.hops[1:])


@memoize(4096)
def _digest(denom: QueueDenom) -> bytes:
    return sha256(encode_denom(denom)).digest()


@sealed
class CoinTransfer(NamedTuple):
    """Data of a coin packet."""

    denom: QueueDenom  # on the sending chain
    amount: int
    sender: str  # address on the sending chain
    receiver: str  # address on the receiving chain


def encode_denom(denom: QueueDenom) -> bytes:
    """Encode as `pyibc.queue_coins.v1.Denom`."""
    return pb.Denom(base=denom.base, hops=denom.hops).SerializeToString(deterministic=True)


def decode_denom(raw: bytes) -> QueueDenom:
    """Decode a `Denom` of this chain's store."""
    wire = pb.Denom.FromString(raw)
    return QueueDenom(wire.base, tuple(wire.hops))


def encode_transfer(transfer: CoinTransfer) -> bytes:
    """Encode as `pyibc.queue_coins.v1.Transfer`."""
    return pb.Transfer(
        denom=pb.Denom(base=transfer.denom.base, hops=transfer.denom.hops),
        amount=str(transfer.amount),
        sender=transfer.sender,
        receiver=transfer.receiver,
    ).SerializeToString(deterministic=True)


def decode_transfer(raw: bytes) -> CoinTransfer:
    """Decode and check the data of a packet.

    Raises:
        InvalidRequest: it is not a `Transfer` in canonical form.
        InvalidCoins: the denomination or the amount is invalid.
    """
    try:
        wire = pb.Transfer.FromString(raw)
    except DecodeError as error:
        raise InvalidRequest("the data is not a coin transfer") from error
    denom = QueueDenom(wire.denom.base, tuple(wire.denom.hops))
    check_denom(denom)
    transfer = CoinTransfer(denom, _amount(wire.amount), wire.sender, wire.receiver)
    wire.DiscardUnknownFields()
    if wire.SerializeToString(deterministic=True) != raw:
        raise InvalidRequest("the data is not canonical")
    return transfer


def check_denom(denom: QueueDenom) -> None:
    """Check that a denomination can be sent.

    Raises:
        InvalidCoins: the base is not a coin's name, or is a voucher's; a hop is malformed; or there are
            more than 16.
    """
    named = is_denom(denom.base) and not denom.base.startswith(PREFIX)
    if not named or len(denom.hops) > MAX_HOPS or any(parse_end(hop) is None for hop in denom.hops):
        raise InvalidCoins(denom.base[:64])


def _amount(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 78 or text[0] == "0":
        raise InvalidCoins(text[:78])
    amount = int(text)
    if amount > MAX_U256:
        raise InvalidCoins(text)
    return amount


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
