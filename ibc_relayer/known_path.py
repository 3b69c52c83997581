"""A channel known by its name on one chain, as it stands: its order, its version, and who began it."""

from ibc_core.channel.types import ChannelEnd, ChannelState
from ibc_core.connection.types import ConnectionEnd
from ibc_relayer.client import TendedClient
from ibc_relayer.driver import Drivers
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.ends import channel_end, channels_of, connection_end
from ibc_relayer.errors import WrongCounterparty
from ibc_relayer.handshake import Clients
from ibc_relayer.open_channel import ChannelTerms, finish_channel
from ibc_relayer.path import Path, PathEnd
from ibc_relayer.tendermint import DRIVERS


def known_path(
    a: ChainEndpoint, b: ChainEndpoint, port: str, channel_id: str, drivers: Drivers = DRIVERS
) -> Path:
    """The path of a channel that is there on `a`, its handshake finished where somebody else began it.

    An application may begin a channel by itself and settle on a version of its own making (ICS-27 does):
    such a channel cannot be found by what was asked for, only by its name.

    Args:
        a: the chain on which the channel has that name.
        b: the other.
        port: port id on `a`.
        channel_id: channel id on `a`.
        drivers: the types of clients that are known.

    Raises:
        WrongCounterparty: there is no such channel, or its connection or clients do not lead to `b`.
        ClientUnusable: a client is frozen or expired.
        HandshakeStuck: its ends do not fit.
        TransactionFailed: a chain refuses a step.
    """
    end = channel_end(a, port, channel_id)
    if end is None:
        raise WrongCounterparty(a.chain_id, channel_id, f"no such channel on port {port}")
    connection = _connection(a, end)
    clients = _clients(a, b, connection, drivers)
    connections = end.connection_id, connection.counterparty.connection_id
    ports = port, end.counterparty.port_id
    terms = ChannelTerms(ports, connections, end.ordering, end.version)
    far_id = end.counterparty.channel_id or _answer_to(b, terms, channel_id)
    if not _is_closed(end, channel_end(b, ports[1], far_id)):
        _, far_id = finish_channel(clients, terms, (channel_id, far_id))
    settled = channel_end(a, port, channel_id) or end
    return Path(
        PathEnd(a.chain_id, clients[0].client_id, connections[0], port, channel_id),
        PathEnd(b.chain_id, clients[1].client_id, connections[1], ports[1], far_id),
        end.ordering,
        settled.version,
    )


def _is_closed(*ends: ChannelEnd | None) -> bool:
    """Whether packets may be left, but no handshake."""
    return any(end is not None and end.state == ChannelState.CLOSED for end in ends)


def _connection(chain: ChainEndpoint, end: ChannelEnd) -> ConnectionEnd:
    connection = connection_end(chain, end.connection_id)
    if connection is None or not connection.counterparty.connection_id:
        raise WrongCounterparty(chain.chain_id, end.connection_id, "is not open")
    return connection


def _clients(a: ChainEndpoint, b: ChainEndpoint, connection: ConnectionEnd, drivers: Drivers) -> Clients:
    clients = (
        TendedClient(a, b, connection.client_id, drivers),
        TendedClient(b, a, connection.counterparty.client_id, drivers),
    )
    for client in clients:
        client.check()
    return clients


def _answer_to(chain: ChainEndpoint, terms: ChannelTerms, far_id: str) -> str:
    """The newest end here that answers the other chain's `far_id`; "" where none does yet."""
    for name, end in channels_of(chain, terms.ports[1]):
        theirs = end.counterparty.port_id, end.counterparty.channel_id
        if theirs == (terms.ports[0], far_id) and end.connection_hops == (terms.connections[1],):
            return name
    return ""
