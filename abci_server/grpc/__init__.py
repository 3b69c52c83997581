"""ABCI over gRPC: as much of HTTP/2 (RFC 9113, 7541) as its calls need, without a library (ADR 0025)."""
