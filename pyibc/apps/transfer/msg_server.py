"""Msg service of ICS-20: MsgTransfer (sendFungibleTokens) and MsgUpdateParams."""

from typing import NamedTuple

from pyibc.apps.transfer import app, packet_data, state
from pyibc.apps.transfer.coins import CoinMover, TransferKeeper
from pyibc.apps.transfer.denom import Denom, native, parse_hash
from pyibc.apps.transfer.messages import MsgTransfer, MsgUpdateTransferParams
from pyibc.apps.transfer.packet_data import TransferData, parse_valid_denom
from pyibc.core.address import Address, AddressCodec
from pyibc.core.application.services import Bank, PacketSender
from pyibc.core.application.v2 import PacketSenderV2
from pyibc.core.coin import parse_amount
from pyibc.core.errors import (
    DenomNotFound,
    InvalidAddress,
    InvalidAmount,
    InvalidDenomForTransfer,
    SendDisabled,
    UnauthorizedTx,
)
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.identifiers import is_blank
from pyibc.core.numbers import MAX_U256
from pyibc.core.packet_v2.types import JSON, Payload
from pyibc.core.paths import channel_path
from pyibc.core.value import sealed


@sealed
class VerifiedTransfer(NamedTuple):
    """Checked transfer, ready to execute; its balance is not checked."""

    msg: MsgTransfer
    sender: Address
    data: TransferData
    payload: Payload | None  # None: it goes over a channel


@sealed
class Senders(NamedTuple):
    """Packet senders of IBC v1 and v2."""

    v1: PacketSender
    v2: PacketSenderV2


class TransferHandler:
    """Checks and executes MsgTransfer."""

    def __init__(
        self,
        coins: CoinMover,
        bank: Bank,
        keeper: TransferKeeper,
        senders: Senders,
        addresses: AddressCodec,
    ) -> None:
        self._coins = coins
        self._bank = bank
        self._keeper = keeper
        self._senders = senders
        self._addresses = addresses

    def validate(self, ctx: ReadContext, msg: MsgTransfer) -> VerifiedTransfer:
        """Check a transfer against the state and choose between channel and client.

        Raises:
            SendDisabled: the chain's parameters or its bank forbid the transfer.
            InvalidAddress: the sender is not an address of this chain, or the receiver is blank.
            InvalidAmount: the amount is zero or malformed.
            DenomNotFound: no denomination with this hash is known.
            Unauthorized: the sender is another module's account.
            InvalidDenomForTransfer: a coin of this chain whose name chain B would read as a voucher's path.
            InvalidIdentifier: the name begins with a hop with a malformed port or channel.
            InvalidType: the encoding for a client is unknown.
        """
        if not state.params(ctx).send_enabled:
            raise SendDisabled
        sender = self._addresses.decode(msg.sender, "sender")
        amount = self._amount(ctx, sender, msg)
        denom = _denom_of(ctx, msg.denom)
        if is_blank(msg.receiver):  # messages built by middleware have not passed `MsgTransfer.check`
            raise InvalidAddress("receiver", "")
        named = parse_valid_denom(denom.path)
        data = packet_data.make(denom, amount, msg.sender, msg.receiver, msg.memo)
        if ctx.ibc.has(channel_path(msg.source_port, msg.source_channel)):
            self._keeper.check_send(ctx, sender, msg.denom)
            # guard: h49-a-homonym-leaves test_h49_a_coin_named_like_a_voucher_does_not_leave
            if named.trace != denom.trace and self._bank.balance(ctx, sender.raw, msg.denom) >= amount:
                # Chain B would take it for a voucher, possibly of a coin of its own (ibc-go sends it).
                # If the balance is too low, the bank's error comes first, as in ibc-go.
                raise InvalidDenomForTransfer(msg.denom[:64], "a coin of this chain named like a voucher")
            return VerifiedTransfer(msg, sender, data, None)
        encoding = msg.encoding or JSON
        raw = packet_data.encode_payload(data, encoding)
        payload = Payload(packet_data.PORT_ID, packet_data.PORT_ID, packet_data.VERSION, encoding, raw)
        return VerifiedTransfer(msg, sender, data, payload)

    def _amount(self, ctx: ReadContext, sender: Address, msg: MsgTransfer) -> int:
        """Return the amount to send; 2^256-1 means the sender's whole balance."""
        amount = parse_amount(msg.amount)
        if amount == MAX_U256:
            amount = self._bank.balance(ctx, sender.raw, msg.denom)
        if not amount:
            raise InvalidAmount(msg.amount)
        return amount

    def execute(self, ctx: WriteContext, verified: VerifiedTransfer) -> int:
        """Escrow or burn the coins and send the packet; return its sequence.

        Over a client, `TransferAppV2.on_send_packet` debits the coins while the packet is sent.

        Runs on: A. Proves: nothing. Writes: totalEscrowForDenom, the bank, and what sendPacket writes. Emits:
        the bank's events, send_packet, ibc_transfer.

        Raises:
            ClientCounterpartyNotFound: neither a channel nor a client with a counterparty has this
                identifier.
            IbcError: sendPacket or the bank refuse.
        """
        msg, sender, data, payload = verified
        if payload is not None:
            return self._senders.v2.send_packet(
                ctx, msg.source_channel, msg.timeout_ns_on_b, (payload,), sender
            )
        # STATE: always from port `transfer`; ibc-go ignores the message's port as well
        self._coins.escrow_or_burn(
            ctx, sender, data.denom, data.amount, packet_data.PORT_ID, msg.source_channel
        )
        sequence = self._senders.v1.send_packet(
            ctx,
            packet_data.PORT_ID,
            msg.source_channel,
            msg.timeout_height_on_b,
            msg.timeout_ns_on_b,
            packet_data.encode(data),
        )
        # EVENTS
        app.emit_sent(ctx, data)
        return sequence


def _denom_of(ctx: ReadContext, coin_denom: str) -> Denom:
    if not coin_denom.startswith("ibc/"):
        return native(coin_denom)
    digest = parse_hash(coin_denom[4:])
    found = None if digest is None else state.denom(ctx, digest)
    if found is None:
        raise DenomNotFound(coin_denom)
    return found


def execute(ctx: WriteContext, msg: MsgUpdateTransferParams, authority: str) -> None:
    """Replace the parameters.

    Runs on: either chain. Proves: nothing. Writes: params. Emits: nothing.

    Raises:
        UnauthorizedTx: the signer is not the authority.
    """
    if msg.signer != authority:
        raise UnauthorizedTx(f"invalid authority: expected {authority}, got {msg.signer}")
    state.set_params(ctx, state.Params(msg.send_enabled, msg.receive_enabled))
