"""Creates a path between two chains: clients, a connection, a channel.

Every step starts from the state of the chains, not from what was done before: an interrupted setup is
continued where it stopped, also by another relayer.
"""

from ibc_core.channel.types import Order
from ibc_core.client.create import MsgCreateClient
from ibc_core.wire.message import pack_msg
from ibc_relayer.driver import ClientDriver, Drivers, only
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.ends import clients_of
from ibc_relayer.errors import ClientUnusable, TransactionFailed, WrongCounterparty
from ibc_relayer.foreign_client import ForeignClient
from ibc_relayer.handshake import event_attribute
from ibc_relayer.open_channel import ChannelParams, open_channel
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
    """An open channel between two chains; reuses existing clients, connections and channels.

    Args:
        a: the chain that starts the handshakes.
        b: the other.
        port: port id on both chains, or (on a, on b).
        order: of the channel.
        version: of the application, e.g. `ics20-1`.
        drivers: the supported client types, and which are created on a and b.
        new_clients: creates new clients (and so a new connection), even if there are usable ones.
        new_channel: opens a new channel, even if one is open or unfinished.

    Raises:
        HandshakeStuck: a handshake cannot continue.
        TransactionFailed: a chain refuses a step.
        EndpointUnavailable: a chain does not answer; calling again continues.
    """
    on_a, on_b = drivers.new
    clients = client_for(a, b, on_a, new=new_clients), client_for(b, a, on_b, new=new_clients)
    connections = open_connection(clients)
    ports = (port, port) if isinstance(port, str) else port
    channels = open_channel(clients, ChannelParams(ports, connections, order, version), new=new_channel)
    end_a, end_b = (
        PathEnd(chain.chain_id, client.client_id, *names)
        for chain, client, *names in zip((a, b), clients, connections, ports, channels, strict=True)
    )
    return Path(end_a, end_b, order, version)


def find_client(
    host: ChainEndpoint, reference: ChainEndpoint, driver: ClientDriver = TENDERMINT_DRIVER
) -> ForeignClient | None:
    """The newest active client of the driver's type on `host` that tracks `reference` itself."""
    for client_id in clients_of(host, driver.client_type):
        client = ForeignClient(host, reference, client_id, only(driver))
        try:
            client.check()
        except (WrongCounterparty, ClientUnusable):
            continue
        return client
    return None


def create_client(
    host: ChainEndpoint, reference: ChainEndpoint, driver: ClientDriver = TENDERMINT_DRIVER
) -> ForeignClient:
    """Creates a client on `host` that tracks `reference`, starting from its last header.

    Raises:
        TransactionFailed: the host refuses it.
    """
    message = MsgCreateClient(*driver.initial_states(reference), host.signer)
    outcome = send(host, [pack_msg(message)])
    if outcome.code != 0:
        raise TransactionFailed(host.chain_id, "the new client", refusal(outcome), outcome.log)
    return ForeignClient(
        host, reference, event_attribute(outcome, "create_client", "client_id"), only(driver)
    )


def client_for(
    host: ChainEndpoint, reference: ChainEndpoint, driver: ClientDriver, *, new: bool
) -> ForeignClient:
    """A client on `host` that tracks `reference`: one that is there, or a new one; `new`: always a new one.

    Raises:
        TransactionFailed: the host refuses it.
    """
    found = None if new else find_client(host, reference, driver)
    return found or create_client(host, reference, driver)
