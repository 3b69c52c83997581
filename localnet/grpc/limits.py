"""What a gRPC server lets its clients take."""

from typing import NamedTuple


class Limits(NamedTuple):
    """Bounds of one server."""

    workers: int = 8  # calls that are answered at once
    calls: int = 256  # whole requests at once, waiting ones included; more are refused (RESOURCE_EXHAUSTED)
    calls_a_connection: int = 100
    connections: int = 1_000
    request_bytes: int = 10 * 1024 * 1024
    response_bytes: int = 32 * 1024 * 1024  # what Hermes takes
    metadata_bytes: int = 16 * 1024
    handshake_s: float = 10.0  # until a connection must have begun HTTP/2
    idle_s: float = 300.0  # without a call, until a connection is told to go
    age_s: float = 3600.0  # of a connection, until it is told to go
    grace_s: float = 60.0  # for the calls of one that was told
    stop_s: float = 2.0  # for calls under way when the server stops

    def options(self) -> list[tuple[str, int]]:
        """As grpcio's channel arguments."""
        return [
            ("grpc.so_reuseport", 0),  # a taken port is an error
            ("grpc.max_receive_message_length", self.request_bytes),
            ("grpc.max_send_message_length", self.response_bytes + 1024),
            ("grpc.max_metadata_size", self.metadata_bytes),
            ("grpc.max_concurrent_streams", self.calls_a_connection),
            ("grpc.max_allowed_incoming_connections", self.connections),
            ("grpc.server_handshake_timeout_ms", int(self.handshake_s * 1000)),
            # Who is told to go connects again for the next call. Without it, connections that ask nothing, or
            # half a question, could hold all places for ever.
            ("grpc.max_connection_idle_ms", int(self.idle_s * 1000)),
            ("grpc.max_connection_age_ms", int(self.age_s * 1000)),
            ("grpc.max_connection_age_grace_ms", int(self.grace_s * 1000)),
            # No compression: a small request cannot become a large one.
            ("grpc.compression_enabled_algorithms_bitset", 1),
        ]
