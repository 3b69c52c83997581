"""What must stand before any test module is imported."""

import localnet.grpc  # noqa: F401 - before grpcio: it settles how that behaves when a test starts a program
