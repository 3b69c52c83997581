"""Finds the first blocks to read without a journal, from the chains' state.

A packet is pending exactly while its commitment is stored on the sending chain. So the commitments are
queried, and blocks are read backwards until those that sent or acknowledged these packets are found.
"""

from collections.abc import Iterator, Sequence

from ibc_core import paths as keys
from ibc_core.errors import IbcError
from ibc_core.packet.event_reader import SEND_PACKET, WRITE_ACKNOWLEDGEMENT
from ibc_proto.cosmos.base.query.v1beta1.pagination_pb2 import PageRequest
from ibc_proto.ibc.core.channel.v1 import query_pb2 as v1
from ibc_proto.ibc.core.channel.v2 import query_pb2 as v2
from ibc_relayer.backlog import events_of
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.errors import EndpointUnavailable
from ibc_relayer.packets import EventKey, event_keys
from ibc_relayer.path import SIDES, AnyEnd, AnyPath, ClientEnd, Side, other

PACKET_COMMITMENTS = "/ibc.core.channel.v1.Query/PacketCommitments"
PACKET_COMMITMENTS_V2 = "/ibc.core.channel.v2.Query/PacketCommitments"
PAGE = 1000

Wanted = set[EventKey]


def start_heights(
    paths: Sequence[AnyPath], endpoints: tuple[ChainEndpoint, ChainEndpoint]
) -> tuple[int, int]:
    """The first blocks to read of both chains, so that no pending packet is missed.

    A chain that does not serve the query is read from its first block.

    Raises:
        EndpointUnavailable: a chain does not answer.
    """
    next_blocks = [endpoint.tip().height + 1 for endpoint in endpoints]
    wanted: tuple[Wanted, Wanted] = (set(), set())
    for path in paths:
        for sender in SIDES:
            sequences = _outstanding(endpoints[sender], path.end(sender))
            if sequences is None:
                return 1, 1
            _want(wanted, path, sender, sequences, endpoints[other(sender)])
    first = [_first(endpoints[side], wanted[side], next_blocks[side]) for side in SIDES]
    return first[0], first[1]


def _want(
    wanted: tuple[Wanted, Wanted], path: AnyPath, sender: Side, sequences: list[int], receiver: ChainEndpoint
) -> None:
    a, b = path.end(sender), path.end(other(sender))
    for sequence in sequences:
        wanted[sender].add((SEND_PACKET, a.name, sequence))
        if receiver.get(_acknowledgement_key(b, sequence)) is not None:
            wanted[other(sender)].add((WRITE_ACKNOWLEDGEMENT, a.name, sequence))


def _acknowledgement_key(end: AnyEnd, sequence: int) -> bytes:
    if isinstance(end, ClientEnd):
        return keys.packet_acknowledgement_v2_path(end.client_id, sequence)
    return keys.packet_acknowledgement_path(end.port_id, end.channel_id, sequence)


def _outstanding(endpoint: ChainEndpoint, end: AnyEnd) -> list[int] | None:
    """The sequences whose commitments are stored; None if the chain does not serve the query."""
    try:
        return list(_commitments(endpoint, end))
    except EndpointUnavailable:
        raise
    except IbcError:
        return None


def _commitments(endpoint: ChainEndpoint, end: AnyEnd) -> Iterator[int]:
    page = PageRequest(limit=PAGE)
    while True:
        sequences, page.key = _page(endpoint, end, page)
        yield from sequences
        if not page.key:
            return


def _page(endpoint: ChainEndpoint, end: AnyEnd, page: PageRequest) -> tuple[list[int], bytes]:
    """A page of sequences, and the key of the next one; b"": there is none."""
    if isinstance(end, ClientEnd):
        asked = v2.QueryPacketCommitmentsRequest(client_id=end.client_id, pagination=page)
        raw = endpoint.grpc(PACKET_COMMITMENTS_V2, asked.SerializeToString())
        said = v2.QueryPacketCommitmentsResponse.FromString(raw)
        return [each.sequence for each in said.commitments], said.pagination.next_key
    request = v1.QueryPacketCommitmentsRequest(
        port_id=end.port_id, channel_id=end.channel_id, pagination=page
    )
    raw = endpoint.grpc(PACKET_COMMITMENTS, request.SerializeToString())
    answer = v1.QueryPacketCommitmentsResponse.FromString(raw)
    return [each.sequence for each in answer.commitments], answer.pagination.next_key


def _first(endpoint: ChainEndpoint, wanted: Wanted, next_block: int) -> int:
    """The lowest block that holds a wanted event, at most `next_block`."""
    wanted = set(wanted)
    height = max(next_block, endpoint.tip().height + 1)
    while wanted and height > 1:
        try:
            wanted.difference_update(event_keys(events_of(endpoint.block(height - 1))))
        except EndpointUnavailable:
            raise
        except IbcError:  # pruned, and so are older blocks
            return min(height, next_block)
        height -= 1
    return min(height, next_block)
