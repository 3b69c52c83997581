"""`pyibc tx ica|gmp`: accounts on other chains and their messages (ICS-27)."""

import json
from binascii import unhexlify
from pathlib import Path
from typing import Any

import click

from pyibc.apps.gmp.messages import MsgSendCall, cosmos_tx
from pyibc.apps.interchain_accounts.messages import MsgRegisterInterchainAccount, MsgSendTx
from pyibc.apps.interchain_accounts.packet_data import (
    ENCODINGS,
    EXECUTE_TX,
    PROTO3,
    InterchainAccountPacketData,
    controller_port,
    decode_metadata,
    default_metadata,
    encode_metadata,
)
from pyibc.apps.interchain_accounts.state import ACTIVE_CHANNEL, CONTROLLER_STORE, key_of
from pyibc.cli.one_chain import endpoint, execute, signed, tell_sent
from pyibc.cli.relay.options import ORDERS
from pyibc.cli.reporting import read_content
from pyibc.cli.tx.transfer import time_ns_of
from pyibc.codec.anys import AnyMessage
from pyibc.codec.protojson import Unprintable, read_any
from pyibc.core import paths
from pyibc.core.errors import ConnectionNotFound, TxDecode
from pyibc.core.packet_v2.types import ABI, JSON, NS_PER_S, PROTOBUF
from pyibc.core.wire.message import pack_msg
from pyibc.core.wire.states import decode_channel_end, decode_connection_end
from pyibc.proto.ibc.applications.gmp.v1 import tx_pb2 as gmp_pb
from pyibc.proto.ibc.applications.interchain_accounts.controller.v1 import tx_pb2 as ica_pb
from pyibc.relayer.interchain_tx import write_messages
from pyibc.relayer.rpc.endpoint import RpcEndpoint

_FORM = 'write {"@type": "/cosmos.bank.v1beta1.MsgSend", ...}, or a list of such messages'


@click.group("ica")
def ica_command() -> None:
    """Register an account on another chain, and let it execute messages (docs/interchain-accounts.md)."""


@ica_command.command()
@click.argument("connection")
@click.option("--order", type=click.Choice(list(ORDERS)), default="unordered", show_default=True)
@click.option("--encoding", type=click.Choice(sorted(ENCODINGS)), default=PROTO3, show_default=True)
@signed
def register(connection: str, order: str, encoding: str, **options: Any) -> None:
    """Request an account at the other end of CONNECTION; a relayer opens the channel."""
    with endpoint(options) as chain:
        version = "" if encoding == PROTO3 else _version(chain, connection, encoding)
        message = MsgRegisterInterchainAccount(chain.signer, connection, version, ORDERS[order])
        given = pack_msg(message), ica_pb.MsgRegisterInterchainAccountResponse
        made = execute(chain, "a registration", *given)
        row = {
            "chain_id": chain.chain_id,
            "port_id": made.answer.port_id,
            "channel_id": made.answer.channel_id,
        }
    tell_sent(options, row, f"{row['port_id']} {row['channel_id']}", made.tx)


def _version(chain: RpcEndpoint, connection_id: str, encoding: str) -> str:
    raw = chain.get(paths.connection_path(connection_id))
    if raw is None:
        raise ConnectionNotFound(connection_id)
    far = decode_connection_end(raw).counterparty.connection_id
    return encode_metadata(default_metadata(connection_id, far)._replace(encoding=encoding))


@ica_command.command()
@click.argument("connection")
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path))
@click.option("--memo", default="", help="Memo for middleware.")
@click.option("--timeout", default="10m", show_default=True, help="From now, by the host's clock: 90s.")
@signed
def send(connection: str, file: Path, memo: str, timeout: str, **options: Any) -> None:
    """Let the account execute the messages in FILE ("-": standard input).

    FILE is JSON: a message {"@type": "/cosmos.bank.v1beta1.MsgSend", ...} or a list of them. All are
    executed, or none.
    """
    timeout_ns = time_ns_of(timeout, "--timeout")
    messages = messages_in(file, read_content(file))
    with endpoint(options) as chain:
        encoding = _encoding(chain, connection)
        try:
            tx = write_messages(messages, encoding)
        except Unprintable as error:
            raise ValueError(f"{file}: {error}") from None
        data = InterchainAccountPacketData(EXECUTE_TX, tx, memo)
        message = pack_msg(MsgSendTx(chain.signer, connection, data, timeout_ns))
        sent = execute(chain, "a packet", message, ica_pb.MsgSendTxResponse)
        row = {"chain_id": chain.chain_id, "sequence": sent.answer.sequence}
    tell_sent(options, row, f"sequence {row['sequence']}", sent.tx)


def messages_in(file: Path, raw: bytes) -> list[AnyMessage]:
    """Return the messages of a file with this content.

    Raises:
        ValueError: the file is not JSON of messages.
    """
    try:
        content = json.loads(raw)
    except (ValueError, RecursionError) as error:
        reason = "not text" if isinstance(error, UnicodeDecodeError) else str(error)
        raise ValueError(f"{file} is not JSON of messages, {reason}: {_FORM}") from error
    try:
        listed = content if isinstance(content, list) else [content]
        return [read_any(each) for each in listed]
    except (TxDecode, RecursionError) as error:
        raise ValueError(f"{file}: {error}") from error


def _encoding(chain: RpcEndpoint, connection_id: str) -> str:
    """Return the encoding of the owner's channel; without a channel, the chain will refuse the message."""
    port_id = controller_port(chain.signer)
    active = chain.get(key_of(ACTIVE_CHANNEL, port_id, connection_id), CONTROLLER_STORE)
    end = chain.get(paths.channel_path(port_id, active.decode())) if active else None
    return PROTO3 if end is None else decode_metadata(decode_channel_end(end).version).encoding


_ENCODINGS = {"abi": ABI, "json": JSON, "protobuf": PROTOBUF}


@click.group("gmp")
def gmp_command() -> None:
    """Execute messages on another chain (docs/gmp.md)."""


@gmp_command.command()
@click.argument("client")
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path))
@click.option("--salt", default="", metavar="HEX", help="Salt of your account there.")
@click.option("--receiver", default="", help="Contract to call, on an EVM chain.")
@click.option("--memo", default="", help="Memo for middleware.")
@click.option("--timeout", default="10m", show_default=True, help="From now, by this chain's clock: 90s.")
@click.option("--encoding", type=click.Choice(list(_ENCODINGS)), default="abi", show_default=True)
@click.option(
    "--raw", is_flag=True, help="FILE is the payload itself, for a chain that is not a Cosmos chain."
)
@signed
def call(
    client: str,
    file: Path,
    salt: str,
    receiver: str,
    memo: str,
    timeout: str,
    encoding: str,
    raw: bool,
    **options: Any,
) -> None:
    """Let your account behind CLIENT execute the messages in FILE ("-": standard input).

    FILE is JSON: a message {"@type": "/cosmos.bank.v1beta1.MsgSend", ...} or a list of them, each signed by
    that account (`pyibc query gmp get-address` on the other chain). All are executed, or none.
    """
    lasts, salted = time_ns_of(timeout, "--timeout"), salt_of(salt)
    content = read_content(file)
    payload = content if raw else cosmos_tx(messages_in(file, content))
    with endpoint(options) as chain:
        until = (chain.tip().time_ns + lasts) // NS_PER_S
        given = receiver, salted, payload, until, memo, _ENCODINGS[encoding]
        message = pack_msg(MsgSendCall(client, chain.signer, *given))
        sent = execute(chain, "a call", message, gmp_pb.MsgSendCallResponse)
        row = {"chain_id": chain.chain_id, "sequence": sent.answer.sequence}
    tell_sent(options, row, f"sequence {row['sequence']}", sent.tx)


def salt_of(text: str) -> bytes:
    """Return the bytes of a salt in hexadecimal; raise ValueError if it is not."""
    try:
        return unhexlify(text)
    except ValueError:
        raise ValueError(f"salt {text!r} is not hexadecimal") from None
