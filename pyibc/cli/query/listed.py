"""`pyibc query clients|client|connections|connection|channels`: the ends of IBC on a chain."""

from typing import Any

import click

from pyibc.cli.one_chain import endpoint, of_chain, reports
from pyibc.cli.query.showing import Missing, message_json, show
from pyibc.codec.anys import AnyMessage, decode_any
from pyibc.codec.protojson import to_json
from pyibc.core import paths
from pyibc.proto.ibc.core.channel.v1 import query_pb2 as channel_pb
from pyibc.proto.ibc.core.client.v1 import query_pb2 as client_pb
from pyibc.proto.ibc.core.connection.v1 import query_pb2 as connection_pb
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.chain.grpc_query import ask, ask_entries, read_of
from pyibc.relayer.paths.ends import connection_end

_CLIENT = "/ibc.core.client.v1.Query/"
_CONNECTION = "/ibc.core.connection.v1.Query/"
_CHANNEL = "/ibc.core.channel.v1.Query/"


@click.command("clients")
@of_chain
@reports
def clients(**options: Any) -> None:
    """List the light clients of a chain."""
    with endpoint(options) as chain:
        found = ask_entries(
            chain,
            f"{_CLIENT}ClientStates",
            client_pb.QueryClientStatesRequest(),
            client_pb.QueryClientStatesResponse,
            lambda page: page.client_states,
        )
        listed = [*found]
        packed = [AnyMessage(each.client_state.type_url, each.client_state.value) for each in listed]
        rows = [
            {"client_id": each.client_id, "client_state": message_json(state)}
            for each, state in zip(listed, packed, strict=True)
        ]
        nothing = f"{chain.chain_id} has no clients"
    show(options, rows, [_client_text(each) for each in rows] or [nothing])


@click.command("client")
@click.argument("client_id", metavar="CLIENT")
@of_chain
@reports
def client(client_id: str, **options: Any) -> None:
    """Show the light client CLIENT and its status: Active, Expired or Frozen. Exit code 4: no such client."""
    with endpoint(options) as chain:
        raw = chain.get(paths.client_state_path(client_id))
        if raw is None:
            raise Missing(f"{chain.chain_id} has no client {client_id}. `pyibc query clients` lists them")
        state = read_of(chain, client_id, lambda: decode_any(raw))
        request = client_pb.QueryClientStatusRequest(client_id=client_id)
        found = ask(chain, f"{_CLIENT}ClientStatus", request, client_pb.QueryClientStatusResponse)
    row = {"client_id": client_id, "status": found.status, "client_state": message_json(state)}
    show(options, row, [f"{_client_text(row)}, {found.status}"])


def _client_text(row: dict[str, Any]) -> str:
    state = row["client_state"]
    height = state.get("latest_height")
    is_height = isinstance(height, dict)  # of most types; not of an unknown one, which is hexadecimal
    at = f" at {height['revision_number']}-{height['revision_height']}" if is_height else ""
    return f"{row['client_id']}: {state.get('chain_id') or state['@type']}{at}"


@click.command("connections")
@of_chain
@reports
def connections(**options: Any) -> None:
    """List the connections of a chain."""
    with endpoint(options) as chain:
        found = ask_entries(
            chain,
            f"{_CONNECTION}Connections",
            connection_pb.QueryConnectionsRequest(),
            connection_pb.QueryConnectionsResponse,
            lambda page: page.connections,
        )
        rows = [to_json(each) for each in found]
        nothing = f"{chain.chain_id} has no connections"
    show(options, rows, [_connection_text(each) for each in rows] or [nothing])


@click.command("connection")
@click.argument("connection_id", metavar="CONNECTION")
@of_chain
@reports
def connection(connection_id: str, **options: Any) -> None:
    """Show the connection CONNECTION. Exit code 4: no such connection."""
    with endpoint(options) as chain:
        _require_connection(chain, connection_id)
        request = connection_pb.QueryConnectionRequest(connection_id=connection_id)
        found = ask(chain, f"{_CONNECTION}Connection", request, connection_pb.QueryConnectionResponse)
    row = {"id": connection_id, **to_json(found.connection)}
    show(options, row, [_connection_text(row)])


def _require_connection(chain: ChainEndpoint, connection_id: str) -> None:
    if connection_end(chain, connection_id) is None:
        raise Missing(
            f"{chain.chain_id} has no connection {connection_id}. `pyibc query connections` lists them"
        )


def _connection_text(row: dict[str, Any]) -> str:
    far = row["counterparty"]
    other = f"{far['connection_id'] or '(not known yet)'} over {far['client_id']}"
    return f"{row['id']} over {row['client_id']} -> {other}: {row['state']}"


@click.command("channels")
@of_chain
@reports
def channels(**options: Any) -> None:
    """List the channels of a chain; `pyibc query channel` shows one."""
    with endpoint(options) as chain:
        found = ask_entries(
            chain,
            f"{_CHANNEL}Channels",
            channel_pb.QueryChannelsRequest(),
            channel_pb.QueryChannelsResponse,
            lambda page: page.channels,
        )
        rows = [to_json(each) for each in found]
        nothing = f"{chain.chain_id} has no channels"
    show(options, rows, [_channel_text(each) for each in rows] or [nothing])


def _channel_text(row: dict[str, Any]) -> str:
    far = row["counterparty"]
    other = f"{far['port_id']}/{far['channel_id'] or '(not known yet)'}"
    hops = "/".join(row["connection_hops"])
    return f"{row['port_id']}/{row['channel_id']} over {hops} -> {other}: {row['state']}, {row['ordering']}"
