"""MsgTransfer: a user sends coins over a channel (ICS-20 sendFungibleTokens)."""

from typing import NamedTuple

from ibc_core.address import Address, AddressCodec
from ibc_core.application.services import Bank, PacketSender
from ibc_core.application.v2 import PacketSenderV2
from ibc_core.coin import parse_amount
from ibc_core.errors import (
    DenomNotFound,
    InvalidAddress,
    InvalidAmount,
    InvalidDenomForTransfer,
    SendDisabled,
)
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.identifiers import is_blank
from ibc_core.numbers import MAX_U256
from ibc_core.packet_v2.types import Payload
from ibc_core.paths import channel_path
from ibc_core.transfer.denom import Denom, native, parse_denom
from ibc_core.transfer.encodings import JSON
from ibc_core.transfer.msg_transfer import MsgTransfer
from ibc_core.transfer.names import parse_hash
from ibc_core.value import sealed
from ibc_module.apps.transfer import encodings, packet_data, state
from ibc_module.apps.transfer.coins import CoinMover, Settlement
from ibc_module.apps.transfer.packet_data import TransferData


@sealed
class VerifiedTransfer(NamedTuple):
    """A transfer that may be sent, if the balance suffices."""

    msg: MsgTransfer
    sender: Address
    data: TransferData
    payload: Payload | None  # None: it goes over a channel


@sealed
class Senders(NamedTuple):
    """The sender of the transfers' packets."""

    v1: PacketSender
    v2: PacketSenderV2


class TransferHandler:
    """Validates and executes MsgTransfer on one chain."""

    def __init__(
        self,
        coins: CoinMover,
        bank: Bank,
        settlement: Settlement,
        senders: Senders,
        addresses: AddressCodec,
    ) -> None:
        self._coins = coins
        self._bank = bank
        self._settlement = settlement
        self._senders = senders
        self._addresses = addresses

    def validate(self, ctx: ReadContext, msg: MsgTransfer) -> VerifiedTransfer:
        """Checks the parameters and the coin's denomination; chooses between a channel and a client.

        Raises:
            SendDisabled, InvalidAddress, InvalidAmount, DenomNotFound, Unauthorized.
            InvalidDenomForTransfer: a coin of this chain whose name the other would read as a voucher's.
            InvalidType: over a client, in an unknown encoding.
        """
        if not state.params(ctx).send_enabled:
            raise SendDisabled
        sender = self._addresses.decode(msg.sender, "sender")
        amount = self._amount(ctx, sender, msg)
        denom = _denom_of(ctx, msg.denom)
        if is_blank(msg.receiver):  # of messages that middleware makes, nobody has checked it yet
            raise InvalidAddress("receiver", "")
        denom.validate()
        data = packet_data.make(denom, amount, msg.sender, msg.receiver, msg.memo)
        if ctx.ibc.has(channel_path(msg.source_port, msg.source_channel)):
            self._settlement.check_send(ctx, sender, msg.denom)
            return VerifiedTransfer(msg, sender, data, None)
        encoding = msg.encoding or JSON
        raw = encodings.encode(data, encoding)
        payload = Payload(state.PORT_ID, state.PORT_ID, state.VERSION, encoding, raw)
        return VerifiedTransfer(msg, sender, data, payload)

    def _amount(self, ctx: ReadContext, sender: Address, msg: MsgTransfer) -> int:
        """The amount sent; 2^256-1 stands for the sender's whole balance."""
        amount = parse_amount(msg.amount)
        if amount == MAX_U256:
            amount = self._bank.balance(ctx, sender.raw, msg.denom)
        if not amount:
            raise InvalidAmount(msg.amount)
        return amount

    def execute(self, ctx: WriteContext, verified: VerifiedTransfer) -> int:
        """Escrows or burns the coins and sends the packet; returns its sequence.

        Over a client it sends the packet, and `TransferAppV2.on_send_packet` takes the coins.

        Runs on: A.
        Proves: nothing.
        Writes: totalEscrowForDenom, the bank, and what sendPacket writes.
        Emits: the bank's events, send_packet, ibc_transfer.

        Raises:
            ClientCounterpartyNotFound: neither a channel nor a client with a counterparty has the name.
            IbcError: what sendPacket or the bank refuse.
        """
        msg, sender, data, payload = verified
        if payload is not None:
            return self._senders.v2.send_packet(
                ctx, msg.source_channel, msg.timeout_ns_on_b, (payload,), sender
            )
        # STATE: from the port of ICS-20, whatever port the message names, as in ibc-go
        self._coins.take(ctx, sender, data.denom, data.amount, state.PORT_ID, msg.source_channel)
        sequence = self._senders.v1.send_packet(
            ctx,
            state.PORT_ID,
            msg.source_channel,
            msg.timeout_height_on_b,
            msg.timeout_ns_on_b,
            packet_data.encode(data),
        )
        # EVENTS
        packet_data.emit_sent(ctx, data)
        return sequence


def _denom_of(ctx: ReadContext, coin_denom: str) -> Denom:
    if not coin_denom.startswith("ibc/"):
        if parse_denom(coin_denom).trace:
            # The other chain would take it for a voucher, perhaps of a coin of its own (ibc-go sends it).
            raise InvalidDenomForTransfer(coin_denom[:64], "a coin of this chain named like a voucher")
        return native(coin_denom)
    digest = parse_hash(coin_denom[4:])
    found = None if digest is None else state.denom(ctx, digest)
    if found is None:
        raise DenomNotFound(coin_denom)
    return found
