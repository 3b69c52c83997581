"""`pyibc tx bank|channel|json|raw`: messages of a user to one chain."""

import json
from pathlib import Path
from typing import Any

import click

from pyibc.cli.one_chain import endpoint, execute, signed, submit, tell_sent
from pyibc.cli.query.accounts import address_of
from pyibc.cli.query.showing import packet_rows
from pyibc.cli.reporting import read_content
from pyibc.cli.tx.remote_accounts import messages_in
from pyibc.cli.tx.transfer import coin_of
from pyibc.codec.anys import AnyMessage
from pyibc.core.channel.messages import MsgChannelCloseInit
from pyibc.core.identifiers import is_channel_id
from pyibc.core.wire.message import pack_msg
from pyibc.direct.messages import MsgNamedChannelCloseInit
from pyibc.proto.cosmos.bank.v1beta1.tx_pb2 import MsgSend
from pyibc.proto.cosmos.base.v1beta1.coin_pb2 import Coin
from pyibc.proto.ibc.core.channel.v1 import tx_pb2
from pyibc.relayer.rpc.endpoint import RpcEndpoint
from pyibc.relayer.rpc.transactions import FoundTx

MSG_SEND = "/cosmos.bank.v1beta1.MsgSend"


@click.group("bank")
def bank_command() -> None:
    """Send coins on one chain; over a channel or client, see `tx transfer`."""


@bank_command.command()
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


@click.group("channel")
def channel_command() -> None:
    """Close a channel end; a relayer then closes the other one."""


@channel_command.command()
@click.argument("port")
@click.argument("channel")
@signed
def close(port: str, channel: str, **options: Any) -> None:
    """Close the end CHANNEL of PORT for ever; CHANNEL may have a chosen name.

    The port's application decides whether users may close it: `transfer` refuses.
    """
    kind = MsgChannelCloseInit if is_channel_id(channel) else MsgNamedChannelCloseInit
    with endpoint(options) as chain:
        message = pack_msg(kind(port, channel, chain.signer))
        sent = execute(chain, "the channel's closing", message, tx_pb2.MsgChannelCloseInitResponse)
        row = {"chain_id": chain.chain_id, "port_id": port, "channel_id": channel, "state": "CLOSED"}
    tell_sent(options, row, f"{port}/{channel} CLOSED", sent.tx)


_SIGNER = "signer"


@click.command("json")
@click.argument("type_url", metavar="TYPE")
@click.argument("message", metavar="MESSAGE")
@signed
def json_message_command(type_url: str, message: str, **options: Any) -> None:
    """Sign and send MESSAGE, a JSON object of the type TYPE, in a transaction.

    Applications without a .proto have such messages, as those of `pyibc init`:
    `pyibc tx json /mychain.Write '{"text": "milk"}'`. The member `signer` is this account and may be left
    out. Messages with a .proto are sent by `pyibc tx raw`.
    """
    if not type_url.startswith("/"):
        raise ValueError(f"TYPE {type_url!a:.64} does not begin with /, as in /mychain.Write")
    members = _members(message)
    with endpoint(options) as chain:
        if members.setdefault(_SIGNER, chain.signer) != chain.signer:
            raise ValueError(f"signer is {members[_SIGNER]!a:.100}, but this account is {chain.signer}")
        packed = AnyMessage(type_url, json.dumps(members, separators=(",", ":"), ensure_ascii=False).encode())
        tell(options, chain, 1, submit(chain, f"the message {type_url}", [packed]))


def _members(message: str) -> dict[str, Any]:
    """Parse the object; raise ValueError."""
    try:
        members = json.loads(message, parse_constant=_refuse)
        json.dumps(members, ensure_ascii=False).encode()  # a lone surrogate has no encoding
    except (ValueError, RecursionError) as error:
        raise ValueError(f"MESSAGE is not JSON: {error}") from None
    if not isinstance(members, dict):
        text = 'MESSAGE is not a JSON object, as in \'{"text": "milk"}\''
        raise ValueError(text)  # noqa: TRY004 - wrong use of an argument
    return members


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no number")


@click.command("raw")
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path))
@signed
def raw_command(file: Path, **options: Any) -> None:
    """Sign and send the messages in FILE ("-": standard input) in one transaction.

    FILE is JSON: a message {"@type": "/cosmos.bank.v1beta1.MsgSend", ...} or a list of them, all signed by
    this account. All are executed, or none. Messages without a .proto are sent by `pyibc tx json`.
    """
    messages = messages_in(file, read_content(file))
    if not messages:
        raise ValueError(f"{file} has no messages")
    with endpoint(options) as chain:
        tell(options, chain, len(messages), submit(chain, "the messages", messages))


def tell(options: dict[str, Any], chain: RpcEndpoint, count: int, sent: FoundTx) -> None:
    """Print the packets that `count` messages sent, and their transaction."""
    packets = packet_rows(sent.outcome.events)
    row = {"chain_id": chain.chain_id, "messages": count, "packets": packets}
    lines = [f"{each['type']} {each['sequence']}, {each['source']}" for each in packets]
    tell_sent(options, row, "\n".join(lines), sent)
