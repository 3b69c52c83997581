"""Creation of a path between two chains: clients, a connection, a channel.

Only the creator of a client may register its counterparty, and only once.

Every step starts from the state of the chains, so an interrupted setup continues where it stopped, also by
another relayer. Existing clients, connections and channels are reused if they meet the policy
(`pyibc.relayer.paths.channel_policy`) and no third party chose them (`pyibc.relayer.paths.discovery`).
"""

from collections.abc import Iterator

from pyibc.core.channel.types import Order
from pyibc.core.client.messages import MsgCreateClient
from pyibc.core.client_v2 import MsgRegisterCounterparty
from pyibc.core.wire.message import pack_msg
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.clients.driver import ClientDriver, Drivers, Terms, single_driver
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.clients.tendermint import DRIVERS, TENDERMINT_DRIVER
from pyibc.relayer.errors import (
    AmbiguousPath,
    HandshakeStuck,
    NodeBehind,
    NoPath,
    TransactionFailed,
    WrongCounterparty,
)
from pyibc.relayer.links.outcomes import refusal, send
from pyibc.relayer.paths.audit import Audit, AuditResult, registration_fault, require_registered
from pyibc.relayer.paths.candidates import pair_candidate, pair_candidates
from pyibc.relayer.paths.channel_policy import ACCEPT_NONE
from pyibc.relayer.paths.discovery import SHOWN, channels_between, only_one
from pyibc.relayer.paths.ends import clients_of, counterparty_of
from pyibc.relayer.paths.handshake import Clients, event_attribute
from pyibc.relayer.paths.open_channel import GENERATED, ChannelParams, open_channel
from pyibc.relayer.paths.open_connection import find_connection, open_connection
from pyibc.relayer.paths.path import SIDES, ClientEnd, ClientPath, Path, PathEnd, Side, other

ATTEMPTS = 5
"""Attempts after another relayer with the same key has registered another counterparty."""

Pair = tuple[str, str]
"""Client ids on a and b."""


def make_client_path(
    a: ChainEndpoint,
    b: ChainEndpoint,
    *,
    drivers: Drivers = DRIVERS,
    accept: Terms = ACCEPT_NONE,
    new_clients: bool = False,
) -> ClientPath:
    """Return two clients registered as each other's counterparty; reuse clients that meet the policy.

    Preferred are, in this order: the newest pair of clients that the relayer's accounts created; the only
    pair of a third party; half-registered pairs of the relayer; clients of the relayer without a
    counterparty, which may have channels too.

    Args:
        a: one chain.
        b: the other chain.
        drivers: the supported client types, and the types of new clients on a and b.
        accept: terms in which reused clients may differ from the policy.
        new_clients: create a new pair, even if there is one.

    Raises:
        AmbiguousPath: several pairs of third parties are usable.
        TransactionFailed: a chain refuses a client or its counterparty.
        HandshakeStuck: in each attempt, a relayer with the same key registered other counterparties.
        EndpointUnavailable: a chain does not answer; another call continues.
    """
    for _ in range(ATTEMPTS):
        audit = Audit(a, b, drivers, accept, is_chosen=False)
        pair = (None if new_clients else _find(audit, drivers)) or (
            _unregistered(audit, 0, drivers, new=new_clients),
            _unregistered(audit, 1, drivers, new=new_clients),
        )
        if all(_register(audit.foreign_client(side, pair[side]), pair[other(side)]) for side in SIDES):
            return ClientPath(ClientEnd(a.chain_id, pair[0]), ClientEnd(b.chain_id, pair[1]))
    raise HandshakeStuck("the pair of clients", "taken", "taken")


def known_client_path(
    a: ChainEndpoint,
    b: ChainEndpoint,
    client_id: str,
    drivers: Drivers = DRIVERS,
    *,
    accept: Terms = ACCEPT_NONE,
) -> ClientPath:
    """Return the path of an existing client on `a`; register the counterparty of the relayer's client on `b`.

    Raises:
        WrongCounterparty: the client has no counterparty, or they do not track these chains.
        ClientUnusable: a client is frozen or expired.
        DifferentTerms: the clients differ from the policy.
        TransactionFailed: `b` refuses to register the counterparty.
    """
    found = counterparty_of(a, client_id)
    far_id = found.client_id if found is not None else ""
    audit = Audit(a, b, drivers, accept, is_chosen=True)
    require_registered(audit.foreign_client(0, client_id), far_id)
    clients = audit.client(0, client_id) + audit.client(1, far_id)
    clients.raise_if_any(client_id)
    if _may_register(audit, 1, far_id):
        _register(audit.foreign_client(1, far_id), client_id)
    if found is None:
        raise WrongCounterparty(a.chain_id, client_id, "no counterparty is registered")
    return pair_candidate(audit, client_id, found).require_usable()


def _find(audit: Audit, drivers: Drivers) -> Pair | None:
    """Return the registered pair to use, or else a pair of the relayer that can be completed."""
    usable = [each for each in pair_candidates(audit, drivers) if each.is_usable]
    ours = [each.path for each in usable if audit.are_ours((each.path.a.client_id, each.path.b.client_id))]
    if ours:
        return ours[0].a.client_id, ours[0].b.client_id
    if usable:
        a, b = audit.chains
        path = only_one(usable, f"pairs of clients between {a.chain_id} and {b.chain_id}").path
        return path.a.client_id, path.b.client_id
    halves = [*_half_registered(audit, 0, drivers), *_half_registered(audit, 1, drivers)]
    return halves[0] if halves else None


def _half_registered(audit: Audit, side: Side, drivers: Drivers) -> Iterator[Pair]:
    """Yield pairs of usable clients of the relayer, registered on `side` only: ids on a and b."""
    host = audit.chains[side]
    for client_id in clients_of(host, drivers.new[side].client_type):
        found = counterparty_of(host, client_id)
        if (
            found is None
            or found.merkle_prefix != audit.foreign_client(side, client_id).convention.merkle_prefix
        ):
            continue
        pair = (found.client_id, client_id) if side else (client_id, found.client_id)
        # guard: h132-a-stranger-s-half-of-a-pair-is-completed drop:are_ours
        #   test_h132_a_stranger_who_names_our_client_does_not_get_our_registration
        if (
            audit.are_ours(pair)
            and _may_register(audit, other(side), found.client_id)
            and audit.client(0, pair[0]) + audit.client(1, pair[1]) == AuditResult()
        ):
            yield pair


def _unregistered(audit: Audit, side: Side, drivers: Drivers, *, new: bool) -> str:
    """Return a usable client of the relayer without a counterparty; create one if there is none."""
    driver, host = drivers.new[side], audit.chains[side]
    if not new:
        for client_id in clients_of(host, driver.client_type):
            if _may_register(audit, side, client_id) and audit.client(side, client_id) == AuditResult():
                return client_id
    return create_client(host, audit.chains[other(side)], driver).client_id


def _register(client: ForeignClient, far_id: str) -> bool:
    """Register a counterparty; return whether it is the registered one now."""
    if _has_counterparty(client, far_id):
        return True
    host, client_id = client.host, client.client_id
    message = MsgRegisterCounterparty(client_id, client.convention.merkle_prefix, far_id, host.signer)
    outcome = send(host, [pack_msg(message)])
    if counterparty_of(host, client_id) is None:
        what = f"the counterparty of {client_id}"
        raise TransactionFailed(host.chain_id, what, refusal(outcome), outcome.log)
    return _has_counterparty(client, far_id)  # another relayer may have been faster


def _has_counterparty(client: ForeignClient, far_id: str) -> bool:
    return registration_fault(client, counterparty_of(client.host, client.client_id), far_id) is None


def _may_register(audit: Audit, side: Side, client_id: str) -> bool:
    """Return whether the relayer created the client and it has no counterparty."""
    return counterparty_of(audit.chains[side], client_id) is None and audit.is_ours(side, client_id) is True


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
