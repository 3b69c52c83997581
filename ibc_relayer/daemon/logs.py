"""Logs in JSON: a line an event, with its facts as fields; nothing of a key is ever among them."""

import json
import logging
from datetime import UTC, datetime
from typing import TextIO

_PLAIN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "taskName"}
MAX_TEXT = 2_000
"""Characters of a field: nodes write what they like into their refusals."""


class JsonLines(logging.Formatter):
    """A record as one line of JSON: `time`, `level`, `event`, and the fields it was given."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, ASCII alone."""
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, object] = {
            "time": time,
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        line |= {name: _short(value) for name, value in vars(record).items() if name not in _PLAIN}
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)[-MAX_TEXT:]
        return json.dumps(line, default=str)


def log_to(stream: TextIO, level: str) -> None:
    """The relayer's logs go to `stream`, from `level` on."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    logger = logging.getLogger("pyibc.relayer")
    logger.handlers[:] = [handler]
    logger.setLevel(level.upper())
    logger.propagate = False


def _short(value: object) -> object:
    return value[:MAX_TEXT] if isinstance(value, str) else value
