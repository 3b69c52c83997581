"""Logs in JSON: one line per event, with its attributes as fields; keys are never logged."""

import json
import logging
from datetime import UTC, datetime
from typing import TextIO

_PLAIN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "taskName"}
MAX_TEXT = 2_000
"""Maximum number of characters of a field: nodes may put any text into a refusal."""


class JsonLines(logging.Formatter):
    """Formatter of a record as one line of JSON: `time`, `level`, `event`, and its extra fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, in ASCII."""
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
    """Write the relayer's logs to `stream`, from `level` on."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    logger = logging.getLogger("pyibc.relayer")
    logger.handlers[:] = [handler]
    logger.setLevel(level.upper())
    logger.propagate = False


def _short(value: object) -> object:
    return value[:MAX_TEXT] if isinstance(value, str) else value
