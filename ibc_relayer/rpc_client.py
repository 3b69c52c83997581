"""JSON-RPC 2.0 by HTTP POST, to a CometBFT node: deadlines, bounded answers, retries where they are safe."""

import time
from collections.abc import Callable, Sequence
from http.client import HTTPException
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import msgspec

from ibc_relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer, RelayerError
from ibc_relayer.http_pool import Answer, AnswerTooLarge, Deadline, HttpPool, NotConnected, read_url
from ibc_relayer.rpc_answer import Envelope, read_envelope, read_envelopes, read_result

Json = dict[str, Any]
_V = TypeVar("_V")

MAX_ANSWER = 256 * 1024 * 1024
"""Maximum size of a response, bytes; a block with its results is far below."""

MAX_REASON = 1_000
"""Characters of a node's error that are kept."""

LONGEST_PAUSE_S = 2.0
"""Between two attempts."""

ONCE = "broadcast_"
"""What the names of methods begin with whose request is sent once: a second one of a transaction that is in a
block already would be refused for its sequence, and the transaction be taken for a failure."""

AT_ONCE = 10
"""Calls in one request, at most: CometBFT's `max_request_batch_size` where nobody has changed it."""


class RpcConfig(NamedTuple):
    """Timeouts, retries and poll interval of a node's RPC; times in seconds."""

    timeout_s: float = 15.0  # of one call, from connecting to the last byte, with all its attempts
    attempts: int = 7  # of a call whose connection breaks: enough for a node that restarts in some seconds
    inclusion_s: float = 60.0  # until a block holds a transaction, or a block is committed
    poll_s: float = 0.15  # between two polls
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    max_answer: int = MAX_ANSWER
    parallel: int = 10  # requests under way at once where many are made, as for the proofs of a round
    unread: frozenset[str] = frozenset()  # types of events that nobody reads: blocks come without them
    reads_all: bool = False  # every block will be read: its results are asked for with it
    fresh_s: float = 0.0  # how old a chain's height may be that another thread has asked for


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


class Call(NamedTuple):
    """A question to a node."""

    method: str
    params: dict[str, Any]


@runtime_checkable
class BatchRpc(Protocol):
    """A client that asks several questions by one request."""

    def call_many(self, calls: Sequence[Call]) -> list[Json | RelayerError]:
        """What `Rpc.call` returns or raises for each; none of them is a broadcast.

        Once the node is silent it is asked for no more: the rest has the same error.
        """


def call_many(rpc: Rpc, calls: Sequence[Call]) -> list[Json | RelayerError]:
    """`BatchRpc.call_many`, one after the other where the client knows nothing else."""
    if isinstance(rpc, BatchRpc):
        return rpc.call_many(calls)
    found = list[Json | RelayerError]()
    for call in calls:
        found.append(outcome_of(rpc, call))
        if isinstance(found[-1], EndpointUnavailable):
            break
    return found + found[-1:] * (len(calls) - len(found))


def outcome_of(rpc: Rpc, call: Call) -> Json | RelayerError:
    """What a call returns or raises."""
    try:
        return rpc.call(call.method, **call.params)
    except RelayerError as error:
        return error


def result_of(outcome: Json | RelayerError) -> Json:
    """The result; raises the error if it is one."""
    if isinstance(outcome, RelayerError):
        raise outcome
    return outcome


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
        self._at_once = AT_ONCE  # less once the node has refused as many

    def call(self, method: str, **params: Any) -> Json:
        """The result of a call.

        Raises:
            EndpointUnavailable: no whole answer in time, or none in HTTP, in any attempt.
            EndpointRefused: the node answers with an error.
            MalformedAnswer: the answer is not JSON-RPC, or too large.
        """
        raw = self._raw(method, _request(1, Call(method, params)))
        return self._result(method, self._read(method, lambda: read_envelope(raw)))

    def call_many(self, calls: Sequence[Call]) -> list[Json | RelayerError]:
        """As `BatchRpc.call_many`; in smaller parts once the node has refused some for their number."""
        found = list[Json | RelayerError]()
        while len(found) < len(calls):
            part = calls[len(found) : len(found) + self._at_once]
            found += self._together(part) if len(part) > 1 else [outcome_of(self, part[0])]
            if found and isinstance(found[-1], EndpointUnavailable):
                break
        return found + found[-1:] * (len(calls) - len(found))

    def _together(self, calls: Sequence[Call]) -> list[Json | RelayerError]:
        """The outcomes of calls that go in one request; none where that is refused."""
        method, requests = calls[0].method, [_request(number, call) for number, call in enumerate(calls)]
        try:
            raw = self._raw(method, requests)
            answers = self._read(method, lambda: read_envelopes(raw))
        except EndpointRefused:  # too large
            answers = None
        except RelayerError as error:
            if not _is_of_http(error):
                return [error] * len(calls)
            alone = outcome_of(self, calls[0])
            if isinstance(alone, EndpointUnavailable):
                return [alone] * len(calls)
            answers = None  # whatever stands before the node takes no batches
        if answers is None:
            self._at_once = min(self._at_once, max(1, len(calls) // 2))
            return []
        return [
            self._outcome(call.method, answers.get(number, Envelope())) for number, call in enumerate(calls)
        ]

    def _outcome(self, method: str, answer: Envelope) -> Json | RelayerError:
        try:
            return self._result(method, answer)
        except RelayerError as error:
            return error

    def _result(self, method: str, answer: Envelope) -> Json:
        reason = self._read(method, lambda: _reason_of(answer.error) if answer.error else "")
        if reason:
            raise EndpointRefused(self.name, method, reason)
        return self._read(method, lambda: read_result(method, answer.result))

    def _raw(self, method: str, request: Any) -> bytes:
        """The answer to a request, as text."""
        try:
            return self._post(method, msgspec.json.encode(request))
        except AnswerTooLarge as large:
            text = f"more than {self._config.max_answer} bytes"
            raise MalformedAnswer(self.name, method, text) from large

    def _read(self, method: str, read: Callable[[], _V]) -> _V:
        try:
            return read()
        except (ValueError, AttributeError, RecursionError) as broken:
            raise MalformedAnswer(self.name, method, printable(str(broken))) from broken

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
                problem = f"{_STATUS} {answer.status}"
                if answer.status == 413:
                    raise EndpointRefused(self.name, method, problem)
                if once:
                    break
        raise EndpointUnavailable(self.name, problem)


_STATUS = "HTTP status"


def _is_of_http(error: RelayerError) -> bool:
    """Whether there was an answer, which was none of a node."""
    return isinstance(error, EndpointUnavailable) and error.reason.startswith(_STATUS)


def _problem(error: OSError | HTTPException) -> str:
    if isinstance(error, HTTPException):  # its text may be the bytes received, which may not be text
        return f"no answer in HTTP ({type(error).__name__}): is it an RPC port?"
    return printable(str(error)) or type(error).__name__


def printable(text: str) -> str:
    """A node's text as it may be shown in a terminal or log: bounded, control characters escaped."""
    cut = text[:MAX_REASON]
    return cut if cut.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in cut)


def _request(number: int, call: Call) -> Json:
    return {"jsonrpc": "2.0", "id": number, "method": call.method, "params": call.params}


def _is_rpc(answer: Answer) -> bool:
    return answer.status in {200, 400, 413, 500} and answer.body[:1] in {b"{", b"["}


def _reason_of(error: Any) -> str:
    """Raises AttributeError if `error` is not an object."""
    parts = (error.get("message"), error.get("data"))
    return printable(" ".join(str(part) for part in parts if part)) or "an error without a text"
