"""Creates a path between two chains: clients, a connection, a channel.

Every step starts from the state of the chains, not from what was done before: an interrupted setup is
continued where it stopped, also by another relayer. What is there is reused if its terms are ours
(`ibc_relayer.terms`) and it is no stranger's choice (`ibc_relayer.find_path`).
"""

from ibc_core.channel.types import Order
from ibc_core.client.create import MsgCreateClient
from ibc_core.wire.message import pack_msg
from ibc_relayer.driver import ClientDriver, Drivers, Terms, only
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.ends import clients_of
from ibc_relayer.errors import AmbiguousPath, NodeBehind, NoPath, TransactionFailed
from ibc_relayer.find_path import SHOWN, channels_between, only_one
from ibc_relayer.foreign_client import ForeignClient
from ibc_relayer.handshake import Clients, event_attribute
from ibc_relayer.open_channel import ChannelParams, open_channel
from ibc_relayer.open_connection import find_connection, open_connection
from ibc_relayer.path import Path, PathEnd, Side, other
from ibc_relayer.review import Findings, Review
from ibc_relayer.submission import refusal, send
from ibc_relayer.tendermint import DRIVERS, TENDERMINT_DRIVER
from ibc_relayer.terms import NOTHING

STRANGER = "another account created it, and may forbid us to update it"


def make_path(  # noqa: PLR0913 - named options of one call
    a: ChainEndpoint,
    b: ChainEndpoint,
    port: str | tuple[str, str],
    order: Order,
    version: str,
    *,
    drivers: Drivers = DRIVERS,
    accept: Terms = NOTHING,
    new_clients: bool = False,
    new_channel: bool = False,
) -> Path:
    """An open channel between two chains; reuses clients, connections and channels with our terms.

    Args:
        a: the chain that starts the handshakes.
        b: the other.
        port: port id on both chains, or (on a, on b).
        order: of the channel.
        version: of the application, e.g. `ics20-1`.
        drivers: the supported client types, and which are created on a and b.
        accept: terms in which what is reused may differ from ours.
        new_clients: creates new clients (and so a new connection), even if there are usable ones.
        new_channel: opens a new channel, even if one is open or unfinished.

    Raises:
        AmbiguousPath: several channels will do, or clients of creators whom their chain does not record.
        HandshakeStuck: a handshake cannot continue.
        TransactionFailed: a chain refuses a step.
        EndpointUnavailable: a chain does not answer; calling again continues.
    """
    if not new_clients and not new_channel:
        known = channels_between(a, b, port, order, version, drivers=drivers, accept=accept)
        open_ones = [each for each in known if each.is_usable]
        if open_ones:
            return only_one(open_ones, f"channels from {a.chain_id} to {b.chain_id}").path
    clients = make_clients(a, b, drivers=drivers, accept=accept, new=new_clients)
    ports = (port, port) if isinstance(port, str) else port
    params = ChannelParams(ports, open_connection(clients, accept=accept), order, version)
    return make_channel(clients, params, new=new_channel)


def make_channel(clients: Clients, params: ChannelParams, *, new: bool) -> Path:
    """The path of a channel over a connection: an open one, an unfinished one completed, or a new one.

    Raises:
        HandshakeStuck: the handshake cannot continue.
        TransactionFailed: a chain refuses a step.
    """
    channels = open_channel(clients, params, new=new)
    end_a, end_b = (
        PathEnd(client.host.chain_id, client.client_id, *names)
        for client, *names in zip(clients, params.connections, params.ports, channels, strict=True)
    )
    return Path(end_a, end_b, params.order, params.version)


def make_clients(
    a: ChainEndpoint,
    b: ChainEndpoint,
    *,
    drivers: Drivers = DRIVERS,
    accept: Terms = NOTHING,
    new: bool = False,
) -> Clients:
    """A client on each chain: one that is there (`find_client`), or a new one; `new`: always new ones.

    Raises:
        AmbiguousPath: several clients will do, and their chain does not record who created them.
        TransactionFailed: a chain refuses a client.
        EndpointUnavailable: a chain does not answer.
    """
    review = Review(a, b, drivers, accept, is_chosen=False)
    return client_for(review, 0, drivers, new=new), client_for(review, 1, drivers, new=new)


def existing_clients(
    a: ChainEndpoint, b: ChainEndpoint, *, drivers: Drivers = DRIVERS, accept: Terms = NOTHING
) -> Clients:
    """As `make_clients`, but creates none.

    Raises:
        NoPath, AmbiguousPath: a chain has no client to build upon, or several of unknown creators.
        EndpointUnavailable: a chain does not answer.
    """
    review = Review(a, b, drivers, accept, is_chosen=False)
    return _existing(review, 0, drivers), _existing(review, 1, drivers)


def _existing(review: Review, side: Side, drivers: Drivers) -> ForeignClient:
    found = find_client(review, side, drivers.new[side])
    if found is None:
        of, host = review.chains[other(side)].chain_id, review.chains[side]
        others = [
            each for each in clients_of(host, drivers.new[side].client_type) if review.claims(side, each)
        ]
        listed = tuple(f"{each}: {review.client(side, each).text or STRANGER}" for each in others[:SHOWN])
        raise NoPath(f"client of {of} on {host.chain_id}", listed, len(others) - len(listed))
    return found


def existing_connection(clients: Clients, *, accept: Terms = NOTHING) -> tuple[str, str]:
    """The connection ids on a and b of an open connection with our terms over `clients`.

    Raises:
        NoPath: there is none.
    """
    found = find_connection(clients, accept)
    if found is None:
        raise NoPath("connection over " + " and ".join(each.client_id for each in clients), (), 0)
    return found


def find_client(review: Review, side: Side, driver: ClientDriver) -> ForeignClient | None:
    """A usable client on one side to build upon: the newest that our account created.

    One that somebody else created is passed over: its creator may forbid us to update it (IBC v2). Where the
    chain does not record who creates, it is the only usable client.

    Raises:
        AmbiguousPath: the chain does not record it, and there are several.
        NodeBehind: of ours is one that knows of a later block than the node of its chain.
    """
    unclaimed = []
    for client_id in clients_of(review.chains[side], driver.client_type):
        is_ours = review.is_ours(side, client_id)
        # guard: h131-a-stranger-s-client-is-built-upon drop:is_ours
        #   test_h131_nothing_is_built_upon_a_stranger_s_client_even_with_our_terms
        if is_ours is False or not review.claims(side, client_id):
            continue
        found = review.client(side, client_id)
        if is_ours and any(isinstance(fault, NodeBehind) for fault in found.faults):
            raise found.faults[0]
        if found == Findings():
            if is_ours:
                return review.foreign(side, client_id)
            unclaimed.append(client_id)
    if len(unclaimed) > 1:
        raise AmbiguousPath(f"clients on {review.chains[side].chain_id}", tuple(unclaimed))
    return review.foreign(side, unclaimed[0]) if unclaimed else None


def create_client(
    host: ChainEndpoint, reference: ChainEndpoint, driver: ClientDriver = TENDERMINT_DRIVER
) -> ForeignClient:
    """Creates a client on `host` that tracks `reference`, starting from its last header.

    Raises:
        TransactionFailed: the host refuses it.
    """
    message = MsgCreateClient(*driver.initial_states(reference), host.signer)
    outcome = send(host, [pack_msg(message)])
    if outcome.code != 0:
        raise TransactionFailed(host.chain_id, "the new client", refusal(outcome), outcome.log)
    client_id = event_attribute(outcome, "create_client", "client_id")
    return ForeignClient(host, reference, client_id, only(driver))


def client_for(review: Review, side: Side, drivers: Drivers, *, new: bool) -> ForeignClient:
    """A client on one side: one that is there (`find_client`), or a new one; `new`: always a new one.

    Raises:
        AmbiguousPath: several clients will do, and their chain does not record who created them.
        TransactionFailed: the host refuses it.
    """
    driver = drivers.new[side]
    found = None if new else find_client(review, side, driver)
    return found or create_client(review.chains[side], review.chains[other(side)], driver)
