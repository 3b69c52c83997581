"""A process that serves an application until it is told to stop, or the application fails."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from types import FrameType

from abci_server.application import Application
from abci_server.server import Limits, Server, Transport

FAILED = 70
"""Exit status of a process whose application failed (EX_SOFTWARE of sysexits.h)."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_GLANCE_S = 0.5
"""A signal that comes just before the main thread begins to wait does not wake it: it looks now and then."""


def run(
    app: Application,
    address: str,
    limits: Limits | None = None,
    listening: Callable[[], None] = lambda: None,
    transport: Transport = "socket",
) -> int:
    """Serves until SIGTERM or SIGINT, or until the application fails; call it in the main thread.

    Args:
        app: The application.
        address: `tcp://HOST:PORT` or `unix://PATH`.
        limits: Limits on peers and requests.
        listening: Called once CometBFT can connect.
        transport: What CometBFT's setting `abci` says: `socket` or `grpc`.

    Returns:
        The exit status for the process: 0, or FAILED if the application raised in a method that must
        answer. Pass it to `sys.exit`: a supervisor restarts the process, and Info tells CometBFT what to
        replay.

    Raises:
        BadAddress: the server cannot listen on the address.
    """
    server = Server(app, address, limits or Limits(), transport)
    with _signals_end(server):
        server.start()
        listening()
        while not server.wait(_GLANCE_S):
            pass
    server.stop()
    return FAILED if server.failure else 0


@contextmanager
def _signals_end(server: Server) -> Iterator[None]:
    def end(_number: int, _frame: FrameType | None) -> None:
        # Not from here: the main thread may be inside the very lock that `end` takes.
        Thread(target=server.end).start()

    before = [(each, signal.signal(each, end)) for each in _SIGNALS]
    try:
        yield
    finally:
        for each, handler in before:
            signal.signal(each, handler)
