"""Free ports of the loopback interface."""

import os
import socket
from collections.abc import Collection

FIRST_PORT = "PYIBC_FIRST_PORT"
"""Environment variable: the first port to try. Clones that start networks at once need different ones."""

_FIRST, _STEP, _COUNT, _HIGHEST = 26657, 10, 1000, 65536


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
    """The lowest port of 26657, 26667, ... that is free, not `taken`, and followed by `width - 1` such ports.

    Raises:
        OSError: no port is free.
        ValueError: PYIBC_FIRST_PORT is not a number.
    """
    told = os.environ.get(FIRST_PORT) or str(_FIRST)
    if not (told.isascii() and told.isdigit()):
        raise ValueError(f"{FIRST_PORT} is no port: {told[:64]!a}")
    first = int(told)
    for port in range(first, min(first + _STEP * _COUNT, _HIGHEST - width), _STEP):
        if all(each not in taken and is_free(each) for each in range(port, port + width)):
            return port
    raise OSError("no free port for a node")
