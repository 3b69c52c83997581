"""Path of queues: two ends registered with each other."""

from typing import NamedTuple

from pyibc.core.wire.message import pack_msg
from pyibc.queues.messages import MsgRegister
from pyibc.queues.packet import Registration
from pyibc.queues.states import decode_registration
from pyibc.queues.types import STORE_NAME, End, registration_key
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.clients.driver import Drivers, Terms
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.clients.tendermint import DRIVERS
from pyibc.relayer.errors import NoPath, TransactionFailed, WrongCounterparty
from pyibc.relayer.links.outcomes import refusal, send
from pyibc.relayer.paths.audit import Audit
from pyibc.relayer.paths.channel_policy import ACCEPT_NONE
from pyibc.relayer.paths.open_path import client_for
from pyibc.relayer.paths.path import SIDES, Side, other


class QueuePath(NamedTuple):
    """Registrations on both chains; `a.local` is `b.remote`."""

    a: Registration
    b: Registration


def make_queue_path(
    a: ChainEndpoint,
    b: ChainEndpoint,
    ends: tuple[End, End] | None = None,
    *,
    drivers: Drivers = DRIVERS,
    accept: Terms = ACCEPT_NONE,
    new_clients: bool = False,
) -> QueuePath:
    """Return two registered ends; register them if needed, and reuse clients that meet the policy.

    Args:
        a: one chain.
        b: the other chain.
        ends: of a and of b; None: the chains themselves [IBC-packets], [IBC-queues].
        drivers: the supported client types, and the types of new clients on a and b.
        accept: terms that may differ from the policy.
        new_clients: create new clients for ends that are not registered yet.

    Raises:
        WrongCounterparty: an end is registered with another one, or its client tracks another chain.
        DifferentTerms: a registered end's client differs from the policy.
        AmbiguousPath: several clients are usable, and their chain does not record their creators.
        TransactionFailed: a chain refuses the registration.
        ClientUnusable: a registered end's client is frozen or expired.
        EndpointUnavailable: a chain does not answer; another call continues.
    """
    pair = ends or (End(a.chain_id), End(b.chain_id))
    audit = Audit(a, b, drivers, accept, is_chosen=False)
    known = [_checked(audit, side, pair) for side in SIDES]  # both sides, before anything is created
    for side in SIDES:
        if known[side] is None:
            client = client_for(audit, side, drivers, new=new_clients)
            _register(pair[side], pair[other(side)], client)
    return _found(Audit(a, b, drivers, accept, is_chosen=False), pair)


def find_queue_path(
    a: ChainEndpoint,
    b: ChainEndpoint,
    ends: tuple[End, End] | None = None,
    *,
    drivers: Drivers = DRIVERS,
    accept: Terms = ACCEPT_NONE,
) -> QueuePath:
    """Return two ends that are registered with each other; create nothing. Arguments as `make_queue_path`.

    Raises:
        NoPath: an end is not registered.
        WrongCounterparty: an end is registered with another one, or its client tracks another chain.
        DifferentTerms: an end's client differs from the policy.
        ClientUnusable: an end's client is frozen or expired.
        EndpointUnavailable: a chain does not answer.
    """
    pair = ends or (End(a.chain_id), End(b.chain_id))
    return _found(Audit(a, b, drivers, accept, is_chosen=False), pair)


def read_registration(host: ChainEndpoint, remote: End) -> Registration | None:
    """Return the registration of `remote` on `host`; None if there is none."""
    raw = host.get(registration_key(remote), STORE_NAME)
    return None if raw is None else decode_registration(raw)


def _found(audit: Audit, ends: tuple[End, End]) -> QueuePath:
    found = [_checked(audit, side, ends) for side in SIDES]
    if found[0] is None or found[1] is None:
        side: Side = 0 if found[0] is None else 1
        what = f"registration of {ends[other(side)].text} on {audit.chains[side].chain_id}"
        raise NoPath(what, (), 0)
    return QueuePath(found[0], found[1])


def _checked(audit: Audit, side: Side, ends: tuple[End, End]) -> Registration | None:
    """Return the registration on one side after a check of its client; None if there is none."""
    host, local, remote = audit.chains[side], ends[side], ends[other(side)]
    found = read_registration(host, remote)
    if found is None:
        return None
    if found.local != local:
        raise WrongCounterparty(
            host.chain_id, found.client_id, f"{remote.text} is registered with {found.local.text}"
        )
    if found.remote_store != STORE_NAME.encode():
        reason = f"{remote.text} has its entries in the store {found.remote_store!r}"
        raise WrongCounterparty(host.chain_id, found.client_id, reason)
    # guard: h134-a-registration-s-client-is-not-reviewed drop
    #   test_h134_a_stranger_s_end_of_a_queue_is_not_relayed_over
    audit.client(side, found.client_id).raise_if_any(remote.text)
    return found


def _register(local: End, remote: End, client: ForeignClient) -> Registration:
    host = client.host
    message = MsgRegister(client.client_id, local, remote, STORE_NAME.encode(), host.signer)
    outcome = send(host, [pack_msg(message)])
    found = read_registration(host, remote)  # another relayer may have been faster
    if found is None:
        raise TransactionFailed(host.chain_id, f"the end {remote.text}", refusal(outcome), outcome.log)
    return found
