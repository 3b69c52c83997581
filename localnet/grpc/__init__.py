"""A node's gRPC server for Cosmos wallets and relayers. Needs grpcio (extra `node`).

Importing this package before grpcio disables grpcio's fork handlers, since no process here forks without
exec: with the handlers enabled, a subprocess of a serving process (Spark's gateway) may exit at once with a
bad file descriptor.
"""

import os

os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "false")
