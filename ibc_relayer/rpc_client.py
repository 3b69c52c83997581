"""JSON-RPC 2.0 by HTTP POST, to a CometBFT node: deadlines, bounded answers, retries where they are safe."""

import json
import time
from collections.abc import Callable
from http.client import HTTPException
from typing import Any, NamedTuple, Protocol

from ibc_relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer
from ibc_relayer.http_pool import Answer, AnswerTooLarge, Deadline, HttpPool, NotConnected, read_url

Json = dict[str, Any]

MAX_ANSWER = 256 * 1024 * 1024
"""Maximum size of a response, bytes; a block with its results is far below."""

MAX_REASON = 1_000
"""Characters of a node's error that are kept."""

LONGEST_PAUSE_S = 2.0
"""Between two attempts."""

ONCE = "broadcast_"
"""What the names of methods begin with whose request is sent once: a second one of a transaction that is in a
block already would be refused for its sequence, and the transaction be taken for a failure."""


class RpcConfig(NamedTuple):
    """Timeouts, retries and poll interval of a node's RPC; times in seconds."""

    timeout_s: float = 15.0  # of one call, from connecting to the last byte, with all its attempts
    attempts: int = 7  # of a call whose connection breaks: enough for a node that restarts in some seconds
    inclusion_s: float = 60.0  # until a block holds a transaction, or a block is committed
    poll_s: float = 0.15  # between two polls
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    max_answer: int = MAX_ANSWER
    parallel: int = 8  # calls under way at once where many are made, as for the proofs of a round


class Rpc(Protocol):
    """A JSON-RPC client."""

    def call(self, method: str, **params: Any) -> Json:
        """The result of a call.

        Raises:
            EndpointUnavailable: no answer.
            EndpointRefused: the node answers with an error.
            MalformedAnswer: the answer is not JSON-RPC.
        """

    def close(self) -> None:
        """Closes the connection."""


class HttpRpc:
    """A node at a URL; may be called by several threads at once.

    The URL's query, path, and user and password (Basic authentication) are used, and told to nobody: errors
    name `name`, which has scheme, host and port.
    """

    def __init__(self, url: str, config: RpcConfig = RpcConfig()) -> None:  # noqa: B008 - a value
        """Connects on the first call.

        Raises:
            ValueError: `url` is not of the form http(s)://[user[:password]@]host[:port][/path][?query].
        """
        target = read_url(url)
        self.name = str(target)
        self._config = config
        self._pool = HttpPool(target, config.max_answer)

    def call(self, method: str, **params: Any) -> Json:
        """The result of a call.

        Raises:
            EndpointUnavailable: no whole answer in time, or none in HTTP, in any attempt.
            EndpointRefused: the node answers with an error.
            MalformedAnswer: the answer is not JSON-RPC, or too large.
        """
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        try:
            raw = self._post(method, json.dumps(request).encode())
        except AnswerTooLarge as large:
            text = f"more than {self._config.max_answer} bytes"
            raise MalformedAnswer(self.name, method, text) from large
        try:
            answer = json.loads(raw)
            error, result = answer.get("error"), answer.get("result")
            reason = _reason_of(error) if error else ""
        except (ValueError, AttributeError, RecursionError) as broken:
            raise MalformedAnswer(self.name, method, printable(str(broken))) from broken
        if reason:
            raise EndpointRefused(self.name, method, reason)
        if not isinstance(result, dict):
            raise MalformedAnswer(self.name, method, "no result")
        return result

    def close(self) -> None:
        """Closes the connections; a later call opens new ones."""
        self._pool.close()

    def _post(self, method: str, body: bytes) -> bytes:
        """The body of the answer, with whatever status: CometBFT answers errors with 500, and 400."""
        deadline = Deadline(self._config.timeout_s, self._config.clock)
        once, problem = method.startswith(ONCE), ""
        for attempt in range(self._config.attempts):
            if attempt:
                self._config.sleep(min(LONGEST_PAUSE_S, 0.1 * 2**attempt))
            try:
                answer = self._pool.post(body, deadline, fresh=once or attempt > 0)
            except TimeoutError as error:
                raise EndpointUnavailable(self.name, problem or "no whole answer in time") from error
            except (OSError, HTTPException) as error:
                problem = _problem(error)
                if once and not isinstance(error, NotConnected):
                    break
            else:
                if _is_rpc(answer):
                    return answer.body
                problem = f"HTTP status {answer.status}"
                if answer.status == 413:
                    raise EndpointRefused(self.name, method, problem)
                if once:
                    break
        raise EndpointUnavailable(self.name, problem)


def _problem(error: OSError | HTTPException) -> str:
    if isinstance(error, HTTPException):  # its text may be the bytes received, which may not be text
        return f"no answer in HTTP ({type(error).__name__}): is it an RPC port?"
    return printable(str(error)) or type(error).__name__


def printable(text: str) -> str:
    """A node's text as it may be shown in a terminal or log: bounded, control characters escaped."""
    cut = text[:MAX_REASON]
    return cut if cut.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in cut)


def _is_rpc(answer: Answer) -> bool:
    return answer.status in {200, 400, 413, 500} and answer.body[:1] == b"{"


def _reason_of(error: Any) -> str:
    """Raises AttributeError if `error` is not an object."""
    parts = (error.get("message"), error.get("data"))
    return printable(" ".join(str(part) for part in parts if part)) or "an error without a text"
