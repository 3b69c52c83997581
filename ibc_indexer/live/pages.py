"""What the server answers: the page, metrics, packets, health."""

import json
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl

from ibc_http.server import Answer, Routes
from ibc_indexer.live.board import Board, State
from ibc_indexer.live.errors import BadQuery, Busy
from ibc_indexer.live.metrics import CONTENT_TYPE, Metrics
from ibc_indexer.live.packets import Packets, read_query
from ibc_indexer.page import STYLE
from ibc_indexer.report import write_report
from ibc_indexer.view import View
from ibc_indexer.words import count, duration, moment

REFRESH_S = 5  # between two loads of the page
_VALUE = 256  # characters of a filter
POLICY = (
    "default-src 'none'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    f"style-src 'sha256-{b64encode(sha256(STYLE.encode()).digest()).decode()}'"
)
"""Nothing from elsewhere, no script at all; the one style is known by its sum."""
_WAIT = (
    '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    f'<meta http-equiv="refresh" content="{REFRESH_S}">\n<title>IBC packets</title>\n'
    f"<style>{STYLE}</style>\n</head>\n<body>\n"
    "<main><p>The first run is under way.</p></main>\n</body>\n</html>\n"
)


class Pages:
    """Answers from a board and the table of packets."""

    def __init__(self, board: Board, packets: Packets, metrics: Metrics, clock: Callable[[], float]) -> None:
        """`clock` gives unix seconds."""
        self._board = board
        self._packets = packets
        self._metrics = metrics
        self._clock = clock

    def routes(self) -> Routes:
        """By path."""
        return {
            "/": self.page,
            "/metrics": lambda _: Answer(HTTPStatus.OK, CONTENT_TYPE, self._metrics.text()),
            "/packets": self.packets,
            "/health": lambda _: self.health(),
        }

    def page(self, query: str) -> Answer:
        """The report, of one chain or channel if it is asked for."""
        state = self._board.read()
        if state.last is None:
            return _html(_WAIT)
        try:
            wanted = dict(parse_qsl(query, max_num_fields=4))
        except ValueError:
            return _json(HTTPStatus.BAD_REQUEST, {"error": "too many fields"})
        chain, channel = (wanted.get(name, "")[:_VALUE].strip() for name in ("chain", "channel"))
        outcome = state.last.outcome
        view = View(chain, channel, refresh_s=REFRESH_S, status=self._status(state))
        return _html(write_report(outcome.summary, outcome.answers, outcome.notes, outcome.tips, view))

    def packets(self, query: str) -> Answer:
        """A page of packets, in JSON."""
        try:
            return _json(HTTPStatus.OK, self._packets.page(read_query(query)))
        except BadQuery as error:
            return _json(HTTPStatus.BAD_REQUEST, {"error": str(error)})
        except Busy as error:
            return _json(HTTPStatus.SERVICE_UNAVAILABLE, {"error": str(error)})

    def health(self) -> Answer:
        """Whether the last look at the inputs went well."""
        state = self._board.read()
        well = state.last is not None and not state.error
        told = {
            "status": "ok" if well else "failing" if state.error else "starting",
            "runs": state.rounds,
            "failures": state.failures,
            "last_success": state.last.ended if state.last is not None else None,
            "error": state.error or None,
        }
        return _json(HTTPStatus.OK if well else HTTPStatus.SERVICE_UNAVAILABLE, told)

    def _status(self, state: State) -> str:
        last = state.last
        if last is None:
            return ""
        ago = duration(max(0.0, self._clock() - last.ended))
        told = (
            f"Run {count(state.rounds)} ended at {moment(int(last.ended * 1e6), seconds=True)} UTC, {ago} ago"
        )
        failed = f"; since then: {state.error}" if state.error else ""
        return f"{told}; it took {duration(last.seconds)}{failed}."


def _html(text: str) -> Answer:
    return Answer(HTTPStatus.OK, "text/html; charset=utf-8", text.encode())


def _json(status: HTTPStatus, value: Any) -> Answer:
    return Answer(status, "application/json", json.dumps(value, indent=1).encode() + b"\n")
