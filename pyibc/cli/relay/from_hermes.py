"""`pyibc relay from-hermes`: convert a configuration of Hermes."""

import tomllib
from base64 import b64decode
from contextlib import closing
from pathlib import Path

import click
from google.protobuf.message import DecodeError

from light_client.tendermint.states import decode_client_state
from pyibc.cli.progress import progress
from pyibc.cli.relay.configured import reports
from pyibc.cli.reporting import told_of_config
from pyibc.core.errors import IbcError
from pyibc.proto.ibc.core.channel.v1 import query_pb2
from pyibc.relayer.config.from_hermes import OtherEnd, convert
from pyibc.relayer.errors import RelayerError
from pyibc.relayer.rpc.client import HttpRpc, RpcConfig

CHANNEL_CLIENT_STATE = "/ibc.core.channel.v1.Query/ChannelClientState"


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--offline", is_flag=True, help="Do not query nodes for the chains at other ends of channels.")
@reports
def command(file: Path, offline: bool) -> None:
    """Convert Hermes' configuration FILE and print the result.

    Settings that cannot be converted are listed on stderr: keys, and paths that no filter names.
    """
    asking = progress("asking the nodes for the other ends of the channels", shows=not offline)
    with told_of_config("name Hermes' config.toml, which it keeps in ~/.hermes"), asking:
        converted = convert(file, (lambda *_: None) if offline else _querying(file))
    click.echo(converted.text, nl=False)
    for note in converted.notes:
        click.echo(f"note: {note}", err=True)


def _querying(file: Path) -> OtherEnd:
    """Return a function that queries the nodes in Hermes' configuration."""

    def other_end(chain: str, port: str, channel: str) -> str | None:
        chains = tomllib.loads(file.read_text(encoding="utf-8"))["chains"]
        url = next((each["rpc_addr"] for each in chains if str(each["id"]) == chain), "")
        try:
            with closing(HttpRpc(str(url), RpcConfig(timeout_s=5.0, attempts=1))) as rpc:
                return _query_chain_id(rpc, port, channel)
        except (RelayerError, ValueError):
            return None

    return other_end


def _query_chain_id(rpc: HttpRpc, port: str, channel: str) -> str | None:
    """Return the chain id in the state of the channel's client, unproven; None if there is none."""
    request = query_pb2.QueryChannelClientStateRequest(port_id=port, channel_id=channel)
    answer = rpc.call("abci_query", path=CHANNEL_CLIENT_STATE, data=request.SerializeToString().hex())
    try:
        raw = b64decode(answer["response"]["value"] or "")
        found = query_pb2.QueryChannelClientStateResponse.FromString(raw)
        return decode_client_state(found.identified_client_state.client_state.value).chain_id or None
    except (KeyError, TypeError, ValueError, DecodeError, IbcError):
        return None
