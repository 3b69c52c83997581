"""Queries of packet state: commitments, acknowledgements and unreceived packets, many at a time.

A packet is pending exactly while its commitment is stored on the sending chain.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeVar

from pyibc.core.errors import IbcError
from pyibc.core.numbers import MAX_U64
from pyibc.proto.ibc.core.channel.v1 import query_pb2 as v1
from pyibc.proto.ibc.core.channel.v2 import query_pb2 as v2
from pyibc.proto.ibc.core.client.v1.client_pb2 import Height
from pyibc.relayer.chain import grpc_query
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.chain.grpc_query import ask, ask_all
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer
from pyibc.relayer.paths.path import AnyEnd, ClientEnd
from pyibc.relayer.rpc.reading import reported

_Page = TypeVar("_Page")

_V1, _V2 = "/ibc.core.channel.v1.Query/", "/ibc.core.channel.v2.Query/"
PACKET_COMMITMENTS = f"{_V1}PacketCommitments"
PACKET_COMMITMENTS_V2 = f"{_V2}PacketCommitments"


class _PacketState(Protocol):
    """Entry of a packet state query's response."""

    @property
    def sequence(self) -> int:
        """Sequence of the packet."""

    @property
    def data(self) -> bytes:
        """Commitment."""


class Commitments(NamedTuple):
    """Commitments in a chain's state after block `height`: the lowest height of all answers.

    The chain makes blocks between two answers, and the nodes behind one address may be at different heights:
    entries that the answering node did not have yet are of blocks above its height.
    """

    by_sequence: Mapping[int, bytes]  # empty commitment: the node does not return it
    height: int
    last: int  # the highest height of all answers: no entry is of a later block


class Unreceived(NamedTuple):
    """Packets that a chain has not received after block `height`: the lowest height of all answers."""

    sequences: frozenset[int]
    height: int


def commitments(endpoint: ChainEndpoint, end: AnyEnd) -> Commitments:
    """Return the commitments of packets that the chain sent over `end`: those without an end yet.

    Raises:
        EndpointRefused: the chain does not serve the query.
        EndpointUnavailable, MalformedAnswer: no answer; or an answer that cannot be decoded, has no height,
            or has endless pages.
    """
    return _gather(endpoint, "packet commitments", _commitments(endpoint, end))


def acknowledgements(endpoint: ChainEndpoint, end: AnyEnd, sequences: Sequence[int]) -> Commitments:
    """Return the acknowledgements of these packets, sent to `end`. Raises as `commitments`."""
    found = _gather(endpoint, "packet acknowledgements", _acknowledgements(endpoint, end, sequences))
    asked = frozenset(sequences)
    return found._replace(by_sequence={s: each for s, each in found.by_sequence.items() if s in asked})


def unreceived(endpoint: ChainEndpoint, end: AnyEnd, sequences: Sequence[int]) -> Unreceived:
    """Return which of these packets, sent to `end`, the chain has not received. Raises as `commitments`."""
    missing, height = set[int](), MAX_U64
    for found, at in _converted(endpoint, "unreceived packets", _unreceived(endpoint, end, sequences)):
        missing.update(found)
        height = min(height, _height(endpoint, "unreceived packets", at))
    return Unreceived(frozenset(missing).intersection(sequences), height)


def _gather(
    endpoint: ChainEndpoint, what: str, pages: Iterator[tuple[Iterable[_PacketState], Height]]
) -> Commitments:
    found, height, last = dict[int, bytes](), MAX_U64, 0
    for entries, at in _converted(endpoint, what, pages):
        found.update((each.sequence, each.data) for each in entries)
        reported = _height(endpoint, what, at)
        height, last = min(height, reported), max(last, reported)
    return Commitments(found, height, last)


def _height(endpoint: ChainEndpoint, what: str, at: Height) -> int:
    if not at.revision_height:  # without a height, later blocks cannot be distinguished from earlier ones
        error = MalformedAnswer(endpoint.chain_id, what, "an answer without a height")
        # guard: h241-who-gives-no-height-is-believed-again {endpoint.extras.report_malformed => None}
        #   test_h241_commitments_of_no_height
        raise reported(endpoint.extras.report_malformed, error)
    return at.revision_height


def _converted(endpoint: ChainEndpoint, what: str, pages: Iterator[_Page]) -> Iterator[_Page]:
    """Yield the pages, and convert an in-process chain's error to `EndpointRefused`."""
    try:
        yield from pages
    except (EndpointUnavailable, MalformedAnswer, EndpointRefused):
        raise
    except IbcError as error:
        raise EndpointRefused(endpoint.chain_id, what, str(error)) from error


def _commitments(endpoint: ChainEndpoint, end: AnyEnd) -> Iterator[tuple[Iterable[_PacketState], Height]]:
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
) -> Iterator[tuple[Iterable[_PacketState], Height]]:
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
    for start in range(0, len(sequences), grpc_query.PAGE_SIZE):
        yield sequences[start : start + grpc_query.PAGE_SIZE]
