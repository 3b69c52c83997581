"""Chains of a packet as users name them, and the path between them."""

from contextlib import AbstractContextManager
from typing import NamedTuple

from pyibc.apps.transfer.packet_data import PORT_ID
from pyibc.cli.one_chain import endpoint, network_here, rpc_of, running
from pyibc.cli.query.showing import Missing
from pyibc.codec.anys import decode_any
from pyibc.core.channel.types import Order
from pyibc.core.errors import ConnectionNotFound
from pyibc.core.identifiers import is_channel_id
from pyibc.core.paths import client_state_path
from pyibc.relayer.chain.grpc_query import read_of
from pyibc.relayer.clients.attestations.driver import drivers_between
from pyibc.relayer.errors import WrongCounterparty
from pyibc.relayer.packets.history import Route
from pyibc.relayer.paths.ends import channel_end, connection_end, counterparty_of
from pyibc.relayer.rpc.endpoint import RpcEndpoint


def chain_of(network: str, text: str | None, option: str) -> tuple[str, str]:
    """Return the localnet and the URL of a chain that an option names; "" for a chain of no localnet.

    Raises:
        ValueError: there is no such localnet or chain.
        EndpointUnavailable: it is stopped.
        NetworkUnusable: the localnet's settings cannot be read.
    """
    if text is not None and "://" in text:
        return "", text
    if text is not None and "/" in text:
        network, text = text.split("/", 1)
    localnet, nodes = running(network)
    found = [each for each in nodes if text in {None, each.chain_id}]
    if not found:
        known = ", ".join(each.chain_id for each in nodes)
        raise ValueError(f"{option}: network {network!r} has no chain {text!r}; it has {known}")
    return network, rpc_of(localnet, found[0])


def connect(url: str) -> AbstractContextManager[RpcEndpoint]:
    """Connect to a chain. Raises as `endpoint`."""
    return endpoint({"node": url, "prefix": "cosmos"})


class FoundRoute(NamedTuple):
    """Route of a packet, read on the chain that sent it."""

    route: Route
    chain_id: str  # of that chain
    far_chain_id: str  # of the other one, by the client; "": its type is not known

    def other_url(self, network: str, text: str | None) -> str:
        """Return the URL of the other chain: the one named by --to, or the one of this id in `network`.

        Raises:
            ValueError: there is no such chain.
            NetworkUnusable: the localnet's settings cannot be read.
        """
        if text is None and not (network and self.far_chain_id):
            raise ValueError(f"--to is missing: the RPC of {self.far_chain_id or 'the receiving chain'}")
        return chain_of(network or network_here(), text or self.far_chain_id, "--to")[1]

    def require(self, b: RpcEndpoint) -> None:
        """Check that the path leads to `b`.

        Raises:
            WrongCounterparty: it does not.
            EndpointUnavailable, MalformedAnswer: the chain does not answer, or not in its form.
        """
        name = "/".join(self.route.on_a)
        if self.far_chain_id and self.far_chain_id != b.chain_id:
            raise WrongCounterparty(
                self.chain_id, name, f"leads to {self.far_chain_id}, not to {b.chain_id} (--to)"
            )
        if self.route.is_v2:
            far = counterparty_of(b, *self.route.on_b)
            is_ours = far is not None and (far.client_id,) == self.route.on_a
        else:
            end = channel_end(b, *self.route.on_b)
            far_end = None if end is None else (end.counterparty.port_id, end.counterparty.channel_id)
            is_ours = far_end == self.route.on_a
        # guard: the-other-end-is-believed drop test_a_path_that_leads_elsewhere_is_refused
        if not is_ours:
            reason = f"{'/'.join(self.route.on_b)} of {b.chain_id} does not lead back to it"
            raise WrongCounterparty(self.chain_id, name, reason)


def route_from(a: RpcEndpoint, path: str, sequence: int) -> FoundRoute:
    """Return the route of a packet sent over `path`: a channel, with its port or of `transfer`, or a client.

    Raises:
        Missing: there is no such channel.
        ConnectionNotFound, WrongCounterparty: the path is incomplete, or there is no such client.
        EndpointUnavailable, MalformedAnswer: the chain does not answer, or not in its form.
    """
    port, _, name = path.rpartition("/")
    if port or is_channel_id(name):
        return _over_channel(a, port or PORT_ID, name, sequence)
    registered = counterparty_of(a, name)
    if registered is None:
        reason = "is neither a channel nor a client with a counterparty: use PORT/channel-N, or a client's id"
        raise WrongCounterparty(a.chain_id, name, reason)
    route = Route((name,), (registered.client_id,), sequence, is_ordered=False)
    return FoundRoute(route, a.chain_id, _reference(a, name))


def _over_channel(a: RpcEndpoint, port: str, channel: str, sequence: int) -> FoundRoute:
    end = channel_end(a, port, channel)
    if end is None:
        raise Missing(f"{a.chain_id} has no channel {port}/{channel}. Check PATH, and the chain (--from)")
    connection = connection_end(a, end.connection_id)
    if connection is None:
        raise ConnectionNotFound(end.connection_id)
    far = end.counterparty.port_id, end.counterparty.channel_id
    route = Route((port, channel), far, sequence, end.ordering is Order.ORDERED)
    return FoundRoute(route, a.chain_id, _reference(a, connection.client_id))


def _reference(a: RpcEndpoint, client_id: str) -> str:
    """Return the id of the chain that a client tracks; "": its type is not known."""
    driver, raw = drivers_between(None, None).find(client_id), a.get(client_state_path(client_id))
    if driver is None or raw is None:
        return ""
    return read_of(a, client_id, lambda: driver.view(decode_any(raw)).chain_id)
