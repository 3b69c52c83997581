"""ABCI over gRPC: its calls over HTTP/2, which is the library h2's (ADR 0025)."""
