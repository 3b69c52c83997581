"""Query service of IBC v2 packets (`ibc.core.channel.v2.Query`), for relayers to find pending packets.

Unlike in v1 no object must exist: an unknown client has no packets.
"""

from ibc_module.queries import lookup
from keepers.keepers import Keepers
from pyibc.core import paths
from pyibc.core.errors import InvalidRequest, NotFound
from pyibc.core.host.context import ReadContext
from pyibc.core.identifiers import validate_client_id
from pyibc.core.wire.requests import paginate, require_identifier
from pyibc.proto.cosmos.base.query.v1beta1.pagination_pb2 import PageRequest, PageResponse
from pyibc.proto.ibc.core.channel.v2 import genesis_pb2
from pyibc.proto.ibc.core.channel.v2 import query_pb2 as pb


class PacketQueriesV2:
    """Queries of the commitments, receipts and acknowledgements between two clients."""

    def __init__(self, keepers: Keepers) -> None:
        self._packets = keepers.v2.packets

    def next_sequence_send(
        self, ctx: ReadContext, request: pb.QueryNextSequenceSendRequest
    ) -> pb.QueryNextSequenceSendResponse:
        """Return a client's `nextSequenceSend`. Raises InvalidRequest, SequenceSendNotFoundV2."""
        require_identifier(validate_client_id, request.client_id)
        number = self._packets.next_send(ctx, request.client_id)
        return pb.QueryNextSequenceSendResponse(
            next_sequence_send=number, proof_height=lookup.self_height(ctx)
        )

    def packet_commitment(
        self, ctx: ReadContext, request: pb.QueryPacketCommitmentRequest
    ) -> pb.QueryPacketCommitmentResponse:
        """Return the commitment of a packet that chain A sent. Raises InvalidRequest, NotFound."""
        found = ctx.ibc.get(paths.packet_commitment_v2_path(*_packet_name(request)))
        if not found:
            raise NotFound("packet commitment hash")
        return pb.QueryPacketCommitmentResponse(commitment=found, proof_height=lookup.self_height(ctx))

    def packet_acknowledgement(
        self, ctx: ReadContext, request: pb.QueryPacketAcknowledgementRequest
    ) -> pb.QueryPacketAcknowledgementResponse:
        """Return chain B's acknowledgement commitment. Raises InvalidRequest, NotFound."""
        found = ctx.ibc.get(paths.packet_acknowledgement_v2_path(*_packet_name(request)))
        if not found:
            raise NotFound("packet acknowledgement hash")
        return pb.QueryPacketAcknowledgementResponse(
            acknowledgement=found, proof_height=lookup.self_height(ctx)
        )

    def packet_receipt(
        self, ctx: ReadContext, request: pb.QueryPacketReceiptRequest
    ) -> pb.QueryPacketReceiptResponse:
        """Return whether chain B received a packet. Raises InvalidRequest."""
        found = ctx.ibc.has(paths.packet_receipt_v2_path(*_packet_name(request)))
        return pb.QueryPacketReceiptResponse(received=found, proof_height=lookup.self_height(ctx))

    def packet_commitments(
        self, ctx: ReadContext, request: pb.QueryPacketCommitmentsRequest
    ) -> pb.QueryPacketCommitmentsResponse:
        """Return a page of a client's packet commitments, by sequence. Raises InvalidRequest."""
        require_identifier(validate_client_id, request.client_id)
        prefix = paths.packet_commitment_v2_prefix(request.client_id)
        found, page = _list(ctx, prefix, request.client_id, request.pagination)
        return pb.QueryPacketCommitmentsResponse(
            commitments=found, pagination=page, height=lookup.self_height(ctx)
        )

    def packet_acknowledgements(
        self, ctx: ReadContext, request: pb.QueryPacketAcknowledgementsRequest
    ) -> pb.QueryPacketAcknowledgementsResponse:
        """Return the acknowledgements of the given sequences that exist; without any, a page of all.

        Raises InvalidRequest.
        """
        client_id, page = request.client_id, None
        require_identifier(validate_client_id, client_id)
        if request.packet_commitment_sequences:
            asked = [
                (n, ctx.ibc.get(paths.packet_acknowledgement_v2_path(client_id, n)))
                for n in lookup.bounded_sequences(request.packet_commitment_sequences)
            ]
            found = [_state(client_id, n, raw) for n, raw in asked if raw]
        else:
            prefix = paths.packet_acknowledgement_v2_prefix(client_id)
            found, page = _list(ctx, prefix, client_id, request.pagination)
        return pb.QueryPacketAcknowledgementsResponse(
            acknowledgements=found, pagination=page, height=lookup.self_height(ctx)
        )

    def unreceived_packets(
        self, ctx: ReadContext, request: pb.QueryUnreceivedPacketsRequest
    ) -> pb.QueryUnreceivedPacketsResponse:
        """Return the given sequences of chain A that chain B has not received, in the given order.

        Raises InvalidRequest.
        """
        require_identifier(validate_client_id, request.client_id)
        asked = lookup.nonzero_sequences(request.sequences)
        found = [n for n in asked if not ctx.ibc.has(paths.packet_receipt_v2_path(request.client_id, n))]
        return pb.QueryUnreceivedPacketsResponse(sequences=found, height=lookup.self_height(ctx))

    def unreceived_acks(
        self, ctx: ReadContext, request: pb.QueryUnreceivedAcksRequest
    ) -> pb.QueryUnreceivedAcksResponse:
        """Return the given sequences whose acknowledgement chain A has not processed, in the given order.

        Raises InvalidRequest.
        """
        require_identifier(validate_client_id, request.client_id)
        asked = lookup.nonzero_sequences(request.packet_ack_sequences)
        found = [n for n in asked if ctx.ibc.get(paths.packet_commitment_v2_path(request.client_id, n))]
        return pb.QueryUnreceivedAcksResponse(sequences=found, height=lookup.self_height(ctx))


def _packet_name(
    request: pb.QueryPacketCommitmentRequest
    | pb.QueryPacketAcknowledgementRequest
    | pb.QueryPacketReceiptRequest,
) -> tuple[str, int]:
    require_identifier(validate_client_id, request.client_id)
    if request.sequence == 0:
        raise InvalidRequest("packet sequence cannot be 0")
    return request.client_id, request.sequence


def _list(
    ctx: ReadContext, prefix: bytes, client_id: str, page: PageRequest
) -> tuple[list[genesis_pb2.PacketState], PageResponse]:
    def read_entry(below: bytes, raw: bytes) -> genesis_pb2.PacketState | None:
        sequence = paths.split_sequence_v2(below)
        return None if sequence is None else _state(client_id, sequence, raw)

    return paginate(
        ctx.ibc.iterate, prefix, page, read_entry, lambda key: paths.split_sequence_v2(key) is not None
    )


def _state(client_id: str, sequence: int, raw: bytes) -> genesis_pb2.PacketState:
    return genesis_pb2.PacketState(client_id=client_id, sequence=sequence, data=raw)
