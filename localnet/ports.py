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


def free_port(taken: Collection[int], width: int = 1) -> int:
    """The lowest of 26657, 26667, ... that is free and not `taken`, and so the `width - 1` ports above it.

    Raises:
        OSError: there is none.
    """
    for port in range(_FIRST, _LAST, _STEP):
        if all(each not in taken and is_free(each) for each in range(port, port + width)):
            return port
    raise OSError("no free port for a node")
