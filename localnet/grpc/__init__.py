"""A node's gRPC server: what Cosmos wallets and relayers ask. Needs grpcio (extra `node`).

Importing this package before grpcio switches off grpcio's handlers of fork: nothing here forks without exec.
Once a program that a serving process started (Spark's gateway) ended at once, while they complained about a
bad file descriptor.
"""

import os

os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "false")
