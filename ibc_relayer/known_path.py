"""The path of an existing channel, given by its identifier on one chain."""

from ibc_core.channel.types import ChannelEnd, ChannelState
from ibc_core.connection.types import ConnectionEnd
from ibc_relayer.driver import Drivers
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.ends import channel_end, channels_of, connection_end
from ibc_relayer.errors import WrongCounterparty
from ibc_relayer.foreign_client import ForeignClient
from ibc_relayer.handshake import Clients
from ibc_relayer.open_channel import ChannelParams, finish_channel
from ibc_relayer.path import Path, PathEnd
from ibc_relayer.tendermint import DRIVERS


def known_path(
    a: ChainEndpoint, b: ChainEndpoint, port: str, channel_id: str, drivers: Drivers = DRIVERS
) -> Path:
    """The path of a channel that exists on `a`; a handshake that somebody else started is completed.

    Applications may open channels themselves and negotiate versions of their own (ICS-27 does): such a
    channel can be found by its identifier only.

    Args:
        a: the chain on which the channel has that identifier.
        b: the other.
        port: port id on `a`.
        channel_id: channel id on `a`.
        drivers: the supported client types.

    Raises:
        WrongCounterparty: there is no such channel, or its connection or clients do not lead to `b`.
        ClientUnusable: a client is frozen or expired.
        HandshakeStuck: the handshake cannot continue.
        TransactionFailed: a chain refuses a step.
    """
    end = channel_end(a, port, channel_id)
    if end is None:
        raise WrongCounterparty(a.chain_id, channel_id, f"no such channel on port {port}")
    connection = _connection(a, end)
    clients = _clients(a, b, connection, drivers)
    connections = end.connection_id, connection.counterparty.connection_id
    ports = port, end.counterparty.port_id
    params = ChannelParams(ports, connections, end.ordering, end.version)
    far_id = end.counterparty.channel_id or _counterparty_of(b, params, channel_id)
    if not _is_closed(end, channel_end(b, ports[1], far_id)):
        _, far_id = finish_channel(clients, params, (channel_id, far_id))
    settled = channel_end(a, port, channel_id) or end
    return Path(
        PathEnd(a.chain_id, clients[0].client_id, connections[0], port, channel_id),
        PathEnd(b.chain_id, clients[1].client_id, connections[1], ports[1], far_id),
        end.ordering,
        settled.version,
    )


def _is_closed(*ends: ChannelEnd | None) -> bool:
    """Whether an end is closed: packets may be pending, but there is no handshake to complete."""
    return any(end is not None and end.state == ChannelState.CLOSED for end in ends)


def _connection(chain: ChainEndpoint, end: ChannelEnd) -> ConnectionEnd:
    connection = connection_end(chain, end.connection_id)
    if connection is None or not connection.counterparty.connection_id:
        raise WrongCounterparty(chain.chain_id, end.connection_id, "is not open")
    return connection


def _clients(a: ChainEndpoint, b: ChainEndpoint, connection: ConnectionEnd, drivers: Drivers) -> Clients:
    clients = (
        ForeignClient(a, b, connection.client_id, drivers),
        ForeignClient(b, a, connection.counterparty.client_id, drivers),
    )
    for client in clients:
        client.check()
    return clients


def _counterparty_of(chain: ChainEndpoint, params: ChannelParams, far_id: str) -> str:
    """The newest channel end here whose counterparty is `far_id`; "" if there is none yet."""
    for name, end in channels_of(chain, params.ports[1]):
        theirs = end.counterparty.port_id, end.counterparty.channel_id
        if theirs == (params.ports[0], far_id) and end.connection_hops == (params.connections[1],):
            return name
    return ""
