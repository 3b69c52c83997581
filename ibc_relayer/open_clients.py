"""Creates an IBC v2 path between two chains: two clients, each registered as the other's counterparty.

Only the creator of a client may register its counterparty, and only once. Every step starts from the state
of the chains, not from what was done before: an interrupted setup is continued where it stopped.
"""

from collections.abc import Iterator

from ibc_core.client_v2.register_counterparty import MsgRegisterCounterparty
from ibc_core.wire.message import pack_msg
from ibc_relayer.candidates import pair_candidate, pair_candidates
from ibc_relayer.driver import Drivers, Terms
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.ends import clients_of, counterparty_of
from ibc_relayer.errors import HandshakeStuck, TransactionFailed, WrongCounterparty
from ibc_relayer.find_path import only_one
from ibc_relayer.foreign_client import ForeignClient
from ibc_relayer.identity import require_registered
from ibc_relayer.open_path import create_client
from ibc_relayer.path import SIDES, ClientEnd, ClientPath, Side, other
from ibc_relayer.review import Findings, Review
from ibc_relayer.submission import refusal, send
from ibc_relayer.tendermint import DRIVERS
from ibc_relayer.terms import NOTHING

ATTEMPTS = 5
"""Retries after another relayer with our key has registered another counterparty."""

Pair = tuple[str, str]
"""The client ids on a and b."""


def make_client_path(
    a: ChainEndpoint,
    b: ChainEndpoint,
    *,
    drivers: Drivers = DRIVERS,
    accept: Terms = NOTHING,
    new_clients: bool = False,
) -> ClientPath:
    """Two clients registered as each other's counterparty; reuses clients with our terms.

    The newest pair of clients that our account created comes first; then the only one of strangers; then
    half-registered ones of ours; then clients of ours without a counterparty, which may have channels too.

    Args:
        a: one chain.
        b: the other.
        drivers: the supported client types, and which are created on a and b.
        accept: terms in which what is reused may differ from ours.
        new_clients: creates a new pair, even if there is one.

    Raises:
        AmbiguousPath: several pairs of strangers will do.
        TransactionFailed: a chain refuses a client or its counterparty.
        HandshakeStuck: each time, somebody with our key registered other counterparties.
        EndpointUnavailable: a chain does not answer; calling again continues.
    """
    for _ in range(ATTEMPTS):
        review = Review(a, b, drivers, accept, is_chosen=False)
        pair = (None if new_clients else _find(review, drivers)) or (
            _unregistered(review, 0, drivers, new=new_clients),
            _unregistered(review, 1, drivers, new=new_clients),
        )
        if all(_register(review.foreign(side, pair[side]), pair[other(side)]) for side in SIDES):
            return ClientPath(ClientEnd(a.chain_id, pair[0]), ClientEnd(b.chain_id, pair[1]))
    raise HandshakeStuck("the pair of clients", "taken", "taken")


def known_client_path(
    a: ChainEndpoint,
    b: ChainEndpoint,
    client_id: str,
    drivers: Drivers = DRIVERS,
    *,
    accept: Terms = NOTHING,
) -> ClientPath:
    """The path of an existing client on `a`; registers the counterparty on `b` if that client is ours.

    Raises:
        WrongCounterparty: the client has no counterparty, or they do not track these chains.
        ClientUnusable: a client is frozen or expired.
        DifferentTerms: they have other terms than ours.
        TransactionFailed: `b` refuses to register the counterparty.
    """
    found = counterparty_of(a, client_id)
    far_id = found.client_id if found is not None else ""
    review = Review(a, b, drivers, accept, is_chosen=True)
    require_registered(review.foreign(0, client_id), far_id)
    clients = review.client(0, client_id) + review.client(1, far_id)
    clients.require_none(client_id)
    if _may_register(review, 1, far_id):
        _register(review.foreign(1, far_id), client_id)
    if found is None:
        raise WrongCounterparty(a.chain_id, client_id, "no counterparty is registered")
    return pair_candidate(review, client_id, found).require_usable()


def _find(review: Review, drivers: Drivers) -> Pair | None:
    """The registered pair to use, else a pair of ours that we can complete."""
    usable = [each for each in pair_candidates(review, drivers) if each.is_usable]
    ours = [each.path for each in usable if review.are_ours((each.path.a.client_id, each.path.b.client_id))]
    if ours:
        return ours[0].a.client_id, ours[0].b.client_id
    if usable:
        a, b = review.chains
        path = only_one(usable, f"pairs of clients between {a.chain_id} and {b.chain_id}").path
        return path.a.client_id, path.b.client_id
    halves = [*_half_registered(review, 0, drivers), *_half_registered(review, 1, drivers)]
    return halves[0] if halves else None


def _half_registered(review: Review, side: Side, drivers: Drivers) -> Iterator[Pair]:
    """Pairs of usable clients, both of ours, of which the one on `side` is registered: ids on a and b."""
    host = review.chains[side]
    for client_id in clients_of(host, drivers.new[side].client_type):
        found = counterparty_of(host, client_id)
        if found is None or found.merkle_prefix != review.foreign(side, client_id).convention.merkle_prefix:
            continue
        pair = (found.client_id, client_id) if side else (client_id, found.client_id)
        # guard: h132-a-stranger-s-half-of-a-pair-is-completed drop:are_ours
        #   test_h132_a_stranger_who_names_our_client_does_not_get_our_registration
        if (
            review.are_ours(pair)
            and _may_register(review, other(side), found.client_id)
            and review.client(0, pair[0]) + review.client(1, pair[1]) == Findings()
        ):
            yield pair


def _unregistered(review: Review, side: Side, drivers: Drivers, *, new: bool) -> str:
    """A usable client of ours without a counterparty; a new one if there is none."""
    driver, host = drivers.new[side], review.chains[side]
    if not new:
        for client_id in clients_of(host, driver.client_type):
            if _may_register(review, side, client_id) and review.client(side, client_id) == Findings():
                return client_id
    return create_client(host, review.chains[other(side)], driver).client_id


def _register(client: ForeignClient, far_id: str) -> bool:
    """Registers a counterparty; returns whether it is the registered one now."""
    if _leads_to(client, far_id):
        return True
    host, client_id = client.host, client.client_id
    message = MsgRegisterCounterparty(client_id, client.convention.merkle_prefix, far_id, host.signer)
    outcome = send(host, [pack_msg(message)])
    if counterparty_of(host, client_id) is None:
        what = f"the counterparty of {client_id}"
        raise TransactionFailed(host.chain_id, what, refusal(outcome), outcome.log)
    return _leads_to(client, far_id)  # another relayer may have been faster


def _leads_to(client: ForeignClient, far_id: str) -> bool:
    try:
        require_registered(client, far_id)
    except WrongCounterparty:
        return False
    return True


def _may_register(review: Review, side: Side, client_id: str) -> bool:
    """Whether the client is ours and has no counterparty."""
    return counterparty_of(review.chains[side], client_id) is None and review.is_ours(side, client_id) is True
