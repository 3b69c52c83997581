"""JSON-RPC 2.0 client of a CometBFT node over HTTP POST: deadlines, size limits, retries if idempotent."""

import time
from collections.abc import Callable, Container, Mapping, Sequence
from email.utils import parsedate_to_datetime
from functools import partial
from http.client import HTTPException
from itertools import count
from typing import Any, NamedTuple, Protocol, TypedDict, TypeVar

import msgspec

from pyibc.codec.comet_json import Json
from pyibc.http.reasons import reason_of
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer, RelayerError
from pyibc.relayer.rpc.calls import Call, Rpc, call_outcome, outcome_of
from pyibc.relayer.rpc.http_connect import Deadline
from pyibc.relayer.rpc.http_pool import (
    AnswerTooLarge,
    HttpAnswer,
    HttpPool,
    NotConnected,
    parse_url,
)
from pyibc.relayer.rpc.node_queries import NodeQueries

# -- JSON-RPC 2.0 responses, decoded lazily
#
# Block events, the bulk of the JSON, stay raw text for `pyibc.core.comet.read_events`, which
# builds no dictionary per attribute.


class JsonRpcResponse(msgspec.Struct):
    """Response object whose result is still raw JSON."""

    id: Any = None
    error: Any = None
    result: msgspec.Raw = msgspec.Raw()


class _TxResult(TypedDict, total=False):
    code: Any
    codespace: Any
    events: msgspec.Raw
    gas_wanted: Any
    gas_used: Any
    data: Any
    log: Any


class _Results(TypedDict, total=False):
    height: Any
    txs_results: list[_TxResult] | None
    finalize_block_events: msgspec.Raw
    begin_block_events: msgspec.Raw
    end_block_events: msgspec.Raw
    app_hash: Any


_RESPONSE = msgspec.json.Decoder(JsonRpcResponse)
_BATCH = msgspec.json.Decoder(list[JsonRpcResponse])
_RESULTS = msgspec.json.Decoder(_Results)


def read_response(text: bytes) -> JsonRpcResponse:
    """Decode the response to one call. Raises ValueError, RecursionError: it is malformed."""
    return _RESPONSE.decode(text)


def read_batch(text: bytes) -> list[JsonRpcResponse] | None:
    """Decode the responses to a batch; None: the batch was refused as a whole. Raises as `read_response`."""
    return _BATCH.decode(text) if text.startswith(b"[") else None


def read_result(method: str, result: msgspec.Raw) -> Json:
    """Decode the result of a call of `method`; block events stay raw JSON.

    Raises:
        ValueError, RecursionError: the result is missing, not an object, or not of the method's schema.
    """
    if not bytes(result):
        raise ValueError("no result")
    if method == "block_results":
        return dict(_RESULTS.decode(result))
    found = msgspec.json.decode(result)
    if not isinstance(found, dict):
        raise ValueError("no result")  # noqa: TRY004 - as above
    return found


# -- the client

_V = TypeVar("_V")

MAX_ANSWER = 32 * 1024 * 1024
"""Maximum size of a response, bytes; a block with its results is below. Batches above it are divided."""

MAX_RETRY_AFTER_S = 60.0
"""Maximum time for which a node that asks for it (Retry-After) is left alone, seconds."""

MAX_REASON = 1_000
"""Maximum length of an error text from a node, characters."""

MAX_BACKOFF_S = 2.0
"""Maximum backoff between two attempts, seconds."""

BROADCAST_PREFIX = "broadcast_"
"""Prefix of methods whose request is never repeated: if the transaction is in a block already, the second
broadcast is refused for its sequence, and the transaction would look failed."""

MAX_BATCH = 10
"""Maximum calls per batch: CometBFT's default `max_request_batch_size`."""

REGROW_AFTER = 200
"""Successful requests after which a reduced batch size is doubled again."""


class RpcConfig(NamedTuple):
    """Timeouts, retries and poll interval of a node's RPC; times in seconds."""

    timeout_s: float = 15.0  # per call, from connecting to the last byte, including retries
    # guard: h147-a-restart-is-not-waited-for {7 => 2}
    #   test_h147_a_node_that_restarts_in_three_seconds_is_waited_for
    attempts: int = 7  # per call if the connection breaks; outlasts a node restart of some seconds
    inclusion_s: float = 60.0  # timeout for the inclusion of a transaction or the commit of a block
    poll_s: float = 0.15  # poll interval
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    unix: Callable[[], float] = time.time  # for dates of nodes
    max_answer: int = MAX_ANSWER
    parallel: int = 10  # concurrent requests, for example for proofs
    unread: frozenset[str] = frozenset()  # event types to leave out of blocks, since they are not used
    reads_all: bool = False  # every block is read, so block and results are queried together
    fresh_s: float = 0.0  # maximum age of a height shared between threads
    ca_file: str = ""  # certificates of authorities, PEM; "": those of the system
    node_queries: type[NodeQueries] | None = NodeQueries  # tried first; None: standard queries only


class HttpTransport(Protocol):
    """Transport of requests to one URL."""

    def post(self, body: bytes, deadline: Deadline, *, fresh: bool) -> HttpAnswer:
        """Send one POST and return the response; arguments and errors as `HttpPool.post`."""

    def close(self) -> None:
        """Close all connections; a later request opens new ones."""


class HttpRpc(Rpc):
    """JSON-RPC client of the node at a URL. For any thread.

    Errors contain `name` (scheme, host and port); path, query and credentials (Basic authentication) of the
    URL are used for requests only.
    """

    def __init__(
        self,
        url: str,
        config: RpcConfig = RpcConfig(),  # noqa: B008 - a value
        transport: HttpTransport | None = None,
    ) -> None:
        """Connect on the first call.

        Args:
            url: URL of the node.
            config: timeouts, retries and bounds.
            transport: sends the requests; None: an HTTP connection pool.

        Raises:
            ValueError: `url` is not of the form http(s)://[user[:password]@]host[:port][/path][?query];
                `ca_file` cannot be read; or the environment's proxy is not one for HTTP.
        """
        target = parse_url(url)
        # guard: h141-errors-tell-the-url {str(target) => url} test_h141_no_error_tells_the_secrets_of_a_url
        self.name = str(target)
        self._config = config
        self._ids = count(1)
        if transport is None:
            transport = HttpPool(target, config.max_answer, config.ca_file)
        self._transport = transport
        self._refusal = ""  # status of the last response with Retry-After
        self._silent_until = 0.0  # no request until then, by the clock
        self._batch_size = MAX_BATCH  # less once the node has refused as many
        self._calls_since_refusal = 0  # requests since then

    def call(self, method: str, **params: Any) -> Json:
        """Call a method and return its result.

        Raises:
            EndpointUnavailable: no attempt got a complete HTTP response in time.
            EndpointRefused: the node answers with an error.
            MalformedAnswer: the response is not JSON-RPC, too large, or has the id of another call; its
                connection is closed.
        """
        # guard: h230-all-calls-have-one-number {next(self._ids) => 1}
        #   test_h230_after_the_answer_to_another_call_the_connection_is_not_used
        request_id = next(self._ids)
        raw = self._send(method, _request(request_id, Call(method, params)))
        answer = self._read(method, lambda: read_response(raw))
        return self._result(method, self._check_id(method, answer, {request_id}))

    def call_many(self, calls: Sequence[Call]) -> list[Json | RelayerError]:
        """Make the calls in batches; the batch size is reduced for a while after the node refused a batch.

        Results as `Rpc.call_many`.
        """
        found = list[Json | RelayerError]()
        while len(found) < len(calls):
            part = calls[len(found) : len(found) + self._batch_size]
            answered = self._call_batch(part) if len(part) > 1 else [call_outcome(self, part[0])]
            found += answered
            if answered:
                self._grow_batch()
            if found and isinstance(found[-1], EndpointUnavailable):
                break
        return found + found[-1:] * (len(calls) - len(found))

    def _grow_batch(self) -> None:
        if self._batch_size < MAX_BATCH:
            self._calls_since_refusal += 1
            if self._calls_since_refusal >= REGROW_AFTER:
                self._batch_size, self._calls_since_refusal = min(2 * self._batch_size, MAX_BATCH), 0

    def _call_batch(self, calls: Sequence[Call]) -> list[Json | RelayerError]:
        """Return the outcomes of calls sent as one batch; an empty list if the batch is refused."""
        calls_by_id = {next(self._ids): call for call in calls}
        try:
            answers = self._batch_responses(calls[0].method, calls_by_id)
        except (EndpointRefused, _TooLarge):
            answers = None
        except RelayerError as error:
            # An HTTP server that answers, but not with JSON-RPC, is a proxy.
            if not (isinstance(error, EndpointUnavailable) and error.reason.startswith(_STATUS)):
                return [error] * len(calls)
            alone = call_outcome(self, calls[0])
            if isinstance(alone, EndpointUnavailable):
                return [alone] * len(calls)
            answers = None  # a proxy before the node refuses batches
        if answers is None:
            self._batch_size, self._calls_since_refusal = min(self._batch_size, max(1, len(calls) // 2)), 0
            return []
        missing = JsonRpcResponse()
        return [
            outcome_of(partial(self._result, call.method, answers.get(request_id, missing)))
            for request_id, call in calls_by_id.items()
        ]

    def _batch_responses(
        self, method: str, calls_by_id: Mapping[int, Call]
    ) -> dict[int, JsonRpcResponse] | None:
        """Return the responses to a batch by request id; None: the batch is refused as a whole."""
        raw = self._send(method, [_request(request_id, call) for request_id, call in calls_by_id.items()])
        answers = self._read(method, lambda: read_batch(raw))
        if answers is None:
            self._transport.close()  # it may be a late response to another request
            return None
        return {each.id: each for each in answers if self._check_id(method, each, calls_by_id).id is not None}

    def _check_id(self, method: str, answer: JsonRpcResponse, ids: Container[int]) -> JsonRpcResponse:
        """Return the response if its id is one of `ids`, or null with an error (unreadable request).

        Raises:
            MalformedAnswer: it has the id of another request; the connections are closed.
        """
        is_ours = type(answer.id) is int and answer.id in ids
        if not is_ours and not (answer.error and answer.id is None):
            # guard: h230-more-is-read-from-that-connection drop
            #   test_h230_after_the_answer_to_another_call_the_connection_is_not_used
            self._transport.close()
            raise MalformedAnswer(self.name, method, f"response to another request: id {answer.id!a:.32}")
        return answer

    def _result(self, method: str, answer: JsonRpcResponse) -> Json:
        reason = self._read(method, lambda: _reason_of(answer.error) if answer.error else "")
        if reason:
            raise EndpointRefused(self.name, method, reason)
        return self._read(method, lambda: read_result(method, answer.result))

    def _send(self, method: str, request: Any) -> bytes:
        """Send a request and return the body of the response."""
        try:
            return self._post(method, msgspec.json.encode(request))
        except AnswerTooLarge as large:
            text = f"more than {self._config.max_answer} bytes"
            # guard: a-batch-too-large-is-not-divided {_TooLarge => MalformedAnswer}
            #   test_a_batch_whose_answer_is_too_large_is_divided
            raise _TooLarge(self.name, method, text) from large

    def _read(self, method: str, read: Callable[[], _V]) -> _V:
        try:
            return read()
        except (ValueError, AttributeError, RecursionError) as broken:
            self._transport.close()  # the rest of a response may still arrive there
            raise MalformedAnswer(self.name, method, printable(str(broken))) from broken

    def close(self) -> None:
        """Close all connections; a later call opens new ones."""
        self._transport.close()

    def _post(self, method: str, body: bytes) -> bytes:
        """Return the body of a JSON-RPC response; CometBFT sends errors with status 400, 413 or 500."""
        deadline = Deadline(self._config.timeout_s, self._config.clock)
        once, problem, pause = method.startswith(BROADCAST_PREFIX), "", 0.0
        for attempt in range(self._config.attempts):
            self._require_welcome()
            if attempt:
                self._config.sleep(pause or min(MAX_BACKOFF_S, 0.1 * 2**attempt))
            try:
                answer = self._transport.post(body, deadline, fresh=once or attempt > 0)
            except TimeoutError as error:
                raise EndpointUnavailable(self.name, problem or printable(reason_of(error))) from error
            except (OSError, HTTPException) as error:
                problem = _describe(error)
                if once and not isinstance(error, NotConnected):
                    break
            else:
                if answer.status in {200, 400, 413, 500} and answer.body[:1] in {b"{", b"["}:
                    return answer.body
                problem = _describe_answer(answer)
                if answer.status == 413:
                    raise EndpointRefused(self.name, method, problem)
                pause = self._record_retry_after(answer, problem, deadline)
                if once:
                    break
        raise EndpointUnavailable(self.name, problem)

    def _require_welcome(self) -> None:
        """Raise EndpointUnavailable while the node asks to be left alone."""
        left = self._silent_until - self._config.clock() if self._silent_until else 0.0
        # guard: retry-after-is-not-heeded drop test_a_node_that_names_a_time_is_left_alone_until_then
        if left > 0:
            raise EndpointUnavailable(self.name, f"{self._refusal}: it asks for no request for {left:.0f} s")

    def _record_retry_after(self, answer: HttpAnswer, problem: str, deadline: Deadline) -> float:
        """Return the pause that the response asks for, if it ends before the deadline; else remember it."""
        seconds = min(_seconds_of(answer.retry_after, self._config.unix), MAX_RETRY_AFTER_S)
        if seconds < deadline.remaining():
            return seconds
        self._refusal, self._silent_until = problem, self._config.clock() + seconds
        return 0.0


class _TooLarge(MalformedAnswer, code=MalformedAnswer.code):
    """The response is larger than the limit."""


_STATUS = "HTTP status"


def _seconds_of(retry_after: str, unix: Callable[[], float]) -> float:
    """Return the seconds of a Retry-After header, a number or a date (RFC 9110, 10.2.3); 0: none."""
    text = retry_after.strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - unix())
    except (ValueError, OverflowError):
        return 0.0


def _describe_answer(answer: HttpAnswer) -> str:
    """Return what is wrong with a response that is not JSON-RPC."""
    text = f"{_STATUS} {answer.status}"
    if answer.content_type.lower().startswith("text/html") or answer.body.lstrip()[:1] == b"<":
        return f"{text} with an HTML page, not JSON-RPC: check that the URL is that of a node's RPC"
    return text if answer.status != 200 else f"{text} with a body that is not JSON-RPC"


def _describe(error: OSError | HTTPException) -> str:
    if isinstance(error, HTTPException):  # str(error) may contain the bytes received
        return f"no answer in HTTP ({type(error).__name__}): is it an RPC port?"
    return printable(reason_of(error))


def printable(text: str) -> str:
    """Return a node's text fit for terminals and logs: without its middle, control characters escaped.

    Texts of Go's errors end with their cause.
    """
    half = (MAX_REASON - 5) // 2
    # guard: the-cause-is-cut-off {f"{text[:half]} ... {text[-half:]}" => text[:MAX_REASON]}
    #   test_a_long_error_keeps_its_beginning_and_its_end
    cut = text if len(text) <= MAX_REASON else f"{text[:half]} ... {text[-half:]}"
    return cut if cut.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in cut)


def _request(request_id: int, call: Call) -> Json:
    return {"jsonrpc": "2.0", "id": request_id, "method": call.method, "params": call.params}


def _reason_of(error: Any) -> str:
    """Return message and data of a JSON-RPC error. Raises AttributeError: it is not an object."""
    parts = (error.get("message"), error.get("data"))
    return printable(" ".join(str(part) for part in parts if part)) or "an error without a text"
