"""cosmos.bank.v1beta1.MsgSend: coins from one account to another."""

from google.protobuf.message import DecodeError

from ibc_module.core.address import Address, AddressCodec
from ibc_module.core.coin import Coin, coin, is_denom
from ibc_module.core.context import WriteContext
from ibc_module.core.numbers import MAX_U256
from ibc_module.core.value import value
from ibc_module.errors import InvalidSdkCoins, TxDecode, UnauthorizedTx
from ibc_module.hookspecs import MessageRoute
from ibc_module.wire._generated.cosmos.bank.v1beta1.tx_pb2 import MsgSend as PbMsgSend
from localnet.host.bank import BankKeeper, coins_text
from localnet.host.unknown import has_unknown_fields

MSG_SEND = "/cosmos.bank.v1beta1.MsgSend"
MSG_SEND_RESPONSE = "/cosmos.bank.v1beta1.MsgSendResponse"
_MAX_DIGITS = 78  # of 2^256


@value
class MsgSend:
    """A decoded MsgSend: addresses and coins are well formed."""

    sender: Address
    receiver: Address
    coins: tuple[Coin, ...]


def encode_send(sender: str, receiver: str, coins: tuple[Coin, ...]) -> bytes:
    """MsgSend bytes."""
    message = PbMsgSend(from_address=sender, to_address=receiver)
    for each in coins:
        message.amount.add(denom=each.denom, amount=str(each.amount))
    return message.SerializeToString(deterministic=True)


def decode_send(raw: bytes, addresses: AddressCodec) -> MsgSend:
    """The message that `raw` encodes.

    Raises:
        TxDecode: not protobuf, or a field nobody knows.
        InvalidAddress: sender or receiver is no address of this chain.
        InvalidSdkCoins: none, not positive, not sorted, twice the same, or badly named.
    """
    try:
        message = PbMsgSend.FromString(raw)
    except DecodeError:
        raise TxDecode("MsgSend is not protobuf") from None
    if has_unknown_fields(message):
        raise TxDecode("MsgSend has unknown fields")
    sender = addresses.decode(message.from_address, "from_address")
    receiver = addresses.decode(message.to_address, "to_address")
    coins = tuple([parse_coin(each.denom, each.amount) for each in message.amount])
    denoms = [each.denom for each in coins]
    if not coins or denoms != sorted(set(denoms)):
        raise InvalidSdkCoins(coins_text(coins))
    return MsgSend(sender, receiver, coins)


def parse_coin(denom: str, amount: str) -> Coin:
    """A positive amount in decimal digits, below 2^256; raises InvalidSdkCoins."""
    good = is_denom(denom) and amount.isascii() and amount.isdigit() and len(amount) <= _MAX_DIGITS
    if not good or not 0 < int(amount) <= MAX_U256:
        raise InvalidSdkCoins(f"{amount[:80]}{denom[:128]}")
    return coin(denom, int(amount))


def send_route(keeper: BankKeeper, addresses: AddressCodec) -> MessageRoute:
    """How the host handles MsgSend."""

    def deliver(ctx: WriteContext, message: MsgSend) -> bytes:
        if keeper.is_blocked(message.receiver.raw):
            raise UnauthorizedTx(f"{message.receiver.text} is not allowed to receive funds")
        keeper.send_coins(ctx, message.sender, message.receiver, message.coins)
        return b""

    return MessageRoute(
        decode=lambda raw: decode_send(raw, addresses),
        signers=lambda message: (message.sender.raw,),
        deliver=deliver,
        response_type_url=MSG_SEND_RESPONSE,
    )
