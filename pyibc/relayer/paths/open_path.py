"""Creation of a path between two chains: clients, a connection, a channel.

Every step starts from the state of the chains, so an interrupted setup continues where it stopped, also by
another relayer. Existing clients, connections and channels are reused if they meet the policy
(`pyibc.relayer.paths.channel_policy`) and no third party chose them (`pyibc.relayer.paths.discovery`).
"""

from pyibc.core.channel.types import Order
from pyibc.core.client.messages import MsgCreateClient
from pyibc.core.wire.message import pack_msg
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.clients.driver import ClientDriver, Drivers, Terms, single_driver
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.clients.tendermint import DRIVERS, TENDERMINT_DRIVER
from pyibc.relayer.errors import AmbiguousPath, NodeBehind, NoPath, TransactionFailed
from pyibc.relayer.links.outcomes import refusal, send
from pyibc.relayer.paths.audit import Audit, AuditResult
from pyibc.relayer.paths.channel_policy import ACCEPT_NONE
from pyibc.relayer.paths.discovery import SHOWN, channels_between, only_one
from pyibc.relayer.paths.ends import clients_of
from pyibc.relayer.paths.handshake import Clients, event_attribute
from pyibc.relayer.paths.open_channel import GENERATED, ChannelParams, open_channel
from pyibc.relayer.paths.open_connection import find_connection, open_connection
from pyibc.relayer.paths.path import Path, PathEnd, Side, other

THIRD_PARTY = "another account created it, and may forbid the relayer to update it"


def make_path(  # noqa: PLR0913 - named options of one call
    a: ChainEndpoint,
    b: ChainEndpoint,
    port: str | tuple[str, str],
    order: Order,
    version: str,
    *,
    drivers: Drivers = DRIVERS,
    accept: Terms = ACCEPT_NONE,
    new_clients: bool = False,
    new_channel: bool = False,
    names: tuple[str, str] = GENERATED,
) -> Path:
    """Return an open channel between two chains; reuse existing parts that meet the policy.

    Args:
        a: the chain that starts the handshakes.
        b: the other chain.
        port: port id on both chains, or (on a, on b).
        order: of the channel.
        version: of the application, e.g. `ics20-1`.
        drivers: the supported client types, and the types of new clients on a and b.
        accept: terms in which reused parts may differ from the policy.
        new_clients: create new clients (and so a new connection), even if there are usable ones.
        new_channel: open a new channel, even if one is open or unfinished.
        names: chosen for the ends on a and b (ADR 0013); existing parts of that channel are continued.

    Raises:
        AmbiguousPath: several channels are usable, or several clients without a recorded creator.
        HandshakeStuck: a handshake cannot continue.
        TransactionFailed: a chain refuses a step.
        EndpointUnavailable: a chain does not answer; another call continues.
    """
    if not (new_clients or new_channel or any(names)):
        known = channels_between(a, b, port, order, version, drivers=drivers, accept=accept)
        if open_ones := [each for each in known if each.is_usable]:
            return only_one(open_ones, f"channels from {a.chain_id} to {b.chain_id}").path
    clients = make_clients(a, b, drivers=drivers, accept=accept, new=new_clients)
    params = ChannelParams(_both_ports(port), open_connection(clients, accept=accept), order, version, names)
    return make_channel(clients, params, new=new_channel)


def _both_ports(port: str | tuple[str, str]) -> tuple[str, str]:
    return (port, port) if isinstance(port, str) else port


def make_channel(clients: Clients, params: ChannelParams, *, new: bool) -> Path:
    """Return the path of a channel over a connection: open, completed if unfinished, or new.

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
    accept: Terms = ACCEPT_NONE,
    new: bool = False,
) -> Clients:
    """Return a client on each chain: an existing one (`find_client`) or a new one; `new`: always a new one.

    Raises:
        AmbiguousPath: several clients are usable, and their chain does not record their creators.
        TransactionFailed: a chain refuses a client.
        EndpointUnavailable: a chain does not answer.
    """
    audit = Audit(a, b, drivers, accept, is_chosen=False)
    return client_for(audit, 0, drivers, new=new), client_for(audit, 1, drivers, new=new)


def existing_clients(
    a: ChainEndpoint, b: ChainEndpoint, *, drivers: Drivers = DRIVERS, accept: Terms = ACCEPT_NONE
) -> Clients:
    """Return clients like `make_clients`, but create none.

    Raises:
        NoPath, AmbiguousPath: a chain has no usable client, or several without a recorded creator.
        EndpointUnavailable: a chain does not answer.
    """
    audit = Audit(a, b, drivers, accept, is_chosen=False)
    return _existing(audit, 0, drivers), _existing(audit, 1, drivers)


def _existing(audit: Audit, side: Side, drivers: Drivers) -> ForeignClient:
    found = find_client(audit, side, drivers.new[side])
    if found is None:
        of, host = audit.chains[other(side)].chain_id, audit.chains[side]
        others = [
            each
            for each in clients_of(host, drivers.new[side].client_type)
            if audit.claims_to_track(side, each)
        ]
        listed = tuple(f"{each}: {audit.client(side, each).text or THIRD_PARTY}" for each in others[:SHOWN])
        raise NoPath(f"client of {of} on {host.chain_id}", listed, len(others) - len(listed))
    return found


def existing_connection(clients: Clients, *, accept: Terms = ACCEPT_NONE) -> tuple[str, str]:
    """Return the ids on a and b of an open connection over `clients` that meets the policy.

    Raises:
        NoPath: there is none.
    """
    found = find_connection(clients, accept)
    if found is None:
        raise NoPath("connection over " + " and ".join(each.client_id for each in clients), (), 0)
    return found


def find_client(audit: Audit, side: Side, driver: ClientDriver) -> ForeignClient | None:
    """Return a usable client on one side: the newest that the relayer's account created.

    A client of another account is not used: its creator may forbid the relayer to update it (IBC v2). If
    the chain does not record creators, the only usable client is returned.

    Raises:
        AmbiguousPath: the chain does not record creators, and several clients are usable.
        NodeBehind: a client of the relayer has a later header than the node of its chain.
    """
    unattributed = []
    for client_id in clients_of(audit.chains[side], driver.client_type):
        is_ours = audit.is_ours(side, client_id)
        # guard: h131-a-stranger-s-client-is-built-upon drop:is_ours
        #   test_h131_nothing_is_built_upon_a_stranger_s_client_even_with_our_terms
        if is_ours is False or not audit.claims_to_track(side, client_id):
            continue
        found = audit.client(side, client_id)
        if is_ours and any(isinstance(fault, NodeBehind) for fault in found.faults):
            raise found.faults[0]
        if found == AuditResult():
            if is_ours:
                return audit.foreign_client(side, client_id)
            unattributed.append(client_id)
    if len(unattributed) > 1:
        raise AmbiguousPath(f"clients on {audit.chains[side].chain_id}", tuple(unattributed))
    return audit.foreign_client(side, unattributed[0]) if unattributed else None


def create_client(
    host: ChainEndpoint, reference: ChainEndpoint, driver: ClientDriver = TENDERMINT_DRIVER
) -> ForeignClient:
    """Create a client on `host` that tracks `reference`, starting from its last header.

    Raises:
        TransactionFailed: the host refuses the client.
    """
    message = MsgCreateClient(*driver.initial_states(reference), host.signer)
    outcome = send(host, [pack_msg(message)])
    if outcome.code != 0:
        raise TransactionFailed(host.chain_id, "the new client", refusal(outcome), outcome.log)
    client_id = event_attribute(outcome, "create_client", "client_id")
    return ForeignClient(host, reference, client_id, single_driver(driver))


def client_for(audit: Audit, side: Side, drivers: Drivers, *, new: bool) -> ForeignClient:
    """Return a client on one side: an existing one (`find_client`) or a new one; `new`: always a new one.

    Raises:
        AmbiguousPath: several clients are usable, and their chain does not record their creators.
        TransactionFailed: the host refuses the client.
    """
    driver = drivers.new[side]
    found = None if new else find_client(audit, side, driver)
    return found or create_client(audit.chains[side], audit.chains[other(side)], driver)
