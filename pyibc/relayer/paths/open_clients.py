"""Creation of an IBC v2 path: two clients, each registered as the other's counterparty.

Only the creator of a client may register its counterparty, and only once. Every step starts from the state
of the chains, so an interrupted setup continues where it stopped.
"""

from collections.abc import Iterator

from pyibc.core.client_v2 import MsgRegisterCounterparty
from pyibc.core.wire.message import pack_msg
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.clients.driver import Drivers, Terms
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.clients.tendermint import DRIVERS
from pyibc.relayer.errors import HandshakeStuck, TransactionFailed, WrongCounterparty
from pyibc.relayer.links.outcomes import refusal, send
from pyibc.relayer.paths.audit import Audit, AuditResult, registration_fault, require_registered
from pyibc.relayer.paths.candidates import pair_candidate, pair_candidates
from pyibc.relayer.paths.channel_policy import ACCEPT_NONE
from pyibc.relayer.paths.discovery import only_one
from pyibc.relayer.paths.ends import clients_of, counterparty_of
from pyibc.relayer.paths.open_path import create_client
from pyibc.relayer.paths.path import SIDES, ClientEnd, ClientPath, Side, other

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
