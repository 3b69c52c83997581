"""Sends, receives and refunds the coins of a transfer, over a channel (IBC v1) or two clients (v2)."""

from ibc_core.address import Address, AddressCodec
from ibc_core.application.services import Bank
from ibc_core.errors import InvalidAcknowledgement, InvalidType, ReceiveDisabled, SendDisabled, UnknownRequest
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.packet import acknowledgement as acks
from ibc_core.packet.acknowledgement import Acknowledgement
from ibc_core.transfer.msg_transfer import check_memo
from ibc_module.apps.transfer import state
from ibc_module.apps.transfer.coins import CoinMover
from ibc_module.apps.transfer.denom import Hop
from ibc_module.apps.transfer.packet_data import TransferData


class Settlement:
    """Sends, receives and refunds the coins of transfers on one chain. `Hop` is our end or the other's."""

    def __init__(self, coins: CoinMover, bank: Bank, addresses: AddressCodec) -> None:
        self._coins = coins
        self._bank = bank
        self._addresses = addresses

    def check_send(self, ctx: ReadContext, sender: Address, coin_denom: str) -> None:
        """Checks that the sender may send these coins.

        Raises:
            Unauthorized: the sender is another module.
            SendDisabled: sending the coin is disabled.
        """
        self._coins.check_may_hold(sender)
        if not self._bank.is_send_enabled(ctx, coin_denom):
            raise SendDisabled

    def receive(self, ctx: WriteContext, data: TransferData, on_a: Hop, on_b: Hop) -> None:
        """Credits the receiver.

        Raises:
            InvalidMemo, ReceiveDisabled, InvalidAddress, Unauthorized, InsufficientBalance.
        """
        check_memo(data.memo)
        if not state.params(ctx).receive_enabled:
            raise ReceiveDisabled
        receiver = self._addresses.decode(data.receiver, "receiver")
        self._coins.check_may_hold(receiver)
        self._coins.put(
            ctx,
            receiver,
            data.denom,
            data.amount,
            on_a.port_id,
            on_a.channel_id,
            on_b.port_id,
            on_b.channel_id,
        )

    def refund(self, ctx: WriteContext, data: TransferData, on_a: Hop) -> None:
        """Refunds the sender.

        Raises:
            InvalidAddress, Unauthorized, InsufficientBalance.
        """
        sender = self._addresses.decode(data.sender, "sender")
        self._coins.check_may_hold(sender)
        self._coins.give_back(ctx, sender, data.denom, data.amount, on_a.port_id, on_a.channel_id)


def parse_answer(acknowledgement: bytes) -> Acknowledgement:
    """The acknowledgement of a transfer.

    Raises:
        UnknownRequest: it is not a standard acknowledgement.
    """
    answer = acks.parse(acknowledgement)
    if answer is None:
        raise UnknownRequest("the acknowledgement cannot be read")
    return answer


def check_canonical(acknowledgement: bytes) -> None:
    """Checks that a standard acknowledgement is in its one form, with the error that ICS-20 has for it.

    Raises:
        InvalidType: it is not.
    """
    try:
        acks.check_canonical(acknowledgement)
    except InvalidAcknowledgement as error:
        raise InvalidType("a canonical acknowledgement", "another form of it") from error
