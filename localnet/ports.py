"""Ports of the loopback interface that nobody listens at."""

import socket
from collections.abc import Collection

_FIRST, _STEP, _LAST = 26657, 10, 36657


def is_free(port: int) -> bool:
    """Whether a server could listen at 127.0.0.1:`port` now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def free_port(taken: Collection[int]) -> int:
    """The lowest of 26657, 26667, ... that is free and not `taken`.

    Raises:
        OSError: there is none.
    """
    for port in range(_FIRST, _LAST, _STEP):
        if port not in taken and is_free(port):
            return port
    raise OSError("no free port for a node")
