"""`pyibc relay from-hermes`: a configuration of Hermes, as one of ours."""

import tomllib
from base64 import b64decode
from contextlib import closing
from pathlib import Path

import click
from google.protobuf.message import DecodeError

from ibc_core.errors import IbcError
from ibc_proto.ibc.core.channel.v1 import query_pb2
from ibc_relayer.daemon.from_hermes import OtherEnd, convert
from ibc_relayer.errors import RelayerError
from ibc_relayer.rpc_client import HttpRpc, RpcConfig
from light_client.tendermint.state_codec import decode_client_state
from pyibc.cli.relay_configured import reports

CHANNEL_CLIENT_STATE = "/ibc.core.channel.v1.Query/ChannelClientState"


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--offline", is_flag=True, help="Ask no node which chain a channel leads to.")
@reports
def command(file: Path, offline: bool) -> None:
    """Print the configuration that says what Hermes' FILE says.

    What it cannot say is told on stderr: keys, and paths that no filter of Hermes' names.
    """
    converted = convert(file, (lambda *_: None) if offline else _asking(file))
    click.echo(converted.text, nl=False)
    for note in converted.notes:
        click.echo(f"note: {note}", err=True)


def _asking(file: Path) -> OtherEnd:
    """Asks the chains' nodes, as Hermes' configuration has them."""

    def other_end(chain: str, port: str, channel: str) -> str | None:
        chains = tomllib.loads(file.read_text(encoding="utf-8"))["chains"]
        url = next((each["rpc_addr"] for each in chains if str(each["id"]) == chain), "")
        try:
            with closing(HttpRpc(str(url), RpcConfig(timeout_s=5.0, attempts=1))) as rpc:
                return _ask(rpc, port, channel)
        except (RelayerError, ValueError):
            return None

    return other_end


def _ask(rpc: HttpRpc, port: str, channel: str) -> str | None:
    """The chain id in the state of the channel's client, as the node claims; None if it does not say."""
    request = query_pb2.QueryChannelClientStateRequest(port_id=port, channel_id=channel)
    answer = rpc.call("abci_query", path=CHANNEL_CLIENT_STATE, data=request.SerializeToString().hex())
    try:
        raw = b64decode(answer["response"]["value"] or "")
        found = query_pb2.QueryChannelClientStateResponse.FromString(raw)
        return decode_client_state(found.identified_client_state.client_state.value).chain_id or None
    except (KeyError, TypeError, ValueError, DecodeError, IbcError):
        return None
