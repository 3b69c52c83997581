"""`ibc.core.channel.v2.Query` (ICS-4 v2): what relayers query to find pending packets between two clients.

Unlike in v1, nothing has to exist: an unknown client has no packets.
"""

from collections.abc import Mapping

from ibc_core import path_parts, paths
from ibc_core.errors import InvalidRequest, NotFound
from ibc_core.host.context import ReadContext
from ibc_core.host.routes import QueryRoute
from ibc_core.identifiers import validate_client_id
from ibc_core.wire.paginate import paginate
from ibc_core.wire.requests import answering, require_identifier
from ibc_module.queries import lookup
from ibc_proto.cosmos.base.query.v1beta1.pagination_pb2 import PageRequest, PageResponse
from ibc_proto.ibc.core.channel.v2 import genesis_pb2
from ibc_proto.ibc.core.channel.v2 import query_pb2 as pb
from keepers.keepers import Keepers

SERVICE = "/ibc.core.channel.v2.Query/"


def routes(keepers: Keepers) -> Mapping[str, QueryRoute]:
    """Packets by gRPC method path."""

    def next_send(
        ctx: ReadContext, request: pb.QueryNextSequenceSendRequest
    ) -> pb.QueryNextSequenceSendResponse:
        return next_sequence_send(keepers, ctx, request)

    return {
        f"{SERVICE}NextSequenceSend": answering(pb.QueryNextSequenceSendRequest, next_send),
        f"{SERVICE}PacketCommitment": answering(pb.QueryPacketCommitmentRequest, packet_commitment),
        f"{SERVICE}PacketCommitments": answering(pb.QueryPacketCommitmentsRequest, packet_commitments),
        f"{SERVICE}PacketAcknowledgement": answering(
            pb.QueryPacketAcknowledgementRequest, packet_acknowledgement
        ),
        f"{SERVICE}PacketAcknowledgements": answering(
            pb.QueryPacketAcknowledgementsRequest, packet_acknowledgements
        ),
        f"{SERVICE}PacketReceipt": answering(pb.QueryPacketReceiptRequest, packet_receipt),
        f"{SERVICE}UnreceivedPackets": answering(pb.QueryUnreceivedPacketsRequest, unreceived_packets),
        f"{SERVICE}UnreceivedAcks": answering(pb.QueryUnreceivedAcksRequest, unreceived_acks),
    }


def next_sequence_send(
    keepers: Keepers, ctx: ReadContext, request: pb.QueryNextSequenceSendRequest
) -> pb.QueryNextSequenceSendResponse:
    """A client's `nextSequenceSend`. Raises InvalidRequest, SequenceSendNotFoundV2."""
    require_identifier(validate_client_id, request.client_id)
    number = keepers.v2.packets.next_send(ctx, request.client_id)
    return pb.QueryNextSequenceSendResponse(next_sequence_send=number, proof_height=lookup.self_height(ctx))


def packet_commitment(
    ctx: ReadContext, request: pb.QueryPacketCommitmentRequest
) -> pb.QueryPacketCommitmentResponse:
    """The commitment of a packet that chain A sent. Raises InvalidRequest, NotFound."""
    found = ctx.ibc.get(paths.packet_commitment_v2_path(*_packet_name(request)))
    if not found:
        raise NotFound("packet commitment hash")
    return pb.QueryPacketCommitmentResponse(commitment=found, proof_height=lookup.self_height(ctx))


def packet_acknowledgement(
    ctx: ReadContext, request: pb.QueryPacketAcknowledgementRequest
) -> pb.QueryPacketAcknowledgementResponse:
    """Chain B's acknowledgement commitment. Raises InvalidRequest, NotFound."""
    found = ctx.ibc.get(paths.packet_acknowledgement_v2_path(*_packet_name(request)))
    if not found:
        raise NotFound("packet acknowledgement hash")
    return pb.QueryPacketAcknowledgementResponse(acknowledgement=found, proof_height=lookup.self_height(ctx))


def packet_receipt(ctx: ReadContext, request: pb.QueryPacketReceiptRequest) -> pb.QueryPacketReceiptResponse:
    """Whether chain B received a packet. Raises InvalidRequest."""
    found = ctx.ibc.has(paths.packet_receipt_v2_path(*_packet_name(request)))
    return pb.QueryPacketReceiptResponse(received=found, proof_height=lookup.self_height(ctx))


def packet_commitments(
    ctx: ReadContext, request: pb.QueryPacketCommitmentsRequest
) -> pb.QueryPacketCommitmentsResponse:
    """A page of the commitments to packets sent over a client, by sequence. Raises InvalidRequest."""
    require_identifier(validate_client_id, request.client_id)
    prefix = paths.packet_commitment_v2_prefix(request.client_id)
    found, page = _list(ctx, prefix, request.client_id, request.pagination)
    return pb.QueryPacketCommitmentsResponse(
        commitments=found, pagination=page, height=lookup.self_height(ctx)
    )


def packet_acknowledgements(
    ctx: ReadContext, request: pb.QueryPacketAcknowledgementsRequest
) -> pb.QueryPacketAcknowledgementsResponse:
    """Those of the requested sequences that exist; without any, a page of all, by sequence.

    Raises InvalidRequest.
    """
    client_id, page = request.client_id, None
    require_identifier(validate_client_id, client_id)
    if request.packet_commitment_sequences:
        asked = [
            (n, ctx.ibc.get(paths.packet_acknowledgement_v2_path(client_id, n)))
            for n in lookup.few_sequences(request.packet_commitment_sequences)
        ]
        found = [_state(client_id, n, raw) for n, raw in asked if raw]
    else:
        prefix = paths.packet_acknowledgement_v2_prefix(client_id)
        found, page = _list(ctx, prefix, client_id, request.pagination)
    return pb.QueryPacketAcknowledgementsResponse(
        acknowledgements=found, pagination=page, height=lookup.self_height(ctx)
    )


def unreceived_packets(
    ctx: ReadContext, request: pb.QueryUnreceivedPacketsRequest
) -> pb.QueryUnreceivedPacketsResponse:
    """Those of chain A's sequences that chain B has not received, in the order asked.

    Raises InvalidRequest.
    """
    require_identifier(validate_client_id, request.client_id)
    asked = lookup.require_sequences(request.sequences)
    found = [n for n in asked if not ctx.ibc.has(paths.packet_receipt_v2_path(request.client_id, n))]
    return pb.QueryUnreceivedPacketsResponse(sequences=found, height=lookup.self_height(ctx))


def unreceived_acks(
    ctx: ReadContext, request: pb.QueryUnreceivedAcksRequest
) -> pb.QueryUnreceivedAcksResponse:
    """Those of chain B's sequences whose acknowledgement chain A still waits for, in the order asked.

    Raises InvalidRequest.
    """
    require_identifier(validate_client_id, request.client_id)
    asked = lookup.require_sequences(request.packet_ack_sequences)
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
        sequence = path_parts.split_sequence_v2(below)
        return None if sequence is None else _state(client_id, sequence, raw)

    return paginate(
        ctx.ibc.iterate, prefix, page, read_entry, lambda key: path_parts.split_sequence_v2(key) is not None
    )


def _state(client_id: str, sequence: int, raw: bytes) -> genesis_pb2.PacketState:
    return genesis_pb2.PacketState(client_id=client_id, sequence=sequence, data=raw)
