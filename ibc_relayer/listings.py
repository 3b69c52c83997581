"""What a chain lists by gRPC: the channels of all ports, the heights of a client's consensus states."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ibc_core.errors import IbcError
from ibc_core.height import Height
from ibc_proto.ibc.core.channel.v1 import query_pb2 as channel_pb
from ibc_proto.ibc.core.client.v1 import query_pb2 as client_pb
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.ends import channels_of
from ibc_relayer.errors import EndpointUnavailable, MalformedAnswer
from ibc_relayer.grpc_query import ask_all

HEIGHTS = "/ibc.core.client.v1.Query/ConsensusStateHeights"
CHANNELS = "/ibc.core.channel.v1.Query/Channels"


class ListedChannel(NamedTuple):
    """A channel end as a chain lists it."""

    port_id: str
    channel_id: str
    connection_id: str  # "" if it has not exactly one hop


def header_heights(chain: ChainEndpoint, client_id: str) -> list[Height]:
    """The heights of which a client holds consensus states.

    Raises:
        MalformedAnswer, EndpointUnavailable, IbcError: as `grpc_query.ask_all`.
    """
    pages = ask_all(
        chain,
        HEIGHTS,
        lambda page: client_pb.QueryConsensusStateHeightsRequest(client_id=client_id, pagination=page),
        client_pb.QueryConsensusStateHeightsResponse,
    )
    return [
        Height(each.revision_number, each.revision_height)
        for page in pages
        for each in page.consensus_state_heights
    ]


def channels_on(chain: ChainEndpoint, port_id: str) -> list[ListedChannel]:
    """The channels of a port; read one by one from a chain that does not list them.

    Raises:
        MalformedAnswer, EndpointUnavailable: no answer, or a wrong one.
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


def all_channels(chain: ChainEndpoint) -> Iterator[ListedChannel]:
    """The channels of every port.

    Raises:
        MalformedAnswer, EndpointUnavailable, IbcError: as `grpc_query.ask_all`.
    """
    for page in ask_all(
        chain,
        CHANNELS,
        lambda page: channel_pb.QueryChannelsRequest(pagination=page),
        channel_pb.QueryChannelsResponse,
    ):
        for each in page.channels:
            yield ListedChannel(each.port_id, each.channel_id, _hop(each.connection_hops))


def _hop(hops: Sequence[str]) -> str:
    return hops[0] if len(hops) == 1 else ""
