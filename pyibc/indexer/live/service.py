"""Live index service: combines follower, board, server and alerts."""

import threading
import time
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from pyibc.http.server import Server
from pyibc.indexer.job import Tell
from pyibc.indexer.live.alerts import Alerts, AlertSettings
from pyibc.indexer.live.board import Board
from pyibc.indexer.live.follow import PAUSE_S, Follower
from pyibc.indexer.live.metrics import Metrics
from pyibc.indexer.live.packets import Packets
from pyibc.indexer.live.pages import POLICY, Pages
from pyibc.indexer.locations import AnyPath
from pyibc.indexer.pipeline.lake import Engine
from pyibc.indexer.report.options import DEFAULT_OPTIONS, ReportOptions

HOST, PORT = "127.0.0.1", 9645


class LiveSettings(NamedTuple):
    """Settings of the live index."""

    host: str = HOST
    port: int = PORT  # 0: any free port
    pause_s: float = PAUSE_S
    alerts: AlertSettings | None = None
    report: ReportOptions = DEFAULT_OPTIONS


def serve(
    engine: Engine,
    inputs: Iterable[AnyPath],
    out: Path,
    settings: LiveSettings,
    stop: threading.Event,
    tell: Tell,
) -> Board:
    """Index changed inputs and serve the results until `stop` is set; return the board.

    Raises:
        OSError: the address is not available, or the result folder cannot be created.
    """
    out.mkdir(parents=True, exist_ok=True)
    board = Board()
    pages = Pages(board, Packets(out), Metrics(board), time.time)
    server = Server(pages.routes(), settings.host, settings.port, POLICY)
    with closing(_Serving(server)):
        tell(f"listening on {server.url}/")
        if not server.loopback:
            tell("warning: everyone with network access to this address can read all data")
        follower = Follower(engine, inputs, out, board, tell=tell, pause_s=settings.pause_s)
        follower.options = settings.report
        if settings.alerts is not None:
            follower.found = Alerts(settings.alerts, out, tell, lambda failed: board.alerted(failed=failed))
        follower.run(stop)
    return board


class _Serving:
    """Server in its thread."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._thread = server.start()

    def close(self) -> None:
        """Stop the server and join its thread."""
        self._server.stop()
        self._thread.join()
