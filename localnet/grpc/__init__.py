"""A node's gRPC server: what Cosmos wallets and relayers ask. Needs grpcio (extra `node`).

Importing this package before grpcio switches off grpcio's handlers of fork: nothing here forks without exec, and
beside a complaint of theirs about a bad file descriptor a program that this process started (Spark's gateway) ended
at once, one time in some.
"""

import os

os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "false")
