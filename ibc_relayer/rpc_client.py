"""JSON-RPC 2.0 by HTTP POST, to a CometBFT node: deadlines, bounded answers, retries where they are safe."""

import json
import time
from collections.abc import Callable
from http.client import HTTPException
from itertools import count
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

_SURROGATES = (b"\\ud", b"\\uD")
"""With these JSON spells halves of characters: one alone is no text, and nobody could write it down."""


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


class Posts(Protocol):
    """What carries a request to one URL."""

    def post(self, body: bytes, deadline: Deadline, *, fresh: bool) -> Answer:
        """The answer to one POST; arguments and errors as `HttpPool.post`."""

    def close(self) -> None:
        """Closes what is open; a later exchange opens it again."""


class HttpRpc:
    """A node at a URL; may be called by several threads at once.

    The URL's query, path, and user and password (Basic authentication) are used, and told to nobody: errors
    name `name`, which has scheme, host and port.
    """

    def __init__(
        self,
        url: str,
        config: RpcConfig = RpcConfig(),  # noqa: B008 - a value
        carrier: Posts | None = None,
    ) -> None:
        """Connects on the first call.

        Args:
            url: of the node.
            config: timeouts, retries and bounds.
            carrier: of requests and answers; None: HTTP.

        Raises:
            ValueError: `url` is not of the form http(s)://[user[:password]@]host[:port][/path][?query].
        """
        target = read_url(url)
        self.name = str(target)
        self._config = config
        self._numbers = count(1)
        self._carrier = HttpPool(target, config.max_answer) if carrier is None else carrier

    def call(self, method: str, **params: Any) -> Json:
        """The result of a call.

        Raises:
            EndpointUnavailable: no whole answer in time, or none in HTTP, in any attempt.
            EndpointRefused: the node answers with an error.
            MalformedAnswer: the answer is not JSON-RPC, too large, or to another call, as if it came twice
                (nothing more is read from its connection).
        """
        number = next(self._numbers)
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        try:
            raw = self._post(method, json.dumps(request).encode())
        except AnswerTooLarge as large:
            text = f"more than {self._config.max_answer} bytes"
            raise MalformedAnswer(self.name, method, text) from large
        try:
            answer = json.loads(raw)
            told, error, result = answer.get("id"), answer.get("error"), answer.get("result")
            reason = _reason_of(error) if error else ""
            if any(each in raw for each in _SURROGATES):
                json.dumps(result, ensure_ascii=False).encode()
        except (ValueError, AttributeError, RecursionError) as broken:
            raise MalformedAnswer(self.name, method, printable(str(broken))) from broken
        is_ours = type(told) is int and told == number
        if not is_ours and not (reason and told is None):  # who could not read our call knows no number
            self._carrier.close()
            raise MalformedAnswer(self.name, method, f"to call {told!a:.32}, not {number}")
        if reason:
            raise EndpointRefused(self.name, method, reason)
        if not isinstance(result, dict):
            raise MalformedAnswer(self.name, method, "no result")
        return result

    def close(self) -> None:
        """Closes the connections; a later call opens new ones."""
        self._carrier.close()

    def _post(self, method: str, body: bytes) -> bytes:
        """The body of the answer, with whatever status: CometBFT answers errors with 500, and 400."""
        deadline = Deadline(self._config.timeout_s, self._config.clock)
        once, problem = method.startswith(ONCE), ""
        for attempt in range(self._config.attempts):
            if attempt:
                self._config.sleep(min(LONGEST_PAUSE_S, 0.1 * 2**attempt))
            try:
                answer = self._carrier.post(body, deadline, fresh=once or attempt > 0)
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
