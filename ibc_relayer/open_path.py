"""Making a path between two chains: clients, a connection, a channel.

Every step starts from what the chains say, never from what was done before: an interrupted opening is
taken up where it stopped, also by another relayer.
"""

from ibc_core.channel.types import Order
from ibc_core.client.create import MsgCreateClient
from ibc_core.wire.message import pack_msg
from ibc_relayer.client import TendedClient
from ibc_relayer.driver import ClientDriver, Drivers, only
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.ends import clients_of
from ibc_relayer.errors import ClientUnusable, TransactionFailed, WrongCounterparty
from ibc_relayer.handshake import named
from ibc_relayer.open_channel import ChannelTerms, open_channel
from ibc_relayer.open_connection import open_connection
from ibc_relayer.path import Path, PathEnd
from ibc_relayer.submission import refusal, send
from ibc_relayer.tendermint import DRIVERS, TENDERMINT_DRIVER


def make_path(
    a: ChainEndpoint,
    b: ChainEndpoint,
    port: str | tuple[str, str],
    order: Order,
    version: str,
    *,
    drivers: Drivers = DRIVERS,
    new_clients: bool = False,
    new_channel: bool = False,
) -> Path:
    """An open channel between two chains, over what is there already or can be taken up.

    Args:
        a: the chain that starts the handshakes.
        b: the other.
        port: port id on both chains, or (on a, on b).
        order: of the channel.
        version: of the application, e.g. `ics20-1`.
        drivers: the types of clients that are known, and which are made on a and b.
        new_clients: makes new clients (and thus a new connection), even where there are usable ones.
        new_channel: makes a new channel, even where one is open or half-finished.

    Raises:
        HandshakeStuck: a handshake is in states from which no message leads on.
        TransactionFailed: a chain refuses a step.
        EndpointUnavailable: a chain does not answer; calling again takes up what was done.
    """
    on_a, on_b = drivers.new
    clients = _client(a, b, on_a, new=new_clients), _client(b, a, on_b, new=new_clients)
    connections = open_connection(clients)
    ports = (port, port) if isinstance(port, str) else port
    channels = open_channel(clients, ChannelTerms(ports, connections, order, version), new=new_channel)
    return Path(
        PathEnd(a.chain_id, clients[0].client_id, connections[0], ports[0], channels[0]),
        PathEnd(b.chain_id, clients[1].client_id, connections[1], ports[1], channels[1]),
        order,
        version,
    )


def find_client(
    host: ChainEndpoint, target: ChainEndpoint, driver: ClientDriver = TENDERMINT_DRIVER
) -> TendedClient | None:
    """The newest client of the driver's type on `host` that is alive and tracks `target` itself."""
    for client_id in clients_of(host, driver.client_type):
        client = TendedClient(host, target, client_id, only(driver))
        try:
            client.check()
        except (WrongCounterparty, ClientUnusable):
            continue
        return client
    return None


def create_client(
    host: ChainEndpoint, target: ChainEndpoint, driver: ClientDriver = TENDERMINT_DRIVER
) -> TendedClient:
    """Makes a client on `host` of `target`, which begins with the target's last header.

    Raises:
        TransactionFailed: the host refuses it.
    """
    message = MsgCreateClient(*driver.first_states(target), host.signer)
    outcome = send(host, [pack_msg(message)])
    if outcome.code != 0:
        raise TransactionFailed(host.chain_id, "the new client", refusal(outcome), outcome.log)
    return TendedClient(host, target, named(outcome, "create_client", "client_id"), only(driver))


def _client(host: ChainEndpoint, target: ChainEndpoint, driver: ClientDriver, *, new: bool) -> TendedClient:
    found = None if new else find_client(host, target, driver)
    return found or create_client(host, target, driver)
