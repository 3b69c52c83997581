"""JSON-RPC 2.0 by HTTP POST, to a CometBFT node: deadlines, bounded answers, retries where they are safe."""

import time
from collections.abc import Callable, Container, Mapping, Sequence
from http.client import HTTPException
from itertools import count
from typing import Any, NamedTuple, Protocol, TypeVar

import msgspec

from ibc_relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer, RelayerError
from ibc_relayer.http_pool import Answer, AnswerTooLarge, Deadline, HttpPool, NotConnected, read_url
from ibc_relayer.rpc_answer import Envelope, read_envelope, read_envelopes, read_result
from ibc_relayer.rpc_calls import Call, Json, outcome_of

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


CALM = 200
"""Requests that are answered before one of twice as many calls is tried again: what refused may be gone."""


class RpcConfig(NamedTuple):
    """Timeouts, retries and poll interval of a node's RPC; times in seconds."""

    timeout_s: float = 15.0  # of one call, from connecting to the last byte, with all its attempts
    # guard: h147-a-restart-is-not-waited-for {7 => 2}
    #   test_h147_a_node_that_restarts_in_three_seconds_is_waited_for
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
        # guard: h141-errors-tell-the-url {str(target) => url} test_h141_no_error_tells_the_secrets_of_a_url
        self.name = str(target)
        self._config = config
        self._numbers = count(1)
        self._carrier = HttpPool(target, config.max_answer) if carrier is None else carrier
        self._at_once = AT_ONCE  # less once the node has refused as many
        self._calm = 0  # requests since then

    def call(self, method: str, **params: Any) -> Json:
        """The result of a call.

        Raises:
            EndpointUnavailable: no whole answer in time, or none in HTTP, in any attempt.
            EndpointRefused: the node answers with an error.
            MalformedAnswer: the answer is not JSON-RPC, too large, or to another call, as if it came twice
                (nothing more is read from its connection).
        """
        # guard: h230-all-calls-have-one-number {next(self._numbers) => 1}
        #   test_h230_an_answer_that_comes_twice_is_not_taken_for_the_next_one
        number = next(self._numbers)
        raw = self._raw(method, _request(number, Call(method, params)))
        answer = self._read(method, lambda: read_envelope(raw))
        return self._result(method, self._ours(method, answer, {number}))

    def call_many(self, calls: Sequence[Call]) -> list[Json | RelayerError]:
        """As `BatchRpc.call_many`; in smaller parts for a while once the node has refused as many."""
        found = list[Json | RelayerError]()
        while len(found) < len(calls):
            part = calls[len(found) : len(found) + self._at_once]
            answered = self._together(part) if len(part) > 1 else [outcome_of(self, part[0])]
            found += answered
            if answered:
                self._grow()
            if found and isinstance(found[-1], EndpointUnavailable):
                break
        return found + found[-1:] * (len(calls) - len(found))

    def _grow(self) -> None:
        if self._at_once < AT_ONCE:
            self._calm += 1
            if self._calm >= CALM:
                self._at_once, self._calm = min(2 * self._at_once, AT_ONCE), 0

    def _together(self, calls: Sequence[Call]) -> list[Json | RelayerError]:
        """The outcomes of calls that go in one request; none where that is refused."""
        numbered = {next(self._numbers): call for call in calls}
        try:
            answers = self._asked(calls[0].method, numbered)
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
            self._at_once, self._calm = min(self._at_once, max(1, len(calls) // 2)), 0
            return []
        return [
            self._outcome(call.method, answers.get(number, Envelope())) for number, call in numbered.items()
        ]

    def _asked(self, method: str, numbered: Mapping[int, Call]) -> dict[int, Envelope] | None:
        """The answers to calls in one request, by number; None: they are refused together."""
        raw = self._raw(method, [_request(number, call) for number, call in numbered.items()])
        answers = self._read(method, lambda: read_envelopes(raw))
        if answers is None:
            self._carrier.close()  # it may be the answer to another call, and ours come later
            return None
        return {each.id: each for each in answers if self._ours(method, each, numbered).id is not None}

    def _ours(self, method: str, answer: Envelope, numbers: Container[int]) -> Envelope:
        """The answer, if it is to a call of ours, or to one that the node could not read.

        Raises:
            MalformedAnswer: it is to another call, as if one came twice: nothing more is read from there.
        """
        is_ours = type(answer.id) is int and answer.id in numbers
        if not is_ours and not (answer.error and answer.id is None):
            # guard: h230-more-is-read-from-that-connection drop
            #   test_h230_an_answer_that_comes_twice_is_not_taken_for_the_next_one
            self._carrier.close()
            raise MalformedAnswer(self.name, method, f"to another call: {answer.id!a:.32}")
        return answer

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
            self._carrier.close()  # what was begun there may not be at its end
            raise MalformedAnswer(self.name, method, printable(str(broken))) from broken

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
                problem = f"{_STATUS} {answer.status}"
                if answer.status == 413:
                    raise EndpointRefused(self.name, method, problem)
                if once:
                    break
        raise EndpointUnavailable(self.name, problem)


_STATUS = "HTTP status"


def _is_of_http(error: RelayerError) -> bool:
    """Whether there was an answer, but not a node's."""
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
