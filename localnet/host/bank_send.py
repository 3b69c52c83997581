"""cosmos.bank.v1beta1.MsgSend: coins from one account to another."""

from ibc_module.core.address import Address, AddressCodec
from ibc_module.core.coin import Coin, coin, is_denom, parse_amount
from ibc_module.core.context import WriteContext
from ibc_module.core.value import value
from ibc_module.errors import InvalidSdkCoins, UnauthorizedTx
from ibc_module.hookspecs import MessageRoute
from ibc_module.wire._generated.cosmos.bank.v1beta1.tx_pb2 import MsgSend as PbMsgSend
from ibc_module.wire.strict import parse
from localnet.host.bank import BankKeeper, coins_text

MSG_SEND = "/cosmos.bank.v1beta1.MsgSend"
MSG_SEND_RESPONSE = "/cosmos.bank.v1beta1.MsgSendResponse"


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
    message = parse(PbMsgSend, raw)
    sender = addresses.decode(message.from_address, "from_address")
    receiver = addresses.decode(message.to_address, "to_address")
    coins = tuple([parse_coin(each.denom, each.amount) for each in message.amount])
    denoms = [each.denom for each in coins]
    if not coins or denoms != sorted(set(denoms)):
        raise InvalidSdkCoins(coins_text(coins))
    return MsgSend(sender, receiver, coins)


def parse_coin(denom: str, amount: str) -> Coin:
    """A positive amount below 2^256, read as Go reads it; raises InvalidSdkCoins."""
    number = parse_amount(amount)
    if number is None or number <= 0 or not is_denom(denom):
        raise InvalidSdkCoins(f"{amount[:80]}{denom[:128]}")
    return coin(denom, number)


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
