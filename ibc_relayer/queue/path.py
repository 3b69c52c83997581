"""A path of queues: two ends registered with each other."""

from typing import NamedTuple

from ibc_core.queue.packet import Registration
from ibc_core.queue.register import MsgRegister
from ibc_core.queue.states import decode_registration
from ibc_core.queue.types import STORE_NAME, End, registration_key
from ibc_core.wire.message import pack_msg
from ibc_relayer.driver import ClientDriver, Drivers
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.errors import TransactionFailed, WrongCounterparty
from ibc_relayer.foreign_client import ForeignClient
from ibc_relayer.open_path import client_for
from ibc_relayer.submission import refusal, send
from ibc_relayer.tendermint import DRIVERS


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
    new_clients: bool = False,
) -> QueuePath:
    """Two registered ends; registers them if needed, and reuses existing clients.

    Args:
        a: one chain.
        b: the other.
        ends: of a and of b; None: the chains themselves [IBC-packets], [IBC-queues].
        drivers: the supported client types, and which are created on a and b.
        new_clients: creates new clients for ends that are not registered yet.

    Raises:
        WrongCounterparty: an end is registered with another one, or its client tracks another chain.
        TransactionFailed: a chain refuses to register it.
        ClientUnusable: a registered end's client is frozen or expired.
        EndpointUnavailable: a chain does not answer; calling again continues.
    """
    ours, theirs = ends or (End(a.chain_id), End(b.chain_id))
    on_a, on_b = drivers.new
    return QueuePath(
        _registered(a, b, (ours, theirs), drivers, on_a, new=new_clients),
        _registered(b, a, (theirs, ours), drivers, on_b, new=new_clients),
    )


def read_registration(host: ChainEndpoint, remote: End) -> Registration | None:
    """The registration of `remote` on `host`, None if there is none."""
    raw = host.get(registration_key(remote), STORE_NAME)
    return None if raw is None else decode_registration(raw)


def _registered(
    host: ChainEndpoint,
    reference: ChainEndpoint,
    ends: tuple[End, End],
    drivers: Drivers,
    made: ClientDriver,
    *,
    new: bool,
) -> Registration:
    """The registration on `host`; `made` is of the client that a new one gets."""
    local, remote = ends
    found = read_registration(host, remote)
    if found is None:
        found = _register(local, remote, client_for(host, reference, made, new=new))
    if found.local != local:
        raise WrongCounterparty(host.chain_id, found.client_id, f"{remote.text} talks to {found.local.text}")
    ForeignClient(host, reference, found.client_id, drivers).check()
    return found


def _register(local: End, remote: End, client: ForeignClient) -> Registration:
    host = client.host
    message = MsgRegister(client.client_id, local, remote, STORE_NAME.encode(), host.signer)
    outcome = send(host, [pack_msg(message)])
    found = read_registration(host, remote)  # another relayer may have been faster
    if found is None:
        raise TransactionFailed(host.chain_id, f"the end {remote.text}", refusal(outcome), outcome.log)
    return found
