"""A path of queues: two ends registered with each other."""

from typing import NamedTuple

from ibc_core.queue.packet import Registration
from ibc_core.queue.register import MsgRegister
from ibc_core.queue.states import decode_registration
from ibc_core.queue.types import STORE_NAME, End, registration_key
from ibc_core.wire.message import pack_msg
from ibc_relayer.driver import Drivers, Terms
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.errors import NoPath, TransactionFailed, WrongCounterparty
from ibc_relayer.foreign_client import ForeignClient
from ibc_relayer.open_path import client_for
from ibc_relayer.path import SIDES, Side, other
from ibc_relayer.review import Review
from ibc_relayer.submission import refusal, send
from ibc_relayer.tendermint import DRIVERS
from ibc_relayer.terms import NOTHING


class QueuePath(NamedTuple):
    """The registrations on both chains; `a.local` is `b.remote`."""

    a: Registration
    b: Registration


def make_queue_path(
    a: ChainEndpoint,
    b: ChainEndpoint,
    ends: tuple[End, End] | None = None,
    *,
    drivers: Drivers = DRIVERS,
    accept: Terms = NOTHING,
    new_clients: bool = False,
) -> QueuePath:
    """Two registered ends; registers them if needed, and reuses clients with our terms.

    Args:
        a: one chain.
        b: the other.
        ends: of a and of b; None: the chains themselves [IBC-packets], [IBC-queues].
        drivers: the supported client types, and which are created on a and b.
        accept: terms that may be other than ours.
        new_clients: creates new clients for ends that are not registered yet.

    Raises:
        WrongCounterparty: an end is registered with another one, or its client tracks another chain.
        DifferentTerms: a registered end's client has other terms than ours.
        AmbiguousPath: several clients will do, and their chain does not record who created them.
        TransactionFailed: a chain refuses to register it.
        ClientUnusable: a registered end's client is frozen or expired.
        EndpointUnavailable: a chain does not answer; calling again continues.
    """
    pair = ends or (End(a.chain_id), End(b.chain_id))
    review = Review(a, b, drivers, accept, is_chosen=False)
    known = [_checked(review, side, pair) for side in SIDES]  # both, before anything is created
    for side in SIDES:
        if known[side] is None:
            client = client_for(review, side, drivers, new=new_clients)
            _register(pair[side], pair[other(side)], client)
    return _found(Review(a, b, drivers, accept, is_chosen=False), pair)


def find_queue_path(
    a: ChainEndpoint,
    b: ChainEndpoint,
    ends: tuple[End, End] | None = None,
    *,
    drivers: Drivers = DRIVERS,
    accept: Terms = NOTHING,
) -> QueuePath:
    """Two ends that are registered with each other; creates nothing. Arguments as `make_queue_path`.

    Raises:
        NoPath: an end is not registered.
        WrongCounterparty: it is with another one, or its client tracks another chain.
        DifferentTerms: its client has other terms than ours.
        ClientUnusable: its client is frozen or expired.
        EndpointUnavailable: a chain does not answer.
    """
    pair = ends or (End(a.chain_id), End(b.chain_id))
    return _found(Review(a, b, drivers, accept, is_chosen=False), pair)


def read_registration(host: ChainEndpoint, remote: End) -> Registration | None:
    """The registration of `remote` on `host`, None if there is none."""
    raw = host.get(registration_key(remote), STORE_NAME)
    return None if raw is None else decode_registration(raw)


def _found(review: Review, ends: tuple[End, End]) -> QueuePath:
    found = [_checked(review, side, ends) for side in SIDES]
    if found[0] is None or found[1] is None:
        side: Side = 0 if found[0] is None else 1
        what = f"registration of {ends[other(side)].text} on {review.chains[side].chain_id}"
        raise NoPath(what, (), 0)
    return QueuePath(found[0], found[1])


def _checked(review: Review, side: Side, ends: tuple[End, End]) -> Registration | None:
    """The registration on one side with its client checked, None if there is none."""
    host, local, remote = review.chains[side], ends[side], ends[other(side)]
    found = read_registration(host, remote)
    if found is None:
        return None
    if found.local != local:
        raise WrongCounterparty(host.chain_id, found.client_id, f"{remote.text} talks to {found.local.text}")
    if found.remote_store != STORE_NAME.encode():
        reason = f"{remote.text} is looked for in the store {found.remote_store!r}"
        raise WrongCounterparty(host.chain_id, found.client_id, reason)
    # guard: h134-a-registration-s-client-is-not-reviewed drop
    #   test_h134_a_stranger_s_end_of_a_queue_is_not_relayed_over
    review.client(side, found.client_id).require_none(remote.text)
    return found


def _register(local: End, remote: End, client: ForeignClient) -> Registration:
    host = client.host
    message = MsgRegister(client.client_id, local, remote, STORE_NAME.encode(), host.signer)
    outcome = send(host, [pack_msg(message)])
    found = read_registration(host, remote)  # another relayer may have been faster
    if found is None:
        raise TransactionFailed(host.chain_id, f"the end {remote.text}", refusal(outcome), outcome.log)
    return found
