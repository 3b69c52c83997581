"""Checks that a path leads to the chains it should, not to others with their ids (hermes#1038)."""

from collections.abc import Sequence

from ibc_core import paths as keys
from ibc_core.channel.types import ChannelEnd, ChannelState, Order
from ibc_core.client_v2.types import ClientCounterparty
from ibc_relayer.backlog import ChannelBacklog
from ibc_relayer.driver import Drivers
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.ends import channel_end, connection_end, counterparty_of
from ibc_relayer.errors import WrongCounterparty
from ibc_relayer.foreign_client import ForeignClient
from ibc_relayer.path import SIDES, AnyPath, ClientPath, Path, PathEnd, Side, other

Endpoints = tuple[ChainEndpoint, ChainEndpoint]
Clients = tuple[ForeignClient, ForeignClient]


def foreign_clients(paths: Sequence[AnyPath], endpoints: Endpoints, drivers: Drivers) -> Clients:
    """The clients that the paths share, on a and on b, checked against both chains.

    Raises:
        WrongCounterparty: the paths do not share their clients, or a client tracks another chain.
        ClientUnusable: a client is frozen or expired.
        ValueError: no path.
    """
    if not paths:
        raise ValueError("a link needs at least one path")
    return _client(paths, endpoints, 0, drivers), _client(paths, endpoints, 1, drivers)


def _client(paths: Sequence[AnyPath], endpoints: Endpoints, side: Side, drivers: Drivers) -> ForeignClient:
    host, client_id = endpoints[side], paths[0].end(side).client_id
    for end in (path.end(side) for path in paths):
        if (end.chain_id, end.client_id) != (host.chain_id, client_id):
            reason = f"the path wants {end.client_id} of {end.chain_id}"
            raise WrongCounterparty(host.chain_id, client_id, reason)
    client = ForeignClient(host, endpoints[other(side)], client_id, drivers)
    client.check(is_chosen=True)
    return client


def check_path(backlog: ChannelBacklog, clients: Clients) -> None:
    """Checks both ends against the path; records closed ends, and nextSequenceRecv of ordered channels.

    Raises:
        WrongCounterparty: an end is missing or has another counterparty.
    """
    path = backlog.path
    if isinstance(path, ClientPath):
        for side in SIDES:
            require_registered(clients[side], path.end(other(side)).client_id)
    else:
        _check_channel(backlog, path, (clients[0].host, clients[1].host))


def require_registered(client: ForeignClient, far_id: str) -> None:
    """Checks that `far_id` is registered as the client's counterparty, with the prefix of its type.

    Raises:
        WrongCounterparty: no counterparty is registered, or another one.
    """
    chain_id, found = client.host.chain_id, counterparty_of(client.host, client.client_id)
    if found is None:
        raise WrongCounterparty(chain_id, client.client_id, "no counterparty is registered")
    if found != ClientCounterparty(client.convention.merkle_prefix, far_id):
        where = b"/".join(found.merkle_prefix)
        raise WrongCounterparty(chain_id, client.client_id, f"leads to {found.client_id} below {where!r}")


def _check_channel(channel: ChannelBacklog, path: Path, endpoints: Endpoints) -> None:
    for side in SIDES:
        endpoint, end = endpoints[side], path.end(side)
        height = endpoint.tip().height
        found = channel_end(endpoint, end.port_id, end.channel_id)
        if found is None:
            raise WrongCounterparty(endpoint.chain_id, end.channel_id, "no such channel")
        _require_counterparty(endpoint, path.end(other(side)), end, found)
        if found.state == ChannelState.CLOSED and channel.closed_at[side] is None:
            channel.closed_at[side] = height
        if path.order == Order.ORDERED:
            raw = endpoint.get(keys.next_sequence_recv_path(end.port_id, end.channel_id))
            channel.sent_from(other(side)).next_sequence_recv = int.from_bytes(raw or b"\x01", "big")


def _require_counterparty(endpoint: ChainEndpoint, far: PathEnd, near: PathEnd, found: ChannelEnd) -> None:
    theirs = found.counterparty
    if (theirs.port_id, theirs.channel_id) != (far.port_id, far.channel_id):
        raise WrongCounterparty(endpoint.chain_id, near.channel_id, f"leads to {theirs.channel_id}")
    connection = connection_end(endpoint, found.connection_id)
    if found.connection_id != near.connection_id or connection is None:
        raise WrongCounterparty(endpoint.chain_id, near.channel_id, f"hops over {found.connection_id}")
    if (connection.client_id, connection.counterparty.client_id) != (near.client_id, far.client_id):
        raise WrongCounterparty(endpoint.chain_id, near.connection_id, f"uses {connection.client_id}")
