"""What a chain's state says of packets: those without an end, those not received, those answered; in bulk.

A packet is pending exactly while its commitment is stored on the sending chain.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeVar

from ibc_core.errors import IbcError
from ibc_core.numbers import MAX_U64
from ibc_proto.ibc.core.channel.v1 import query_pb2 as v1
from ibc_proto.ibc.core.channel.v2 import query_pb2 as v2
from ibc_proto.ibc.core.client.v1.client_pb2 import Height
from ibc_relayer import grpc_query
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer
from ibc_relayer.grpc_query import ask, ask_all
from ibc_relayer.path import AnyEnd, ClientEnd
from ibc_relayer.rpc_read import doubted

_Page = TypeVar("_Page")

_V1, _V2 = "/ibc.core.channel.v1.Query/", "/ibc.core.channel.v2.Query/"
PACKET_COMMITMENTS = f"{_V1}PacketCommitments"
PACKET_COMMITMENTS_V2 = f"{_V2}PacketCommitments"


class _State(Protocol):
    """What an answer says of a packet."""

    @property
    def sequence(self) -> int:
        """The packet's."""

    @property
    def data(self) -> bytes:
        """The commitment."""


class Commitments(NamedTuple):
    """Hashes that a chain's state has, after the block of this height; of several answers the lowest.

    The chain makes blocks between two answers, and behind one address there may be nodes that are not equally
    far: what the answering one did not have yet is in the blocks above its height.
    """

    by_sequence: Mapping[int, bytes]  # empty hash: the node does not tell
    height: int
    last: int  # the highest: no hash is of a later block


class Unreceived(NamedTuple):
    """Packets that a chain has not received, after the block of this height: the lowest of all answers'."""

    sequences: frozenset[int]
    height: int


def commitments(endpoint: ChainEndpoint, end: AnyEnd) -> Commitments:
    """The packets that the chain sent over `end` and knows no end of.

    Raises:
        EndpointRefused: the chain does not serve the query.
        EndpointUnavailable, MalformedAnswer: no answer; or one that cannot be decoded, has no height, or
            never ends.
    """
    return _gather(endpoint, "packet commitments", _commitments(endpoint, end))


def acknowledgements(endpoint: ChainEndpoint, end: AnyEnd, sequences: Sequence[int]) -> Commitments:
    """Which of these packets, sent to `end`, the chain has answered. Raises as `commitments`."""
    found = _gather(endpoint, "packet acknowledgements", _acknowledgements(endpoint, end, sequences))
    asked = frozenset(sequences)
    return found._replace(by_sequence={s: each for s, each in found.by_sequence.items() if s in asked})


def unreceived(endpoint: ChainEndpoint, end: AnyEnd, sequences: Sequence[int]) -> Unreceived:
    """Which of these packets, sent to `end`, the chain has not received. Raises as `commitments`."""
    missing, height = set[int](), MAX_U64
    for found, said in _served(endpoint, "unreceived packets", _unreceived(endpoint, end, sequences)):
        missing.update(found)
        height = min(height, _height(endpoint, "unreceived packets", said))
    return Unreceived(frozenset(missing).intersection(sequences), height)


def _gather(
    endpoint: ChainEndpoint, what: str, pages: Iterator[tuple[Iterable[_State], Height]]
) -> Commitments:
    found, height, last = dict[int, bytes](), MAX_U64, 0
    for entries, said in _served(endpoint, what, pages):
        found.update((each.sequence, each.data) for each in entries)
        told = _height(endpoint, what, said)
        height, last = min(height, told), max(last, told)
    return Commitments(found, height, last)


def _height(endpoint: ChainEndpoint, what: str, said: Height) -> int:
    if not said.revision_height:  # of no block: it cannot be told what came after it
        # guard: h241-who-gives-no-height-is-believed-again {doubted(endpoint,
        #   MalformedAnswer(endpoint.chain_id, what, 'an answer without a height')) => doubted(None,
        #   MalformedAnswer(endpoint.chain_id, what, 'an answer without a height'))}
        #   test_h241_commitments_of_no_height
        raise doubted(endpoint, MalformedAnswer(endpoint.chain_id, what, "an answer without a height"))
    return said.revision_height


def _served(endpoint: ChainEndpoint, what: str, pages: Iterator[_Page]) -> Iterator[_Page]:
    """The pages; a chain's own refusal as the relayer's error."""
    try:
        yield from pages
    except (EndpointUnavailable, MalformedAnswer, EndpointRefused):
        raise
    except IbcError as error:
        raise EndpointRefused(endpoint.chain_id, what, str(error)) from error


def _commitments(endpoint: ChainEndpoint, end: AnyEnd) -> Iterator[tuple[Iterable[_State], Height]]:
    if isinstance(end, ClientEnd):
        for found in ask_all(
            endpoint,
            PACKET_COMMITMENTS_V2,
            lambda page: v2.QueryPacketCommitmentsRequest(client_id=end.client_id, pagination=page),
            v2.QueryPacketCommitmentsResponse,
        ):
            yield found.commitments, found.height
        return
    for each in ask_all(
        endpoint,
        PACKET_COMMITMENTS,
        lambda page: v1.QueryPacketCommitmentsRequest(
            port_id=end.port_id, channel_id=end.channel_id, pagination=page
        ),
        v1.QueryPacketCommitmentsResponse,
    ):
        yield each.commitments, each.height


def _acknowledgements(
    endpoint: ChainEndpoint, end: AnyEnd, sequences: Sequence[int]
) -> Iterator[tuple[Iterable[_State], Height]]:
    for some in _pages(sequences):
        if isinstance(end, ClientEnd):
            asked = v2.QueryPacketAcknowledgementsRequest(
                client_id=end.client_id, packet_commitment_sequences=some
            )
            path = f"{_V2}PacketAcknowledgements"
            found = ask(endpoint, path, asked, v2.QueryPacketAcknowledgementsResponse)
            yield found.acknowledgements, found.height
        else:
            request = v1.QueryPacketAcknowledgementsRequest(
                port_id=end.port_id, channel_id=end.channel_id, packet_commitment_sequences=some
            )
            path = f"{_V1}PacketAcknowledgements"
            each = ask(endpoint, path, request, v1.QueryPacketAcknowledgementsResponse)
            yield each.acknowledgements, each.height


def _unreceived(
    endpoint: ChainEndpoint, end: AnyEnd, sequences: Sequence[int]
) -> Iterator[tuple[Iterable[int], Height]]:
    for some in _pages(sequences):
        if isinstance(end, ClientEnd):
            asked = v2.QueryUnreceivedPacketsRequest(client_id=end.client_id, sequences=some)
            found = ask(endpoint, f"{_V2}UnreceivedPackets", asked, v2.QueryUnreceivedPacketsResponse)
            yield found.sequences, found.height
        else:
            request = v1.QueryUnreceivedPacketsRequest(
                port_id=end.port_id, channel_id=end.channel_id, packet_commitment_sequences=some
            )
            each = ask(endpoint, f"{_V1}UnreceivedPackets", request, v1.QueryUnreceivedPacketsResponse)
            yield each.sequences, each.height


def _pages(sequences: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(sequences), grpc_query.PAGE):
        yield sequences[start : start + grpc_query.PAGE]
