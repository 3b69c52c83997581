"""cosmos.bank.v1beta1.MsgSend and MsgMultiSend."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from operator import add, lt
from typing import NamedTuple

from pyibc.chain.bank.keeper import BankKeeper, coins_text
from pyibc.codec.budget import Budget
from pyibc.codec.strict import parse
from pyibc.core.address import Address, AddressCodec
from pyibc.core.coin import Coin, coin, is_denom, parse_amount
from pyibc.core.errors import (
    InputOutputMismatch,
    InvalidAddress,
    InvalidSdkAddress,
    InvalidSdkCoins,
    LogicFault,
    MultipleSenders,
    NoInputs,
    NoOutputs,
    TxDecode,
    UnauthorizedTx,
)
from pyibc.core.host.context import MessageRoute, WriteContext
from pyibc.core.numbers import MAX_U256
from pyibc.core.value import value
from pyibc.proto.cosmos.bank.v1beta1.tx_pb2 import MsgMultiSend as PbMsgMultiSend
from pyibc.proto.cosmos.bank.v1beta1.tx_pb2 import MsgSend as PbMsgSend
from pyibc.proto.cosmos.base.v1beta1.coin_pb2 import Coin as PbCoin

MSG_SEND = "/cosmos.bank.v1beta1.MsgSend"
MSG_SEND_RESPONSE = "/cosmos.bank.v1beta1.MsgSendResponse"
MSG_MULTI_SEND = "/cosmos.bank.v1beta1.MsgMultiSend"
MSG_MULTI_SEND_RESPONSE = "/cosmos.bank.v1beta1.MsgMultiSendResponse"


@value
class MsgSend:
    """A decoded MsgSend; addresses and coins are valid."""

    sender: Address
    receiver: Address
    coins: tuple[Coin, ...]


@value
class MsgMultiSend:
    """A decoded MsgMultiSend with one sender.

    Coins and receivers are decoded at execution, as in the SDK since 0.50: decoding an address costs as much
    as decoding a hundred bytes, and before the ante handler no signature has been verified.
    """

    sender: Address
    raw: bytes


class Payout(NamedTuple):
    """The input of a MsgMultiSend, and the outputs that add up to it."""

    coins: tuple[Coin, ...]
    outputs: tuple[tuple[Address, tuple[Coin, ...]], ...]


def encode_send(sender: str, receiver: str, coins: tuple[Coin, ...]) -> bytes:
    """Encode a MsgSend."""
    message = PbMsgSend(from_address=sender, to_address=receiver)
    for each in coins:
        message.amount.add(denom=each.denom, amount=str(each.amount))
    return message.SerializeToString(deterministic=True)


def decode_send(raw: bytes, addresses: AddressCodec, budget: Budget | None = None) -> MsgSend:
    """Decode and validate a MsgSend; without `budget`, on a decoding budget of its own.

    Raises:
        TxDecode: malformed protobuf, an unknown field, or an amount that is not a number.
        InvalidSdkAddress: sender or receiver is not an address of this chain.
        InvalidSdkCoins: see `parse_coins`.
    """
    return check_send(parse(PbMsgSend, raw, budget=budget), addresses)


def check_send(message: PbMsgSend, addresses: AddressCodec) -> MsgSend:
    """Validate a parsed MsgSend; raises as `decode_send`, except for malformed protobuf."""
    sender = _address(addresses, message.from_address, "from_address")
    receiver = _address(addresses, message.to_address, "to_address")
    return MsgSend(sender, receiver, parse_coins(message.amount))


def read_send(raw: bytes, budget: Budget) -> PbMsgSend:
    """Parse a MsgSend without validating it, so that its signer can be read first.

    Raises:
        TxDecode: malformed protobuf, an unknown field, or an amount that is not a number.
    """
    message = parse(PbMsgSend, raw, budget=budget)
    _require_numbers(message.amount)
    return message


def _require_numbers(coins: Iterable[PbCoin]) -> None:
    for each in coins:
        if parse_amount(each.amount or "0") is None:
            raise TxDecode(f"amount {each.amount[:80]!a}")


def decode_multi_send(raw: bytes, addresses: AddressCodec, budget: Budget | None = None) -> MsgMultiSend:
    """Decode a MsgMultiSend without its coins and receivers; without `budget`, on a budget of its own.

    Raises:
        TxDecode: malformed protobuf, or an unknown field.
        InvalidSdkAddress: the sender is not an address of this chain.
        NoInputs, MultipleSenders, NoOutputs: not exactly one input, or no output.
    """
    message = parse(PbMsgMultiSend, raw, budget=budget)
    if not message.inputs:
        raise NoInputs
    if len(message.inputs) > 1:
        raise MultipleSenders
    if not message.outputs:
        raise NoOutputs
    # guard: h75-a-multi-send-is-read-before-it-is-signed {addresses => (payout(raw, addresses),
    #   addresses)[1]} test_h75_who_gets_a_multi_send_is_read_when_somebody_has_signed
    return MsgMultiSend(_address(addresses, message.inputs[0].address, "address"), raw)


def read_multi_send(raw: bytes, budget: Budget) -> bytes:
    """Check that the bytes of a MsgMultiSend parse, and return them.

    Raises:
        TxDecode: malformed protobuf, an unknown field, or an amount that is not a number.
    """
    message = parse(PbMsgMultiSend, raw, budget=budget)
    for paid in message.inputs:
        _require_numbers(paid.coins)
    for got in message.outputs:
        _require_numbers(got.coins)
    return raw


def payout(raw: bytes, addresses: AddressCodec) -> Payout:
    """Decode the input and outputs of a MsgMultiSend.

    Raises:
        TxDecode: an amount is not a number.
        InvalidSdkAddress: a receiver is not an address of this chain.
        InvalidSdkCoins: the coins of the input or of an output are invalid.
        InputOutputMismatch: the sums of input and outputs differ.
        LogicFault: the outputs add up to 2^256 or more, where the SDK panics.
    """
    message = parse(PbMsgMultiSend, raw)
    coins = parse_coins(message.inputs[0].coins)
    outputs = tuple(
        [(_address(addresses, each.address, "address"), parse_coins(each.coins)) for each in message.outputs]
    )
    if _sums(each for _, part in outputs for each in part) != _sums(coins):
        raise InputOutputMismatch
    return Payout(coins, outputs)


def _sums(coins: Iterable[Coin]) -> dict[str, int]:
    sums: dict[str, int] = {}
    for each in coins:
        sums[each.denom] = sums.get(each.denom, 0) + each.amount
    if any(amount > MAX_U256 for amount in sums.values()):
        raise LogicFault("outputs add up to 2^256 or more")
    return sums


def _address(addresses: AddressCodec, text: str, field: str) -> Address:
    try:
        return addresses.decode(text, field)
    except InvalidAddress as error:
        raise InvalidSdkAddress(text[:128], field) from error


_plain = re.compile("[1-9][0-9]{0,76}").fullmatch
"""Match of an amount as wallets write it: no sign, no leading zeros, below 2^256."""
_made: Callable[[tuple[str, int, str]], Coin] = partial(tuple.__new__, Coin)
"""Constructor of `Coin` without its checks.

A coin may be only 16 bytes long, and the transaction's signatures are not verified yet.
"""


def parse_coins(given: Sequence[PbCoin]) -> tuple[Coin, ...]:
    """Validate the coins of a message.

    Raises:
        TxDecode: an amount is not a number below 2^256; an empty one is 0.
        InvalidSdkCoins: empty, not positive, unsorted, duplicated, or an invalid denomination.
    """
    denoms = [each.denom for each in given]
    amounts = [each.amount or "0" for each in given]
    if _are_plain(denoms, amounts):
        texts = map(add, amounts, denoms)
        return tuple(map(_made, zip(denoms, map(int, amounts), texts, strict=True)))
    numbers = list(map(parse_amount, amounts))
    if None in numbers:
        raise TxDecode(f"amount {amounts[numbers.index(None)][:80]!a}")
    coins = tuple(map(positive_coin, denoms, numbers))
    if not coins or not all(map(lt, denoms, denoms[1:])):
        raise InvalidSdkCoins(coins_text(coins)[:256])
    return coins


def _are_plain(denoms: list[str], amounts: list[str]) -> bool:
    """Return whether the coins are in the usual form; checking all at once takes half the time."""
    is_sorted = all(map(lt, denoms, denoms[1:]))
    return bool(denoms) and is_sorted and all(map(_plain, amounts)) and all(map(is_denom, denoms))


def positive_coin(denom: str, amount: int | None) -> Coin:
    """Return a coin of a parsed amount; raise InvalidSdkCoins if it is malformed or not positive."""
    if not amount or amount < 0 or not is_denom(denom):
        raise InvalidSdkCoins(f"{'' if amount is None else amount}{denom[:128]}")
    return coin(denom, amount)


def send_route(keeper: BankKeeper, addresses: AddressCodec) -> MessageRoute:
    """Return the message route of MsgSend."""

    def deliver(ctx: WriteContext, message: MsgSend) -> bytes:
        if keeper.is_blocked(message.receiver.raw):
            raise UnauthorizedTx(f"{message.receiver.text} is not allowed to receive funds")
        keeper.send_coins(ctx, message.sender, message.receiver, message.coins)
        return b""

    def signers(message: MsgSend | PbMsgSend) -> tuple[bytes, ...]:
        if isinstance(message, MsgSend):
            return (message.sender.raw,)
        return (addresses.decode(message.from_address, "from_address").raw,)

    return MessageRoute(
        decode=lambda raw: decode_send(raw, addresses),
        signers=signers,
        deliver=deliver,
        response_type_url=MSG_SEND_RESPONSE,
        decode_in_tx=lambda raw, budget: decode_send(raw, addresses, budget),
        read=read_send,
        check=lambda message: check_send(message, addresses),
    )


def multi_send_route(keeper: BankKeeper, addresses: AddressCodec) -> MessageRoute:
    """Return the message route of MsgMultiSend.

    The input is debited first, then each output credited, as in the SDK.
    """

    def deliver(ctx: WriteContext, message: MsgMultiSend) -> bytes:
        coins, outputs = payout(message.raw, addresses)
        for receiver, _ in outputs:
            if keeper.is_blocked(receiver.raw):
                raise UnauthorizedTx(f"{receiver.text} is not allowed to receive funds")
        keeper.multi_send(ctx, message.sender, coins, outputs)
        return b""

    def signers(message: MsgMultiSend | bytes) -> tuple[bytes, ...]:
        if isinstance(message, MsgMultiSend):
            return (message.sender.raw,)
        inputs = PbMsgMultiSend.FromString(message).inputs
        return tuple([addresses.decode(each.address, "address").raw for each in inputs])

    return MessageRoute(
        decode=lambda raw: decode_multi_send(raw, addresses),
        signers=signers,
        deliver=deliver,
        response_type_url=MSG_MULTI_SEND_RESPONSE,
        decode_in_tx=lambda raw, budget: decode_multi_send(raw, addresses, budget),
        read=read_multi_send,
        check=lambda raw: decode_multi_send(raw, addresses),
    )
