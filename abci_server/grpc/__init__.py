"""ABCI over gRPC, with the library h2 for HTTP/2 (ADR 0025)."""
