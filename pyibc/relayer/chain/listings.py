"""Paginated gRPC listings: channels, and heights of a client's consensus states."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pyibc.core.channel.types import ChannelEnd
from pyibc.core.errors import IbcError
from pyibc.core.height import Height
from pyibc.core.identifiers import is_channel_id
from pyibc.proto.ibc.core.channel.v1 import query_pb2 as channel_pb
from pyibc.proto.ibc.core.client.v1 import query_pb2 as client_pb
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.chain.grpc_query import ask_entries
from pyibc.relayer.errors import EndpointUnavailable, MalformedAnswer
from pyibc.relayer.paths.ends import channel_end, channels_of


class ListedChannel(NamedTuple):
    """Channel end from the Channels query."""

    port_id: str
    channel_id: str
    connection_id: str  # "" unless it has exactly one hop


def consensus_state_heights(chain: ChainEndpoint, client_id: str) -> list[Height]:
    """Return the heights of a client's consensus states.

    Raises:
        MalformedAnswer, EndpointUnavailable, IbcError: as `grpc_query.ask_entries`.
    """
    query, listed = "ConsensusStateHeights", "consensus_state_heights"
    found = ask_entries(chain, client_pb, query, listed, client_id=client_id)
    return [Height(each.revision_number, each.revision_height) for each in found]


def channels_of_port(chain: ChainEndpoint, port_id: str) -> list[ListedChannel]:
    """Return the channels of a port; read them by generated id if the chain does not support the query.

    Raises:
        MalformedAnswer, EndpointUnavailable: no response, or a malformed one.
    """
    try:
        return [each for each in all_channels(chain) if each.port_id == port_id]
    except (MalformedAnswer, EndpointUnavailable):
        raise
    except IbcError:
        return [
            ListedChannel(port_id, name, _hop(end.connection_hops))
            for name, end in channels_of(chain, port_id)
        ]


def channel_ends_on(chain: ChainEndpoint, port_id: str) -> Iterator[tuple[str, ChannelEnd]]:
    """Yield the channel ends of a port: generated ids, newest first, then custom ids that the chain lists.

    Raises:
        MalformedAnswer, EndpointUnavailable: no response, or a malformed one.
    """
    yield from channels_of(chain, port_id)
    try:
        listed = [each.channel_id for each in all_channels(chain) if each.port_id == port_id]
    except (MalformedAnswer, EndpointUnavailable):
        raise
    except IbcError:  # Channels query not supported: custom ids cannot be listed
        return
    for name in listed:
        end = None if is_channel_id(name) else channel_end(chain, port_id, name)
        if end is not None:
            yield name, end


def all_channels(chain: ChainEndpoint) -> Iterator[ListedChannel]:
    """Yield the channels of all ports.

    Raises:
        MalformedAnswer, EndpointUnavailable, IbcError: as `grpc_query.ask_entries`.
    """
    for each in ask_entries(chain, channel_pb, "Channels", "channels"):
        yield ListedChannel(each.port_id, each.channel_id, _hop(each.connection_hops))


def _hop(hops: Sequence[str]) -> str:
    return hops[0] if len(hops) == 1 else ""
