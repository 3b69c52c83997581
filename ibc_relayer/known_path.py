"""The path of an existing channel, given by its identifier on one chain."""

from ibc_core.channel.types import ChannelEnd, ChannelState
from ibc_relayer.driver import Drivers, Terms
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.ends import channel_end, channels_of
from ibc_relayer.errors import WrongCounterparty
from ibc_relayer.handshake import Clients
from ibc_relayer.open_channel import ChannelParams, finish_channel
from ibc_relayer.path import Path, PathEnd
from ibc_relayer.review import Findings, Review
from ibc_relayer.tendermint import DRIVERS
from ibc_relayer.terms import NOTHING


def known_path(
    a: ChainEndpoint,
    b: ChainEndpoint,
    port: str,
    channel_id: str,
    drivers: Drivers = DRIVERS,
    *,
    accept: Terms = NOTHING,
) -> Path:
    """The path of a channel that exists on `a`; a handshake that somebody else started is completed.

    Applications may open channels themselves and negotiate versions of their own (ICS-27 does): such a
    channel can be found by its identifier only. Arguments as `find_path.find_channel`.

    Raises:
        WrongCounterparty: there is no such channel, or its connection or clients do not lead to `b`.
        ClientUnusable: a client is frozen or expired.
        DifferentTerms: connection or clients have other terms than ours.
        HandshakeStuck: the handshake cannot continue.
        TransactionFailed: a chain refuses a step.
    """
    end = channel_end(a, port, channel_id)
    if end is None:
        raise WrongCounterparty(a.chain_id, channel_id, f"no such channel on port {port}")
    connections, clients = over_connection(Review(a, b, drivers, accept, is_chosen=True), end.connection_id)
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


def over_connection(review: Review, connection_id: str) -> tuple[tuple[str, str], Clients]:
    """The connection ids on a and b, and their clients."""
    end, on_a = review.connection(0, connection_id)
    far_id = end.counterparty.connection_id if end is not None else ""
    far, on_b = review.connection(1, far_id) if far_id else (None, Findings())
    (on_a + on_b).require_none(connection_id)
    if end is None or far is None:
        raise WrongCounterparty(review.chains[0].chain_id, connection_id, "is not open")
    if (far.client_id, far.counterparty.connection_id) != (end.counterparty.client_id, connection_id):
        reason = f"leads to {far.counterparty.connection_id} over {far.client_id}"
        raise WrongCounterparty(review.chains[1].chain_id, far_id, reason)
    return (connection_id, far_id), (review.foreign(0, end.client_id), review.foreign(1, far.client_id))


def _counterparty_of(chain: ChainEndpoint, params: ChannelParams, far_id: str) -> str:
    """The newest channel end here whose counterparty is `far_id`; "" if there is none yet."""
    for name, end in channels_of(chain, params.ports[1]):
        theirs = end.counterparty.port_id, end.counterparty.channel_id
        if theirs == (params.ports[0], far_id) and end.connection_hops == (params.connections[1],):
            return name
    return ""
