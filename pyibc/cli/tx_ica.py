"""`pyibc tx ica`: an account on another chain, and what it is to do (ICS-27)."""

import json
from pathlib import Path
from typing import Any

import click

from ibc_core import paths
from ibc_core.any_message import AnyMessage
from ibc_core.errors import ConnectionNotFound, TxDecode
from ibc_core.interchain_accounts.metadata import (
    ENCODINGS,
    PROTO3,
    decode_metadata,
    default_metadata,
    encode_metadata,
)
from ibc_core.interchain_accounts.msg_register import MsgRegisterInterchainAccount
from ibc_core.interchain_accounts.msg_send_tx import MsgSendTx
from ibc_core.interchain_accounts.names import controller_port
from ibc_core.interchain_accounts.packet_data import EXECUTE_TX, InterchainAccountPacketData
from ibc_core.wire.message import pack_msg
from ibc_core.wire.protojson import Unprintable, read_any
from ibc_core.wire.states import decode_channel_end, decode_connection_end
from ibc_module.apps.interchain_accounts.state import ACTIVE_CHANNEL, CONTROLLER_STORE, key_of
from ibc_proto.ibc.applications.interchain_accounts.controller.v1 import tx_pb2
from ibc_relayer.interchain_tx import write_messages
from ibc_relayer.rpc_endpoint import RpcEndpoint
from pyibc.cli.one_chain import endpoint, execute, reports, signed
from pyibc.cli.relay_options import ORDERS
from pyibc.cli.tx_transfer import time_ns_of


@click.group("ica")
def command() -> None:
    """Register an account on another chain, and have it execute messages (docs/interchain-accounts.md)."""


@command.command()
@click.argument("connection")
@click.option("--order", type=click.Choice(list(ORDERS)), default="unordered", show_default=True)
@click.option("--encoding", type=click.Choice(sorted(ENCODINGS)), default=PROTO3, show_default=True)
@signed
@reports
def register(connection: str, order: str, encoding: str, **options: Any) -> None:
    """Ask for an account at the other end of CONNECTION; a relayer opens the channel."""
    with endpoint(options) as chain:
        version = "" if encoding == PROTO3 else _version(chain, connection, encoding)
        message = MsgRegisterInterchainAccount(chain.signer, connection, version, ORDERS[order])
        given = pack_msg(message), tx_pb2.MsgRegisterInterchainAccountResponse
        made = execute(chain, "a registration", *given)
        row = {"chain_id": chain.chain_id, "port_id": made.port_id, "channel_id": made.channel_id}
    click.echo(json.dumps(row) if options["as_json"] else f"{row['port_id']} {row['channel_id']}")


def _version(chain: RpcEndpoint, connection_id: str, encoding: str) -> str:
    raw = chain.get(paths.connection_path(connection_id))
    if raw is None:
        raise ConnectionNotFound(connection_id)
    far = decode_connection_end(raw).counterparty.connection_id
    return encode_metadata(default_metadata(connection_id, far)._replace(encoding=encoding))


@command.command()
@click.argument("connection")
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path))
@click.option("--memo", default="", help="For middleware.")
@click.option("--timeout", default="10m", show_default=True, help="From now on, by the host's clock: 90s.")
@signed
@reports
def send(connection: str, file: Path, memo: str, timeout: str, **options: Any) -> None:
    """Have the account execute the messages in FILE ("-": standard input).

    FILE is JSON, a message {"@type": "/cosmos.bank.v1beta1.MsgSend", ...} or a list of them. All are executed
    or none.
    """
    timeout_ns = time_ns_of(timeout, "--timeout")
    with click.open_file(str(file), "rb") as source:
        messages = messages_in(source.read())
    with endpoint(options) as chain:
        encoding = _encoding(chain, connection)
        try:
            tx = write_messages(messages, encoding)
        except Unprintable as error:
            raise ValueError(f"{file}: {error}") from None
        data = InterchainAccountPacketData(EXECUTE_TX, tx, memo)
        message = pack_msg(MsgSendTx(chain.signer, connection, data, timeout_ns))
        sent = execute(chain, "a packet", message, tx_pb2.MsgSendTxResponse)
        row = {"chain_id": chain.chain_id, "sequence": sent.sequence}
    click.echo(json.dumps(row) if options["as_json"] else f"sequence {row['sequence']}")


def messages_in(raw: bytes) -> list[AnyMessage]:
    """The messages of a file.

    Raises:
        ValueError: it is no JSON of messages.
    """
    try:
        content = json.loads(raw)
        listed = content if isinstance(content, list) else [content]
        return [read_any(each) for each in listed]
    except (TxDecode, RecursionError) as error:
        raise ValueError(str(error)) from None


def _encoding(chain: RpcEndpoint, connection_id: str) -> str:
    """What the owner's channel settled on; where there is none, the chain refuses the message."""
    port_id = controller_port(chain.signer)
    active = chain.get(key_of(ACTIVE_CHANNEL, port_id, connection_id), CONTROLLER_STORE)
    end = chain.get(paths.channel_path(port_id, active.decode())) if active else None
    return PROTO3 if end is None else decode_metadata(decode_channel_end(end).version).encoding
