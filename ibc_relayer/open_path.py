"""Making a path between two chains: clients, a connection, a channel.

Every step starts from what the chains say, never from what was done before: an interrupted opening is
taken up where it stopped, also by another relayer.
"""

from ibc_core.channel.types import Order
from ibc_core.client.create import MsgCreateClient
from ibc_core.errors import IbcError
from ibc_core.wire.message import pack_msg
from ibc_proto.cosmos.staking.v1beta1 import query_pb2
from ibc_relayer.client import TendedClient
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.ends import clients_of
from ibc_relayer.errors import ClientUnusable, EndpointUnavailable, TransactionFailed, WrongCounterparty
from ibc_relayer.handshake import named
from ibc_relayer.open_channel import ChannelTerms, open_channel
from ibc_relayer.open_connection import open_connection
from ibc_relayer.path import Path, PathEnd
from ibc_relayer.submission import refusal, send
from ibc_relayer.tendermint import ClientTerms, client_state, consensus_state

STAKING_PARAMS = "/cosmos.staking.v1beta1.Query/Params"


def make_path(
    a: ChainEndpoint,
    b: ChainEndpoint,
    port: str | tuple[str, str],
    order: Order,
    version: str,
    *,
    terms: ClientTerms | None = None,
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
        terms: of new clients; None: a chain's own unbonding period where it tells it, else 21 days.
        new_clients: makes new clients (and thus a new connection), even where there are usable ones.
        new_channel: makes a new channel, even where one is open or half-finished.

    Raises:
        HandshakeStuck: a handshake is in states from which no message leads on.
        TransactionFailed: a chain refuses a step.
        EndpointUnavailable: a chain does not answer; calling again takes up what was done.
    """
    clients = _client(a, b, terms, new=new_clients), _client(b, a, terms, new=new_clients)
    connections = open_connection(clients)
    ports = (port, port) if isinstance(port, str) else port
    channels = open_channel(clients, ChannelTerms(ports, connections, order, version), new=new_channel)
    return Path(
        PathEnd(a.chain_id, clients[0].client_id, connections[0], ports[0], channels[0]),
        PathEnd(b.chain_id, clients[1].client_id, connections[1], ports[1], channels[1]),
        order,
        version,
    )


def find_client(host: ChainEndpoint, target: ChainEndpoint) -> TendedClient | None:
    """The newest client on `host` that is alive and tracks `target` itself."""
    for client_id in clients_of(host):
        client = TendedClient(host, target, client_id)
        try:
            client.check()
        except (WrongCounterparty, ClientUnusable):
            continue
        return client
    return None


def create_client(host: ChainEndpoint, target: ChainEndpoint, terms: ClientTerms) -> TendedClient:
    """Makes a client on `host` of `target`, which begins with the target's last header.

    Raises:
        TransactionFailed: the host refuses it.
    """
    block = target.light_block(target.tip().height)
    state = client_state(target.chain_id, block.height, terms)
    message = MsgCreateClient(state, consensus_state(block), host.signer)
    outcome = send(host, [pack_msg(message)])
    if outcome.code != 0:
        raise TransactionFailed(host.chain_id, "the new client", refusal(outcome), outcome.log)
    return TendedClient(host, target, named(outcome, "create_client", "client_id"))


def terms_of(chain: ChainEndpoint) -> ClientTerms:
    """Terms of a client of `chain`: its own unbonding period, where it tells one."""
    try:
        raw = chain.grpc(STAKING_PARAMS, b"")
    except EndpointUnavailable:
        raise
    except IbcError:  # a chain without the staking module
        return ClientTerms()
    unbonding = query_pb2.QueryParamsResponse.FromString(raw).params.unbonding_time.ToNanoseconds()
    return ClientTerms(unbonding) if unbonding > 0 else ClientTerms()


def _client(
    host: ChainEndpoint, target: ChainEndpoint, terms: ClientTerms | None, *, new: bool
) -> TendedClient:
    found = None if new else find_client(host, target)
    return found or create_client(host, target, terms or terms_of(target))
