"""Queries of packet state: commitments, acknowledgements and unreceived packets, many at a time.

A packet is pending exactly while its commitment is stored on the sending chain.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any, NamedTuple, Protocol, TypeVar

from pyibc.core.errors import IbcError
from pyibc.core.numbers import MAX_U64
from pyibc.proto.ibc.core.channel.v1 import query_pb2 as v1
from pyibc.proto.ibc.core.channel.v2 import query_pb2 as v2
from pyibc.proto.ibc.core.client.v1.client_pb2 import Height
from pyibc.relayer.chain import grpc_query
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.chain.grpc_query import ask_named, ask_pages, malformed
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer
from pyibc.relayer.paths.path import AnyEnd, ClientEnd

_Page = TypeVar("_Page")

PACKET_COMMITMENTS = "/ibc.core.channel.v1.Query/PacketCommitments"


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
        raise malformed(endpoint, what, "an answer without a height")
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
    pb, of_end = _service(end)
    for page in ask_pages(endpoint, pb, "PacketCommitments", **of_end):
        yield page.commitments, page.height


def _acknowledgements(
    endpoint: ChainEndpoint, end: AnyEnd, sequences: Sequence[int]
) -> Iterator[tuple[Iterable[_PacketState], Height]]:
    pb, of_end = _service(end)
    for some in _pages(sequences):
        asked = of_end | {"packet_commitment_sequences": some}
        found = ask_named(endpoint, pb, "PacketAcknowledgements", **asked)
        yield found.acknowledgements, found.height


def _unreceived(
    endpoint: ChainEndpoint, end: AnyEnd, sequences: Sequence[int]
) -> Iterator[tuple[Iterable[int], Height]]:
    pb, of_end = _service(end)
    name = "sequences" if isinstance(end, ClientEnd) else "packet_commitment_sequences"
    for some in _pages(sequences):
        found = ask_named(endpoint, pb, "UnreceivedPackets", **of_end, **{name: some})
        yield found.sequences, found.height


def _service(end: AnyEnd) -> tuple[ModuleType, dict[str, Any]]:
    """Return the module of the queries about packets of an end, and the fields of a request that name it."""
    if isinstance(end, ClientEnd):
        return v2, {"client_id": end.client_id}
    return v1, {"port_id": end.port_id, "channel_id": end.channel_id}


def _pages(sequences: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(sequences), grpc_query.PAGE_SIZE):
        yield sequences[start : start + grpc_query.PAGE_SIZE]
