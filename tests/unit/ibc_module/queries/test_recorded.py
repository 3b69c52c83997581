"""Answers are, byte for byte, those of an ibc-go chain to Hermes: each recorded answer tells the state."""

import base64
import gzip
import json
import random

import pytest

from pyibc.codec.encoding import encode
from pyibc.core import paths
from pyibc.core.height import Height
from pyibc.core.packet.types import RECEIPT
from pyibc.core.wire.states import encode_client_paths
from pyibc.proto.ibc.core.channel.v1 import channel_pb2
from pyibc.proto.pool import message_class

pytestmark = pytest.mark.vectors

CLIENT = "07-tendermint-0"


def rebuild(chain, method, request, answer):
    """Writes what the answer says, in another order, and neighbours that it must not show."""
    writes = WRITERS[method](request, answer)
    random.Random(7).shuffle(writes)
    for key, raw in writes:
        chain.ctx.ibc.set(key, raw)


def client_states(_request, answer):
    return [
        (paths.client_state_path(each.client_id), each.client_state.SerializeToString())
        for each in answer.client_states
    ] + [
        (paths.client_connections_path(CLIENT), b"x"),
        (paths.consensus_state_path(CLIENT, Height(1, 4)), b"x"),
    ]


def consensus_state_heights(request, answer):
    heights = [Height(each.revision_number, each.revision_height) for each in answer.consensus_state_heights]
    return [
        entry
        for height in heights
        for entry in (
            (paths.consensus_state_path(request.client_id, height), b"x"),
            (paths.processed_time_path(request.client_id, height), b"x"),
            (paths.processed_height_path(request.client_id, height), b"x"),
            (paths.iteration_path(request.client_id, height), b"x"),
        )
    ] + [(paths.consensus_state_path(f"{request.client_id}0", Height(0, 1)), b"x")]


def connection(request, answer):
    return [(paths.connection_path(request.connection_id), encode(answer.connection))]


def client_connections(request, answer):
    return [(paths.client_connections_path(request.client_id), encode_client_paths(answer.connection_paths))]


def connection_params(_request, answer):
    return [(paths.CONNECTION_PARAMS, encode(answer.params))]


def connection_channels(_request, answer):
    found = []
    for each in answer.channels:
        end = channel_pb2.Channel(
            state=each.state,
            ordering=each.ordering,
            counterparty=each.counterparty,
            connection_hops=each.connection_hops,
            version=each.version,
        )
        found.append((paths.channel_path(each.port_id, each.channel_id), encode(end)))
        end.connection_hops[0] += "0"
        found.append((paths.channel_path(each.port_id, f"{each.channel_id}0"), encode(end)))
    return found


def packet_commitments(request, answer):
    name = request.port_id, request.channel_id
    return (
        open_channel(request)
        + [(paths.packet_commitment_path(*name, each.sequence), each.data) for each in answer.commitments]
        + [(paths.packet_commitment_path(request.port_id, f"{request.channel_id}0", 3), bytes(32))]
    )


def packet_acknowledgements(request, answer):
    name = request.port_id, request.channel_id
    return open_channel(request) + [
        (paths.packet_acknowledgement_path(*name, each.sequence), each.data)
        for each in answer.acknowledgements
    ]


def unreceived_packets(request, answer):
    name = request.port_id, request.channel_id
    came = set(request.packet_commitment_sequences) - set(answer.sequences)
    return open_channel(request) + [(paths.packet_receipt_path(*name, n), RECEIPT) for n in sorted(came)]


def unreceived_acks(request, answer):
    name = request.port_id, request.channel_id
    return open_channel(request) + [
        (paths.packet_commitment_path(*name, n), bytes(32)) for n in answer.sequences
    ]


def open_channel(request):
    end = channel_pb2.Channel(state=3, ordering=1, connection_hops=["connection-0"], version="ics20-1")
    return [(paths.channel_path(request.port_id, request.channel_id), encode(end))]


WRITERS = {
    "ClientStates": client_states,
    "ConsensusStateHeights": consensus_state_heights,
    "Connection": connection,
    "ClientConnections": client_connections,
    "ConnectionParams": connection_params,
    "ConnectionChannels": connection_channels,
    "PacketCommitments": packet_commitments,
    "PacketAcknowledgements": packet_acknowledgements,
    "UnreceivedPackets": unreceived_packets,
    "UnreceivedAcks": unreceived_acks,
}


def height_of(answer):
    """The height the answer is for; 1 where it has none."""
    for field in ("height", "proof_height"):
        if field in answer.DESCRIPTOR.fields_by_name:
            return getattr(answer, field).revision_height
    return 1


def test_answers_are_ibc_gos_to_the_byte(make_chain, live_dump):
    compared = dict.fromkeys(WRITERS, 0)
    for call in json.loads(gzip.decompress((live_dump / "grpc.json.gz").read_bytes())):
        path = call["method"].split(" @")[0]
        service, method = path[1:].split("/")
        if not service.startswith("ibc."):
            continue
        assert call["error"] == ""
        name = f"{service.removesuffix('.Query')}.Query{method}"
        raw_request, expected = base64.b64decode(call["request"]), base64.b64decode(call["response"])
        request = message_class(f"{name}Request").FromString(raw_request)
        answer = message_class(f"{name}Response").FromString(expected)
        chain = make_chain(call["chain"], height_of(answer))
        rebuild(chain, method, request, answer)
        assert chain.routes[path](chain.ctx, raw_request) == expected, call["method"]
        compared[method] += 1
    assert min(compared.values()) >= 1
    assert sum(compared.values()) >= 150
