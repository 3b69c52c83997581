"""Finds the first blocks to read without a journal, from the chains' state.

A packet is pending exactly while its commitment is stored on the sending chain. So the commitments are
queried, and blocks are read backwards until those that sent or acknowledged these packets are found.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from ibc_core.errors import IbcError
from ibc_core.host.block import CommittedBlock
from ibc_core.numbers import MAX_U64
from ibc_core.packet.event_reader import SEND_PACKET, WRITE_ACKNOWLEDGEMENT
from ibc_proto.ibc.core.channel.v1 import query_pb2 as v1
from ibc_proto.ibc.core.channel.v2 import query_pb2 as v2
from ibc_proto.ibc.core.client.v1.client_pb2 import Height
from ibc_relayer.backlog import events_of
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.errors import EndpointUnavailable, MalformedAnswer
from ibc_relayer.grpc_query import PAGE, ask, ask_all
from ibc_relayer.packets import EventKey, event_keys
from ibc_relayer.path import SIDES, AnyEnd, AnyPath, ClientEnd, other

PACKET_COMMITMENTS = "/ibc.core.channel.v1.Query/PacketCommitments"
PACKET_COMMITMENTS_V2 = "/ibc.core.channel.v2.Query/PacketCommitments"
PACKET_ACKNOWLEDGEMENTS = "/ibc.core.channel.v1.Query/PacketAcknowledgements"
PACKET_ACKNOWLEDGEMENTS_V2 = "/ibc.core.channel.v2.Query/PacketAcknowledgements"
TRIES = 20
"""To get a block that is refused: by a node that pruned it, or by one of several that has it not yet."""

Wanted = set[EventKey]


class _Numbered(Protocol):
    """What an answer says of a packet."""

    @property
    def sequence(self) -> int:
        """The packet's."""


_Answer = tuple[Iterable[_Numbered], Height]
"""Packets of a chain's state, and after which block it was that."""


class _State(NamedTuple):
    """Sequences that a chain's state has, after the block of this height; of several answers the lowest.

    Behind one address there may be nodes that are not equally far: what the answering one did not have yet
    is in the blocks above its height.
    """

    sequences: list[int]
    height: int


def start_heights(
    paths: Sequence[AnyPath], endpoints: tuple[ChainEndpoint, ChainEndpoint]
) -> tuple[int, int]:
    """The first blocks to read of both chains, so that no pending packet is missed.

    A chain that does not serve the queries is read from its first block.

    Raises:
        EndpointUnavailable: a chain does not answer, or a node behind its address lacks a block of another's.
        MalformedAnswer: an answer cannot be decoded, has no height, or never ends.
    """
    last = [endpoint.tip().height for endpoint in endpoints]
    wanted: tuple[Wanted, Wanted] = (set(), set())
    for path in paths:
        for sender in SIDES:
            receiver = other(sender)
            sent = _state(endpoints[sender], _commitments(endpoints[sender], path.end(sender)))
            if sent is None:
                return 1, 1
            there = endpoints[receiver]
            answered = _state(there, _acknowledgements(there, path.end(receiver), sent.sequences))
            if answered is None:
                return 1, 1
            answered = answered._replace(sequences=sorted({*sent.sequences} & {*answered.sequences}))
            last[sender] = min(last[sender], sent.height)
            last[receiver] = min(last[receiver], answered.height)
            end = path.end(sender).name
            wanted[sender].update((SEND_PACKET, end, each) for each in sent.sequences)
            wanted[receiver].update((WRITE_ACKNOWLEDGEMENT, end, each) for each in answered.sequences)
    first = [_first(endpoints[side], wanted[side], last[side] + 1) for side in SIDES]
    return first[0], first[1]


def _state(endpoint: ChainEndpoint, pages: Iterator[_Answer]) -> _State | None:
    """All that the pages have; None if the chain does not serve the query."""
    sequences, height = list[int](), MAX_U64
    try:
        for entries, said in pages:
            sequences += [each.sequence for each in entries]
            height = min(height, said.revision_height)
    except (EndpointUnavailable, MalformedAnswer):
        raise
    except IbcError:
        return None
    if not height:  # of no block: it cannot be told what came after it
        raise MalformedAnswer(endpoint.chain_id, "pending packets", "an answer without a height")
    return _State(sequences, height)


def _commitments(endpoint: ChainEndpoint, end: AnyEnd) -> Iterator[_Answer]:
    """The packets that the chain sent and knows no end of."""
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


def _acknowledgements(endpoint: ChainEndpoint, end: AnyEnd, sequences: Sequence[int]) -> Iterator[_Answer]:
    """Which of these packets the receiving chain has answered."""
    for start in range(0, len(sequences), PAGE):
        some = sequences[start : start + PAGE]
        if isinstance(end, ClientEnd):
            asked = v2.QueryPacketAcknowledgementsRequest(
                client_id=end.client_id, packet_commitment_sequences=some
            )
            found = ask(endpoint, PACKET_ACKNOWLEDGEMENTS_V2, asked, v2.QueryPacketAcknowledgementsResponse)
            yield found.acknowledgements, found.height
        else:
            request = v1.QueryPacketAcknowledgementsRequest(
                port_id=end.port_id, channel_id=end.channel_id, packet_commitment_sequences=some
            )
            each = ask(endpoint, PACKET_ACKNOWLEDGEMENTS, request, v1.QueryPacketAcknowledgementsResponse)
            yield each.acknowledgements, each.height


def _first(endpoint: ChainEndpoint, wanted: Wanted, next_block: int) -> int:
    """The lowest block that holds a wanted event, at most `next_block`."""
    wanted = set(wanted)
    height = max(next_block, endpoint.tip().height + 1)
    while wanted and height > 1:
        block = _block(endpoint, height - 1)
        if block is None:  # pruned, and so are older blocks
            return min(height, next_block)
        wanted.difference_update(event_keys(events_of(block)))
        height -= 1
    return min(height, next_block)


def _block(endpoint: ChainEndpoint, height: int) -> CommittedBlock | None:
    """A block that some node has told of; None if it is pruned.

    Raises:
        EndpointUnavailable: who answers now does not have it yet.
    """
    tips = list[int]()
    for _ in range(TRIES):
        try:
            return endpoint.block(height)
        except EndpointUnavailable:
            raise
        except IbcError:
            tips.append(endpoint.tip().height)
    if min(tips) < height:
        reason = f"block {height} is known, and a node behind the address has {min(tips)}"
        raise EndpointUnavailable(endpoint.chain_id, reason)
    return None
