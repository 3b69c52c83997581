"""Where to begin reading without a journal: the blocks that still matter, found from the chains' state.

A packet needs a relayer exactly while its commitment stands on the chain that sent it. So the commitments
are asked for, and blocks are read backwards until those that sent them, or answered them, are found.
"""

from collections.abc import Iterator, Sequence

from ibc_module.core import paths as keys
from ibc_module.core.packet_events import SEND_PACKET, WRITE_ACKNOWLEDGEMENT, read_packet_event
from ibc_module.errors import IbcError, InvalidPacket
from ibc_module.relayer.backlog import events_of
from ibc_module.relayer.endpoint import ChainEndpoint
from ibc_module.relayer.errors import EndpointUnavailable
from ibc_module.relayer.path import SIDES, Path, PathEnd, Side, other
from ibc_module.wire._generated.ibc.core.channel.v1 import query_pb2

PACKET_COMMITMENTS = "/ibc.core.channel.v1.Query/PacketCommitments"
PAGE = 1000

Wanted = set[tuple[str, str, str, int]]
"""Event type, port and channel of the sender, sequence."""


def start_heights(paths: Sequence[Path], endpoints: tuple[ChainEndpoint, ChainEndpoint]) -> tuple[int, int]:
    """The first blocks to read of both chains, so that nothing pending is missed.

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
    wanted: tuple[Wanted, Wanted], path: Path, sender: Side, sequences: list[int], receiver: ChainEndpoint
) -> None:
    a, b = path.end(sender), path.end(other(sender))
    for sequence in sequences:
        wanted[sender].add((SEND_PACKET, a.port_id, a.channel_id, sequence))
        if receiver.get(keys.packet_acknowledgement_path(b.port_id, b.channel_id, sequence)) is not None:
            wanted[other(sender)].add((WRITE_ACKNOWLEDGEMENT, a.port_id, a.channel_id, sequence))


def _outstanding(endpoint: ChainEndpoint, end: PathEnd) -> list[int] | None:
    """Sequences whose commitments stand; None where the chain does not serve the query."""
    try:
        return list(_commitments(endpoint, end))
    except EndpointUnavailable:
        raise
    except IbcError:
        return None


def _commitments(endpoint: ChainEndpoint, end: PathEnd) -> Iterator[int]:
    request = query_pb2.QueryPacketCommitmentsRequest(port_id=end.port_id, channel_id=end.channel_id)
    request.pagination.limit = PAGE
    while True:
        answer = query_pb2.QueryPacketCommitmentsResponse.FromString(
            endpoint.grpc(PACKET_COMMITMENTS, request.SerializeToString())
        )
        yield from (commitment.sequence for commitment in answer.commitments)
        if not answer.pagination.next_key:
            return
        request.pagination.key = answer.pagination.next_key


def _first(endpoint: ChainEndpoint, wanted: Wanted, next_block: int) -> int:
    """The lowest block that holds a wanted event, at most `next_block`."""
    wanted = set(wanted)
    height = max(next_block, endpoint.tip().height + 1)
    while wanted and height > 1:
        try:
            wanted -= set(_packets_in(endpoint, height - 1))
        except EndpointUnavailable:
            raise
        except IbcError:  # pruned: older blocks are not to be had
            return min(height, next_block)
        height -= 1
    return min(height, next_block)


def _packets_in(endpoint: ChainEndpoint, height: int) -> Iterator[tuple[str, str, str, int]]:
    for event in events_of(endpoint.block(height)):
        try:
            seen = read_packet_event(event)
        except InvalidPacket:
            continue
        if seen is not None:
            packet = seen.packet
            yield seen.kind, packet.port_id_on_a, packet.channel_id_on_a, packet.sequence
