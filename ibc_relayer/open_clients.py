"""Making a path of IBC v2 between two chains: two clients, each registered as the other's counterparty.

Only who made a client may register its counterparty, and only once. Every step starts from what the chains
say, never from what was done before: an interrupted opening is taken up where it stopped.
"""

from collections.abc import Iterator

from ibc_core import paths as keys
from ibc_core.address import decode_bech32
from ibc_core.client_v2.register_counterparty import MsgRegisterCounterparty
from ibc_core.wire.message import pack_msg
from ibc_relayer.client import TendedClient
from ibc_relayer.driver import ClientDriver, Drivers, only
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.ends import MERKLE_PREFIX, clients_of, counterparty_of
from ibc_relayer.errors import ClientUnusable, HandshakeStuck, TransactionFailed, WrongCounterparty
from ibc_relayer.identity import require_registered
from ibc_relayer.open_path import create_client
from ibc_relayer.path import ClientEnd, ClientPath
from ibc_relayer.submission import refusal, send
from ibc_relayer.tendermint import DRIVERS

ATTEMPTS = 5
"""Times an opening begins anew because another relayer with our key paired a client otherwise."""

Pair = tuple[str, str]
"""Client ids on a and b."""


def make_client_path(
    a: ChainEndpoint, b: ChainEndpoint, *, drivers: Drivers = DRIVERS, new_clients: bool = False
) -> ClientPath:
    """Two registered clients, over what is there already or can be taken up.

    Registered pairs come first, whoever made them; then half-registered ones; then clients of ours that have
    no counterparty yet, which may carry channels too.

    Args:
        a: one chain.
        b: the other.
        drivers: the types of clients that are known, and which are made on a and b.
        new_clients: makes a new pair, even where there is one.

    Raises:
        TransactionFailed: a chain refuses a client or its counterparty.
        HandshakeStuck: somebody with our key took our clients for other pairs, each time.
        EndpointUnavailable: a chain does not answer; calling again takes up what was done.
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
    """The path over a client that is there on `a`; what its maker left out on `b` is done where it is ours.

    Raises:
        WrongCounterparty: the client has no counterparty, or they do not belong together or to these chains.
        ClientUnusable: a client is frozen or expired.
        TransactionFailed: `b` refuses to register the counterparty.
    """
    found = counterparty_of(a, client_id)
    far_id = found.client_id if found is not None else ""
    require_registered(a, client_id, far_id)
    TendedClient(a, b, client_id, drivers).check()
    TendedClient(b, a, far_id, drivers).check()
    if _may_register(b, far_id):
        _register(b, far_id, client_id)
    require_registered(b, far_id, client_id)
    return _path(a, b, (client_id, far_id))


def _path(a: ChainEndpoint, b: ChainEndpoint, pair: Pair) -> ClientPath:
    return ClientPath(ClientEnd(a.chain_id, pair[0]), ClientEnd(b.chain_id, pair[1]))


def _find(a: ChainEndpoint, b: ChainEndpoint, drivers: Drivers) -> Pair | None:
    """The newest pair that is registered on both chains, else one that we can complete."""
    halves = []
    for on_a, on_b in _begun(a, b, drivers.new[0], drivers):
        if _leads_to(b, on_b, on_a):
            return on_a, on_b
        if _may_register(b, on_b):
            halves.append((on_a, on_b))
    for on_b, on_a in _begun(b, a, drivers.new[1], drivers):
        if _may_register(a, on_a):
            halves.append((on_a, on_b))
    return halves[0] if halves else None


def _begun(
    host: ChainEndpoint, target: ChainEndpoint, driver: ClientDriver, drivers: Drivers
) -> Iterator[Pair]:
    """Live clients on `host` that have a live counterparty on `target`: both names."""
    for client_id in clients_of(host, driver.client_type):
        found = counterparty_of(host, client_id)
        if (
            found is not None
            and found.merkle_prefix == MERKLE_PREFIX
            and _is_usable(host, target, client_id, drivers)
            and _is_usable(target, host, found.client_id, drivers)
        ):
            yield client_id, found.client_id


def _unregistered(host: ChainEndpoint, target: ChainEndpoint, driver: ClientDriver, *, new: bool) -> str:
    """A live client of ours without a counterparty; a new one where there is none."""
    if not new:
        for client_id in clients_of(host, driver.client_type):
            if _may_register(host, client_id) and _is_usable(host, target, client_id, only(driver)):
                return client_id
    return create_client(host, target, driver).client_id


def _register(host: ChainEndpoint, client_id: str, far_id: str) -> bool:
    """Registers a counterparty; returns whether it is the one that is registered now."""
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
    """Whether the client has no counterparty, and is ours."""
    if counterparty_of(host, client_id) is not None:
        return False
    return host.get(keys.client_creator_path(client_id)) == decode_bech32(host.signer)[1]


def _is_usable(host: ChainEndpoint, target: ChainEndpoint, client_id: str, drivers: Drivers) -> bool:
    try:
        TendedClient(host, target, client_id, drivers).check()
    except (WrongCounterparty, ClientUnusable):
        return False
    return True
