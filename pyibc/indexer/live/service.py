"""Live index service: follower, alerts, and the HTTP routes of report, metrics, packets and health."""

import json
import threading
import time
from base64 import b64encode
from collections.abc import Callable, Iterable
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from pyibc.http.server import Response, Routes, Server
from pyibc.indexer.job import Tell
from pyibc.indexer.live.alerts import Alerts, AlertSettings
from pyibc.indexer.live.follow import PAUSE_S, Board, Follower, LiveState
from pyibc.indexer.live.metrics import CONTENT_TYPE, Metrics
from pyibc.indexer.live.packets import BadQuery, Busy, Packets, read_query
from pyibc.indexer.locations import AnyPath, make_results
from pyibc.indexer.pipeline.lake import Engine
from pyibc.indexer.report.options import DEFAULT_OPTIONS, ReportOptions
from pyibc.indexer.report.page import style, waiting_page, write_report
from pyibc.indexer.report.view import View
from pyibc.indexer.report.words import count, duration, moment

REFRESH_S = 5  # between two reloads of the page
_VALUE = 256  # maximum characters of a filter
POLICY = (
    "default-src 'none'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    f"style-src 'sha256-{b64encode(sha256(style().encode()).digest()).decode()}'"
)
"""Content security policy: no external resources, no scripts; the only style is allowed by its hash."""

HOST, PORT = "127.0.0.1", 9645


class Pages:
    """Request handlers over a board and the packet table."""

    def __init__(self, board: Board, packets: Packets, metrics: Metrics, clock: Callable[[], float]) -> None:
        """Set up the handlers; `clock` returns unix seconds."""
        self._board = board
        self._packets = packets
        self._metrics = metrics
        self._clock = clock

    def routes(self) -> Routes:
        """Return the handlers by path."""
        return {
            "/": self.page,
            "/metrics": lambda _: Response(HTTPStatus.OK, CONTENT_TYPE, self._metrics.text()),
            "/packets": self.packets,
            "/health": lambda _: self.health(),
        }

    def page(self, query: str) -> Response:
        """Return the report, filtered by the parameters `chain` and `channel`."""
        state = self._board.read()
        if state.last is None:
            return _html(waiting_page(REFRESH_S))
        try:
            wanted = dict(parse_qsl(query, max_num_fields=4))
        except ValueError:
            return _json(HTTPStatus.BAD_REQUEST, {"error": "too many parameters"})
        chain, channel = (wanted.get(name, "")[:_VALUE].strip() for name in ("chain", "channel"))
        outcome = state.last.outcome
        view = View(chain, channel, refresh_s=REFRESH_S, status=self._status(state))
        parts = outcome.summary, outcome.answers, outcome.notes, outcome.tips
        return _html(write_report(*parts, view, options=outcome.options))

    def packets(self, query: str) -> Response:
        """Return a page of packets as JSON."""
        try:
            return _json(HTTPStatus.OK, self._packets.page(read_query(query)))
        except BadQuery as error:
            return _json(HTTPStatus.BAD_REQUEST, {"error": str(error)})
        except Busy as error:
            return _json(HTTPStatus.SERVICE_UNAVAILABLE, {"error": str(error)})

    def health(self) -> Response:
        """Return the status as JSON: 200 if the last check of the inputs succeeded, otherwise 503."""
        state = self._board.read()
        well = state.last is not None and not state.error
        content = {
            "status": "ok" if well else "failing" if state.error else "starting",
            "runs": state.rounds,
            "failures": state.failures,
            "last_success": state.last.ended if state.last is not None else None,
            "error": state.error or None,
        }
        return _json(HTTPStatus.OK if well else HTTPStatus.SERVICE_UNAVAILABLE, content)

    def _status(self, state: LiveState) -> str:
        last = state.last
        if last is None:
            return ""
        ago = duration(max(0.0, self._clock() - last.ended))
        run = (
            f"Run {count(state.rounds)} ended at {moment(int(last.ended * 1e6), seconds=True)} UTC, {ago} ago"
        )
        failed = f"; it has failed since: {state.error}" if state.error else ""
        return f"{run}; it took {duration(last.seconds)}{failed}."


def _html(text: str) -> Response:
    return Response(HTTPStatus.OK, "text/html; charset=utf-8", text.encode())


def _json(status: HTTPStatus, value: Any) -> Response:
    return Response(status, "application/json", json.dumps(value, indent=1).encode() + b"\n")


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
        FolderUnwritable: the result folder cannot be created or written to.
        OSError: the address is not available.
    """
    make_results(out)
    board = Board()
    pages = Pages(board, Packets(out), Metrics(board), time.time)
    server = Server(pages.routes(), settings.host, settings.port, POLICY)
    thread = server.start()
    try:
        tell(f"listening on {server.url}/")
        if not server.loopback:
            tell("warning: everyone with network access to this address can read all data")
        follower = Follower(engine, inputs, out, board, tell=tell, pause_s=settings.pause_s)
        follower.options = settings.report
        if settings.alerts is not None:
            follower.found = Alerts(settings.alerts, out, tell, lambda failed: board.alerted(failed=failed))
        follower.run(stop)
    finally:
        server.stop()
        thread.join()
    return board
