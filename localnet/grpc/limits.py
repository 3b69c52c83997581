"""Limits of a gRPC server."""

from typing import NamedTuple


class Limits(NamedTuple):
    """The limits of one server."""

    workers: int = 8  # calls executed concurrently
    calls: int = 256  # complete requests, including queued ones; more get RESOURCE_EXHAUSTED
    calls_a_connection: int = 100
    connections: int = 1_000
    request_bytes: int = 10 * 1024 * 1024
    response_bytes: int = 32 * 1024 * 1024  # Hermes' limit
    metadata_bytes: int = 16 * 1024
    handshake_s: float = 10.0  # for the HTTP/2 handshake
    idle_s: float = 300.0  # without a call, until a connection gets GOAWAY
    age_s: float = 3600.0  # of a connection, until it gets GOAWAY
    grace_s: float = 60.0  # for its calls after GOAWAY
    stop_s: float = 2.0  # for running calls when the server stops

    def options(self) -> list[tuple[str, int]]:
        """The limits as grpcio channel arguments."""
        return [
            ("grpc.so_reuseport", 0),  # a port in use is an error
            ("grpc.max_receive_message_length", self.request_bytes),
            ("grpc.max_send_message_length", self.response_bytes + 1024),
            ("grpc.max_metadata_size", self.metadata_bytes),
            ("grpc.max_concurrent_streams", self.calls_a_connection),
            ("grpc.max_allowed_incoming_connections", self.connections),
            ("grpc.server_handshake_timeout_ms", int(self.handshake_s * 1000)),
            # Clients reconnect after GOAWAY. Without it, idle connections or incomplete requests could occupy
            # all connections indefinitely.
            ("grpc.max_connection_idle_ms", int(self.idle_s * 1000)),
            ("grpc.max_connection_age_ms", int(self.age_s * 1000)),
            ("grpc.max_connection_age_grace_ms", int(self.grace_s * 1000)),
            # No compression: a small request cannot expand into a large one.
            ("grpc.compression_enabled_algorithms_bitset", 1),
        ]
