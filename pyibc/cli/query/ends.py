"""`pyibc query clients|client|connections|connection|channels|channel`: the ends of IBC on a chain."""

import json
from collections.abc import Callable
from types import ModuleType
from typing import Any

import click

from pyibc.cli.one_chain import endpoint, of_chain
from pyibc.cli.query.showing import Missing, message_json, show
from pyibc.codec.anys import AnyMessage, decode_any
from pyibc.codec.protojson import to_json
from pyibc.core import paths
from pyibc.core.errors import ChannelNotFound
from pyibc.core.wire.states import decode_channel_end
from pyibc.proto.ibc.core.channel.v1 import query_pb2 as channel_pb
from pyibc.proto.ibc.core.client.v1 import query_pb2 as client_pb
from pyibc.proto.ibc.core.client.v1.client_pb2 import IdentifiedClientState
from pyibc.proto.ibc.core.connection.v1 import query_pb2 as connection_pb
from pyibc.relayer.chain.grpc_query import ask_entries, ask_named, read_of
from pyibc.relayer.paths.ends import connection_end


@click.command("channel")
@click.argument("port")
@click.argument("channel")
@click.option("--prove", is_flag=True, help="With a proof of the end, or of its absence.")
@of_chain
def channel_command(port: str, channel: str, prove: bool, **options: Any) -> None:
    """Show the channel end CHANNEL of PORT, with any name.

    With --prove: a MerkleProof in hexadecimal, and the height of the header with the matching app hash.
    """
    key = paths.channel_path(port, channel)
    with endpoint(options) as chain:
        shown: dict[str, Any] = {}
        if prove:
            proven = chain.prove(key, chain.tip().height - 1)
            raw, shown = proven.value, {"proof": proven.proof.hex(), "proof_height": str(proven.height)}
        else:
            raw = chain.get(key)
        if raw is None and not prove:
            raise ChannelNotFound(port, channel)
        end = None if raw is None else read_of(chain, channel, lambda: decode_channel_end(raw))
    if end is not None:
        far = end.counterparty
        shown = {
            "state": end.state.name,
            "ordering": end.ordering.text,
            "counterparty": {"port_id": far.port_id, "channel_id": far.channel_id},
            "connection_hops": list(end.connection_hops),
            "version": end.version,
        } | shown
    click.echo(json.dumps(shown, indent=2))


def _list(
    options: dict[str, Any],
    what: str,
    query: tuple[ModuleType, str, str],
    row: Callable[[Any], dict[str, Any]],
    text: Callable[[dict[str, Any]], str],
) -> None:
    """Print what a query for `ask_entries` lists: each as `row` in JSON, or as the `text` of that."""
    with endpoint(options) as chain:
        rows = [row(each) for each in ask_entries(chain, *query)]
        nothing = f"{chain.chain_id} has no {what}"
    show(options, rows, [text(each) for each in rows] or [nothing])


@click.command("clients")
@of_chain
def clients(**options: Any) -> None:
    """List the light clients of a chain."""
    query = client_pb, "ClientStates", "client_states"
    _list(options, "clients", query, _client_row, _client_text)


@click.command("client")
@click.argument("client_id", metavar="CLIENT")
@of_chain
def client(client_id: str, **options: Any) -> None:
    """Show the light client CLIENT and its status: Active, Expired or Frozen. Exit code 4: no such client."""
    with endpoint(options) as chain:
        raw = chain.get(paths.client_state_path(client_id))
        if raw is None:
            raise Missing(f"{chain.chain_id} has no client {client_id}. `pyibc query clients` lists them")
        state = read_of(chain, client_id, lambda: decode_any(raw))
        found = ask_named(chain, client_pb, "ClientStatus", client_id=client_id)
    row = {"client_id": client_id, "status": found.status, "client_state": message_json(state)}
    show(options, row, [f"{_client_text(row)}, {found.status}"])


def _client_row(found: IdentifiedClientState) -> dict[str, Any]:
    state = AnyMessage(found.client_state.type_url, found.client_state.value)
    return {"client_id": found.client_id, "client_state": message_json(state)}


def _client_text(row: dict[str, Any]) -> str:
    state = row["client_state"]
    height = state.get("latest_height")
    is_height = isinstance(height, dict)  # of most types; not of an unknown one, which is hexadecimal
    at = f" at {height['revision_number']}-{height['revision_height']}" if is_height else ""
    return f"{row['client_id']}: {state.get('chain_id') or state['@type']}{at}"


@click.command("connections")
@of_chain
def connections(**options: Any) -> None:
    """List the connections of a chain."""
    query = connection_pb, "Connections", "connections"
    _list(options, "connections", query, to_json, _connection_text)


@click.command("connection")
@click.argument("connection_id", metavar="CONNECTION")
@of_chain
def connection(connection_id: str, **options: Any) -> None:
    """Show the connection CONNECTION. Exit code 4: no such connection."""
    with endpoint(options) as chain:
        if connection_end(chain, connection_id) is None:
            text = f"{chain.chain_id} has no connection {connection_id}"
            raise Missing(f"{text}. `pyibc query connections` lists them")
        found = ask_named(chain, connection_pb, "Connection", connection_id=connection_id)
    row = {"id": connection_id, **to_json(found.connection)}
    show(options, row, [_connection_text(row)])


def _connection_text(row: dict[str, Any]) -> str:
    far = row["counterparty"]
    other = f"{far['connection_id'] or '(not known yet)'} over {far['client_id']}"
    return f"{row['id']} over {row['client_id']} -> {other}: {row['state']}"


@click.command("channels")
@of_chain
def channels(**options: Any) -> None:
    """List the channels of a chain; `pyibc query channel` shows one."""
    query = channel_pb, "Channels", "channels"
    _list(options, "channels", query, to_json, _channel_text)


def _channel_text(row: dict[str, Any]) -> str:
    far = row["counterparty"]
    other = f"{far['port_id']}/{far['channel_id'] or '(not known yet)'}"
    hops = "/".join(row["connection_hops"])
    return f"{row['port_id']}/{row['channel_id']} over {hops} -> {other}: {row['state']}, {row['ordering']}"
