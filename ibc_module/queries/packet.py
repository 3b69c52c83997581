"""Query service of packets (`ibc.core.channel.v1.Query`, ICS-4), for relayers to find pending packets."""

from collections.abc import Iterable

from ibc_module.queries import lookup
from keepers.keepers import Keepers
from pyibc.core import paths
from pyibc.core.channel.types import Order
from pyibc.core.errors import ChannelNotFound, InvalidRequest, NotFound
from pyibc.core.host.context import ReadContext
from pyibc.core.wire.requests import paginate
from pyibc.proto.cosmos.base.query.v1beta1.pagination_pb2 import PageRequest, PageResponse
from pyibc.proto.ibc.core.channel.v1 import channel_pb2
from pyibc.proto.ibc.core.channel.v1 import query_pb2 as pb


class PacketQueries:
    """Queries of one channel's commitments, receipts and acknowledgements; the channel must exist."""

    def __init__(self, keepers: Keepers) -> None:
        self._keepers = keepers

    def packet_commitment(
        self, ctx: ReadContext, request: pb.QueryPacketCommitmentRequest
    ) -> pb.QueryPacketCommitmentResponse:
        """Return the commitment of a packet that chain A sent.

        Raises InvalidRequest, ChannelNotFound, NotFound.
        """
        port_id, channel_id, sequence = self._packet_name(ctx, request)
        found = ctx.ibc.get(paths.packet_commitment_path(port_id, channel_id, sequence))
        if not found:
            raise NotFound("packet commitment hash")
        return pb.QueryPacketCommitmentResponse(commitment=found, proof_height=lookup.self_height(ctx))

    def packet_receipt(
        self, ctx: ReadContext, request: pb.QueryPacketReceiptRequest
    ) -> pb.QueryPacketReceiptResponse:
        """Return whether chain B received a packet (unordered channels).

        Raises InvalidRequest, ChannelNotFound.
        """
        found = ctx.ibc.has(paths.packet_receipt_path(*self._packet_name(ctx, request)))
        return pb.QueryPacketReceiptResponse(received=found, proof_height=lookup.self_height(ctx))

    def packet_acknowledgement(
        self, ctx: ReadContext, request: pb.QueryPacketAcknowledgementRequest
    ) -> pb.QueryPacketAcknowledgementResponse:
        """Return chain B's acknowledgement commitment.

        Raises InvalidRequest, ChannelNotFound, NotFound.
        """
        found = ctx.ibc.get(paths.packet_acknowledgement_path(*self._packet_name(ctx, request)))
        if not found:
            raise NotFound("packet acknowledgement hash")
        return pb.QueryPacketAcknowledgementResponse(
            acknowledgement=found, proof_height=lookup.self_height(ctx)
        )

    def packet_commitments(
        self, ctx: ReadContext, request: pb.QueryPacketCommitmentsRequest
    ) -> pb.QueryPacketCommitmentsResponse:
        """Return a page of a channel's commitments, in store order: 10 before 9.

        Raises InvalidRequest, ChannelNotFound.
        """
        name = self._channel_name(ctx, request.port_id, request.channel_id)
        found, page = _list(ctx, paths.packet_commitment_prefix(*name), request.pagination)
        return pb.QueryPacketCommitmentsResponse(
            commitments=_states(*name, found), pagination=page, height=lookup.self_height(ctx)
        )

    def packet_acknowledgements(
        self, ctx: ReadContext, request: pb.QueryPacketAcknowledgementsRequest
    ) -> pb.QueryPacketAcknowledgementsResponse:
        """Return the acknowledgements of the given sequences that exist; without any, a page of all.

        Raises InvalidRequest, ChannelNotFound.
        """
        name = self._channel_name(ctx, request.port_id, request.channel_id)
        page = None
        if request.packet_commitment_sequences:
            asked = lookup.bounded_sequences(request.packet_commitment_sequences)
            found = _acknowledgements(ctx, *name, asked)
        else:
            found, page = _list(ctx, paths.packet_acknowledgement_prefix(*name), request.pagination)
        return pb.QueryPacketAcknowledgementsResponse(
            acknowledgements=_states(*name, found), pagination=page, height=lookup.self_height(ctx)
        )

    def unreceived_packets(
        self, ctx: ReadContext, request: pb.QueryUnreceivedPacketsRequest
    ) -> pb.QueryUnreceivedPacketsResponse:
        """Return the given sequences of chain A that chain B has not received, in the given order.

        Raises InvalidRequest, ChannelNotFound, SequenceReceiveNotFound.
        """
        port_id, channel_id = request.port_id, request.channel_id
        end = lookup.channel_end(self._keepers, ctx, port_id, channel_id)
        asked = lookup.nonzero_sequences(request.packet_commitment_sequences)
        if end.ordering is Order.UNORDERED:
            found = [n for n in asked if not ctx.ibc.has(paths.packet_receipt_path(port_id, channel_id, n))]
        elif end.ordering is Order.ORDERED:
            following = self._keepers.channels.next_recv(ctx, port_id, channel_id)
            found = [n for n in asked if n >= following]
        else:
            raise InvalidRequest(f"channel order {end.ordering.text} is not supported")
        return pb.QueryUnreceivedPacketsResponse(sequences=found, height=lookup.self_height(ctx))

    def unreceived_acks(
        self, ctx: ReadContext, request: pb.QueryUnreceivedAcksRequest
    ) -> pb.QueryUnreceivedAcksResponse:
        """Return the given sequences whose acknowledgement chain A has not processed, in the given order.

        Raises InvalidRequest, ChannelNotFound.
        """
        name = self._channel_name(ctx, request.port_id, request.channel_id)
        asked = lookup.nonzero_sequences(request.packet_ack_sequences)
        found = [n for n in asked if ctx.ibc.has(paths.packet_commitment_path(*name, n))]
        return pb.QueryUnreceivedAcksResponse(sequences=found, height=lookup.self_height(ctx))

    def _channel_name(self, ctx: ReadContext, port_id: str, channel_id: str) -> tuple[str, str]:
        lookup.require_channel_name(port_id, channel_id)
        if not self._keepers.channels.has(ctx, port_id, channel_id):
            raise ChannelNotFound(port_id, channel_id)
        return port_id, channel_id

    def _packet_name(
        self,
        ctx: ReadContext,
        request: pb.QueryPacketCommitmentRequest
        | pb.QueryPacketReceiptRequest
        | pb.QueryPacketAcknowledgementRequest,
    ) -> tuple[str, str, int]:
        lookup.require_channel_name(request.port_id, request.channel_id)
        if request.sequence == 0:
            raise InvalidRequest("packet sequence cannot be 0")
        return (*self._channel_name(ctx, request.port_id, request.channel_id), request.sequence)


def _list(ctx: ReadContext, prefix: bytes, page: PageRequest) -> tuple[list[tuple[int, bytes]], PageResponse]:
    return paginate(
        ctx.ibc.iterate, prefix, page, _read_entry, lambda key: paths.split_sequence(key) is not None
    )


def _read_entry(below: bytes, raw: bytes) -> tuple[int, bytes] | None:
    sequence = paths.split_sequence(below)
    return None if sequence is None else (sequence, raw)


def _acknowledgements(
    ctx: ReadContext, port_id: str, channel_id: str, asked: Iterable[int]
) -> list[tuple[int, bytes]]:
    found = [(n, ctx.ibc.get(paths.packet_acknowledgement_path(port_id, channel_id, n))) for n in asked]
    return [(n, raw) for n, raw in found if raw]


def _states(port_id: str, channel_id: str, found: list[tuple[int, bytes]]) -> list[channel_pb2.PacketState]:
    return [
        channel_pb2.PacketState(port_id=port_id, channel_id=channel_id, sequence=n, data=raw)
        for n, raw in found
    ]
