"""All of it together: the follower, its board, the server, the alerts."""

import threading
import time
from collections.abc import Iterable
from contextlib import closing
from typing import NamedTuple

from ibc_http.server import Server
from ibc_indexer.engines import OpenEngine
from ibc_indexer.job import Tell
from ibc_indexer.live.alerts import Alerts, AlertSettings
from ibc_indexer.live.board import Board
from ibc_indexer.live.follow import PAUSE_S, Follower
from ibc_indexer.live.metrics import Metrics
from ibc_indexer.live.packets import Packets
from ibc_indexer.live.pages import POLICY, Pages
from ibc_indexer.storage.locations import Location

HOST, PORT = "127.0.0.1", 9645


class LiveSettings(NamedTuple):
    """Where it serves, and how often it looks."""

    host: str = HOST
    port: int = PORT  # 0: a free one
    pause_s: float = PAUSE_S
    alerts: AlertSettings | None = None


def serve(
    open_engine: OpenEngine,
    inputs: Iterable[Location],
    out: Location,
    settings: LiveSettings,
    stop: threading.Event,
    tell: Tell,
) -> Board:
    """Indexes while the inputs grow and serves what it finds, until `stop` is set; returns the last state.

    Raises:
        OSError: the address cannot be had, or the folder of results cannot be made.
    """
    out.mkdir(parents=True, exist_ok=True)
    board = Board()
    pages = Pages(board, Packets(out), Metrics(board, time.time), time.time)
    server = Server(pages.routes(), settings.host, settings.port, POLICY)
    with closing(_Serving(server)):
        tell(f"listening on {server.url}/")
        if not server.loopback:
            tell("whoever reaches this address reads all of it")
        follower = Follower(open_engine, inputs, out, board, tell=tell, pause_s=settings.pause_s)
        if settings.alerts is not None:
            follower.found = Alerts(settings.alerts, out, tell, lambda failed: board.alerted(failed=failed))
        follower.run(stop)
    return board


class _Serving:
    """A server in its thread."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._thread = server.start()

    def close(self) -> None:
        """Ends it."""
        self._server.stop()
        self._thread.join()
