"""`pyibc tx channel`: messages of a user about a channel end (ICS-4)."""

from typing import Any

import click

from pyibc.cli.one_chain import endpoint, execute, signed, tell_sent
from pyibc.core.channel.messages import MsgChannelCloseInit
from pyibc.core.identifiers import is_channel_id
from pyibc.core.wire.message import pack_msg
from pyibc.direct.messages import MsgNamedChannelCloseInit
from pyibc.proto.ibc.core.channel.v1 import tx_pb2


@click.group("channel")
def command() -> None:
    """Close a channel end; a relayer then closes the other one."""


@command.command()
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
