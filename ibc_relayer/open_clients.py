"""Creates an IBC v2 path between two chains: two clients, each registered as the other's counterparty.

Only the creator of a client may register its counterparty, and only once. Every step starts from the state
of the chains, not from what was done before: an interrupted setup is continued where it stopped.
"""

from collections.abc import Iterator

from ibc_core import paths as keys
from ibc_core.address import decode_bech32
from ibc_core.client_v2.register_counterparty import MsgRegisterCounterparty
from ibc_core.wire.message import pack_msg
from ibc_relayer.driver import ClientDriver, Drivers, only
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.ends import MERKLE_PREFIX, clients_of, counterparty_of
from ibc_relayer.errors import ClientUnusable, HandshakeStuck, TransactionFailed, WrongCounterparty
from ibc_relayer.foreign_client import ForeignClient
from ibc_relayer.identity import require_registered
from ibc_relayer.open_path import create_client
from ibc_relayer.path import ClientEnd, ClientPath
from ibc_relayer.submission import refusal, send
from ibc_relayer.tendermint import DRIVERS

ATTEMPTS = 5
"""Retries after another relayer with our key has registered another counterparty."""

Pair = tuple[str, str]
"""The client ids on a and b."""


def make_client_path(
    a: ChainEndpoint, b: ChainEndpoint, *, drivers: Drivers = DRIVERS, new_clients: bool = False
) -> ClientPath:
    """Two clients registered as each other's counterparty; reuses existing clients.

    Registered pairs come first, whoever created them; then half-registered ones; then clients of ours without
    a counterparty, which may have channels too.

    Args:
        a: one chain.
        b: the other.
        drivers: the supported client types, and which are created on a and b.
        new_clients: creates a new pair, even if there is one.

    Raises:
        TransactionFailed: a chain refuses a client or its counterparty.
        HandshakeStuck: each time, somebody with our key registered other counterparties.
        EndpointUnavailable: a chain does not answer; calling again continues.
    """
    on_a, on_b = drivers.new
    for _ in range(ATTEMPTS):
        pair = (None if new_clients else _find(a, b, drivers)) or (
            _unregistered(a, b, on_a, new=new_clients),
            _unregistered(b, a, on_b, new=new_clients),
        )
        if _register(a, *pair) and _register(b, *reversed(pair)):
            return _path(a, b, pair)
    raise HandshakeStuck("the pair of clients", "taken", "taken")


def known_client_path(
    a: ChainEndpoint, b: ChainEndpoint, client_id: str, drivers: Drivers = DRIVERS
) -> ClientPath:
    """The path of an existing client on `a`; registers the counterparty on `b` if that client is ours.

    Raises:
        WrongCounterparty: the client has no counterparty, or they do not track these chains.
        ClientUnusable: a client is frozen or expired.
        TransactionFailed: `b` refuses to register the counterparty.
    """
    found = counterparty_of(a, client_id)
    far_id = found.client_id if found is not None else ""
    require_registered(a, client_id, far_id)
    ForeignClient(a, b, client_id, drivers).check()
    ForeignClient(b, a, far_id, drivers).check()
    if _may_register(b, far_id):
        _register(b, far_id, client_id)
    require_registered(b, far_id, client_id)
    return _path(a, b, (client_id, far_id))


def _path(a: ChainEndpoint, b: ChainEndpoint, pair: Pair) -> ClientPath:
    return ClientPath(ClientEnd(a.chain_id, pair[0]), ClientEnd(b.chain_id, pair[1]))


def _find(a: ChainEndpoint, b: ChainEndpoint, drivers: Drivers) -> Pair | None:
    """The newest pair that is registered on both chains, else one that we can complete."""
    halves = []
    for on_a, on_b in _half_registered(a, b, drivers.new[0], drivers):
        if _leads_to(b, on_b, on_a):
            return on_a, on_b
        if _may_register(b, on_b):
            halves.append((on_a, on_b))
    for on_b, on_a in _half_registered(b, a, drivers.new[1], drivers):
        if _may_register(a, on_a):
            halves.append((on_a, on_b))
    return halves[0] if halves else None


def _half_registered(
    host: ChainEndpoint, reference: ChainEndpoint, driver: ClientDriver, drivers: Drivers
) -> Iterator[Pair]:
    """Active clients on `host` with an active counterparty on `reference`: both identifiers."""
    for client_id in clients_of(host, driver.client_type):
        found = counterparty_of(host, client_id)
        if (
            found is not None
            and found.merkle_prefix == MERKLE_PREFIX
            and _is_usable(host, reference, client_id, drivers)
            and _is_usable(reference, host, found.client_id, drivers)
        ):
            yield client_id, found.client_id


def _unregistered(host: ChainEndpoint, reference: ChainEndpoint, driver: ClientDriver, *, new: bool) -> str:
    """An active client of ours without a counterparty; a new one if there is none."""
    if not new:
        for client_id in clients_of(host, driver.client_type):
            if _may_register(host, client_id) and _is_usable(host, reference, client_id, only(driver)):
                return client_id
    return create_client(host, reference, driver).client_id


def _register(host: ChainEndpoint, client_id: str, far_id: str) -> bool:
    """Registers a counterparty; returns whether it is the registered one now."""
    if _leads_to(host, client_id, far_id):
        return True
    message = MsgRegisterCounterparty(client_id, MERKLE_PREFIX, far_id, host.signer)
    outcome = send(host, [pack_msg(message)])
    if counterparty_of(host, client_id) is None:
        what = f"the counterparty of {client_id}"
        raise TransactionFailed(host.chain_id, what, refusal(outcome), outcome.log)
    return _leads_to(host, client_id, far_id)  # another relayer may have been faster


def _leads_to(host: ChainEndpoint, client_id: str, far_id: str) -> bool:
    try:
        require_registered(host, client_id, far_id)
    except WrongCounterparty:
        return False
    return True


def _may_register(host: ChainEndpoint, client_id: str) -> bool:
    """Whether the client is ours and has no counterparty."""
    if counterparty_of(host, client_id) is not None:
        return False
    return host.get(keys.client_creator_path(client_id)) == decode_bech32(host.signer)[1]


def _is_usable(host: ChainEndpoint, reference: ChainEndpoint, client_id: str, drivers: Drivers) -> bool:
    try:
        ForeignClient(host, reference, client_id, drivers).check()
    except (WrongCounterparty, ClientUnusable):
        return False
    return True
