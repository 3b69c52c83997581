"""A node's gRPC server: what Cosmos wallets and relayers ask. Needs grpcio (extra `node`)."""
