"""A node's gRPC server: what Cosmos wallets and relayers ask. Needs grpcio (extra `node`).

Importing this package before grpcio switches off grpcio's handlers of fork, which were seen to break the
child of a process that serves and starts another program (Spark's gateway); nothing here forks without exec.
"""

import os

os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "false")
