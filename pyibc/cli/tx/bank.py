"""`pyibc tx bank`: coins to another account of the same chain."""

from typing import Any

import click

from pyibc.cli.one_chain import endpoint, signed, submit, tell_sent
from pyibc.cli.query.addresses import address_of
from pyibc.cli.tx.transfer import coin_of
from pyibc.codec.anys import AnyMessage
from pyibc.proto.cosmos.bank.v1beta1.tx_pb2 import MsgSend
from pyibc.proto.cosmos.base.v1beta1.coin_pb2 import Coin

MSG_SEND = "/cosmos.bank.v1beta1.MsgSend"


@click.group("bank")
def command() -> None:
    """Send coins on one chain; over a channel or client, see `tx transfer`."""


@command.command()
@click.argument("receiver")
@click.argument("amount", metavar="AMOUNT")
@signed
def send(receiver: str, amount: str, **options: Any) -> None:
    """Send AMOUNT, such as 5stake, to RECEIVER, an address or the name of a localnet's wallet."""
    to = address_of(receiver, options)
    with endpoint(options) as chain:
        sent = submit(chain, "the payment", [payment(chain.signer, to, amount)])
        row = {"chain_id": chain.chain_id, "receiver": to, "amount": amount}
        tell_sent(options, row, f"{amount} to {to}", sent)


def payment(sender: str, receiver: str, amount: str) -> AnyMessage:
    """Return the message that sends a coin like 5stake.

    Raises:
        ValueError: it is not one.
    """
    denom, number = coin_of(amount)
    coins = [Coin(denom=denom, amount=number)]
    message = MsgSend(from_address=sender, to_address=receiver, amount=coins)
    return AnyMessage(MSG_SEND, message.SerializeToString())
