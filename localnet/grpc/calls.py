"""Handling of gRPC calls: path, metadata and request bytes to a response, in a bounded thread pool.

A call gets a thread only once its request is complete, so incomplete requests cost only memory.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import BoundedSemaphore
from typing import Any, NamedTuple, NoReturn, TypeVar

import grpc

from abci_server.errors import RateLimitedLog
from pyibc.chain.queries.grpc_status import GrpcStatus, status_of
from pyibc.core.errors import IbcError, InvalidRequest, InvalidSdkHeight
from pyibc.core.numbers import MAX_I64
from pyibc.proto.cosmos.base.query.v1beta1.pagination_pb2 import PageRequest, PageResponse
from pyibc.relayer.errors import EndpointUnavailable, MalformedAnswer

# -- pagination of lists that are not stores: by page number or offset instead of key

_T = TypeVar("_T")

DEFAULT_LIMIT = 100
MAX_LIMIT = 1_000
"""Maximum number of entries per page: transactions and blocks are large."""
MAX_FOUND = 100
"""Maximum number of transactions per page of a search, as in CometBFT, which clamps larger limits."""


class Page(NamedTuple):
    """A requested page of a list."""

    number: int  # from 1
    limit: int


def page_of(number: int, limit: int, pagination: PageRequest) -> Page:
    """Return the requested page, by number or by the older `pagination.offset`.

    Raises:
        InvalidRequest: a key is given, or the offset is not a multiple of the limit.
    """
    if pagination.key:
        raise InvalidRequest("pagination.key: this list has no keys; use page and limit")
    size = min(limit or pagination.limit or DEFAULT_LIMIT, MAX_FOUND)
    if number or not pagination.offset:
        return Page(number or 1, size)
    if pagination.offset % size:
        raise InvalidRequest(f"pagination.offset {pagination.offset} is not a multiple of the limit {size}")
    return Page(pagination.offset // size + 1, size)


def page_within(found: Sequence[_T], page: int, limit: int) -> Sequence[_T]:
    """Return a page, from 1, of at most `limit` search results.

    Raises:
        InvalidRequest: the page is beyond the last one, with CometBFT's text; an empty result has one page.
    """
    pages = max(1, -(-len(found) // limit))
    # guard: h274-a-page-beyond-the-last-is-empty drop
    #   test_h274_a_page_beyond_the_last_is_refused_by_every_view_of_a_node
    if not 0 < page <= pages:
        raise InvalidRequest(f"page should be within [1, {pages}] range, given {page}")
    return found[(page - 1) * limit : page * limit]


def cut(items: Sequence[_T], pagination: PageRequest) -> tuple[Sequence[_T], PageResponse]:
    """Return a page of an in-memory list, by offset and limit; the page key is the next offset (8 bytes).

    Raises:
        InvalidRequest: the key is invalid.
    """
    if pagination.key and (len(pagination.key) != 8 or pagination.offset):
        raise InvalidRequest("pagination.key is not a key of this list")
    start = int.from_bytes(pagination.key, "big") if pagination.key else pagination.offset
    ordered = items[::-1] if pagination.reverse else items
    end = start + min(pagination.limit or DEFAULT_LIMIT, MAX_LIMIT)
    response = PageResponse(next_key=end.to_bytes(8, "big") if end < len(items) else b"")
    if pagination.count_total or not pagination.limit:
        response.total = len(items)
    return ordered[start:end], response


# -- limits of a gRPC server


class GrpcLimits(NamedTuple):
    """Limits of one server."""

    workers: int = 8  # calls executed concurrently
    calls: int = 256  # complete requests, including queued ones; more get RESOURCE_EXHAUSTED
    calls_a_connection: int = 100
    connections: int = 1_000
    request_bytes: int = 10 * 1024 * 1024
    response_bytes: int = 32 * 1024 * 1024  # Hermes' limit
    metadata_bytes: int = 16 * 1024
    handshake_s: float = 10.0  # for the HTTP/2 handshake
    idle_s: float = 300.0  # without a call, until a connection gets GOAWAY
    age_s: float = 3600.0  # of a connection, until it gets GOAWAY
    grace_s: float = 60.0  # for its calls after GOAWAY
    stop_s: float = 2.0  # for running calls when the server stops

    def options(self) -> list[tuple[str, int]]:
        """Return the limits as grpcio channel arguments."""
        return [
            ("grpc.so_reuseport", 0),  # a port in use is an error
            ("grpc.max_receive_message_length", self.request_bytes),
            ("grpc.max_send_message_length", self.response_bytes + 1024),
            ("grpc.max_metadata_size", self.metadata_bytes),
            ("grpc.max_concurrent_streams", self.calls_a_connection),
            ("grpc.max_allowed_incoming_connections", self.connections),
            ("grpc.server_handshake_timeout_ms", int(self.handshake_s * 1000)),
            # Clients reconnect after GOAWAY. Without it, idle connections or incomplete requests could occupy
            # all connections indefinitely.
            ("grpc.max_connection_idle_ms", int(self.idle_s * 1000)),
            ("grpc.max_connection_age_ms", int(self.age_s * 1000)),
            ("grpc.max_connection_age_grace_ms", int(self.grace_s * 1000)),
            # No compression: a small request cannot expand into a large one.
            ("grpc.compression_enabled_algorithms_bitset", 1),
        ]


# -- handling of calls

_CODES = {
    GrpcStatus.UNKNOWN: grpc.StatusCode.UNKNOWN,
    GrpcStatus.INVALID_ARGUMENT: grpc.StatusCode.INVALID_ARGUMENT,
    GrpcStatus.NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    GrpcStatus.UNIMPLEMENTED: grpc.StatusCode.UNIMPLEMENTED,
    GrpcStatus.UNAVAILABLE: grpc.StatusCode.UNAVAILABLE,
}
_TEXT_LIMIT = 2_000
"""Maximum length of an error: it is sent as a header, which clients limit to 8 KiB."""


class Refusal(NamedTuple):
    """The status and message of a failed call."""

    code: grpc.StatusCode
    text: str


def refusal(error: IbcError) -> Refusal:
    """Return status and message of an error."""
    if isinstance(error, (EndpointUnavailable, MalformedAnswer)):
        status = GrpcStatus.UNAVAILABLE
    else:
        status = status_of(error)
    return Refusal(_CODES[status], str(error)[:_TEXT_LIMIT])


def unknown_path(path: str, services: frozenset[str]) -> Refusal:
    """Return the error for an unknown method, with grpc-go's wording, which relayers parse."""
    service, slash, method = path.removeprefix("/").rpartition("/")
    if not slash:
        text = f"malformed method name: {path[:200]!a}"
    elif service in services:
        text = f"unknown method {method[:200]} for service {service}"
    else:
        text = f"unknown service {service[:200]}"
    return Refusal(grpc.StatusCode.UNIMPLEMENTED, text)


HEIGHT = "x-cosmos-block-height"


Metadata = Iterable[tuple[str, str | bytes]]


def asked_height(metadata: Metadata) -> int:
    """Return the height in a call's metadata; 0 (the last) if absent.

    Raises:
        InvalidRequest: the height is invalid, or given more than once.
    """
    found = [value for key, value in metadata if key.lower() == HEIGHT]
    if not found:
        return 0
    text = found[0] if isinstance(found[0], str) else ""
    if len(found) > 1 or not text.isascii() or not text.isdigit() or len(text) > 19 or int(text) > MAX_I64:
        raise InvalidRequest(f"invalid height header {HEIGHT}")
    return int(text)


Route = Callable[[bytes, int], bytes]
"""Function of request bytes and state height that returns response bytes; raises IbcError."""

_Handler = Callable[[bytes, Any], Awaitable[bytes]]


class CallResult(NamedTuple):
    """The result of a call."""

    height: int  # of the state that was read; 0 for none
    said: bytes | Refusal


class Calls(grpc.GenericRpcHandler):  # type: ignore[misc] # grpcio has no types
    """The handler for all methods with a route.

    Args:
        routes: Routes by gRPC method path.
        latest: Returns the height of the last committed state.
        limits: Limits on calls and responses.
    """

    def __init__(self, routes: Mapping[str, Route], latest: Callable[[], int], limits: GrpcLimits) -> None:
        self._routes = routes
        self._services = frozenset(path.split("/")[1] for path in routes)
        self._latest = latest
        self._limits = limits
        self._pool = ThreadPoolExecutor(limits.workers, thread_name_prefix="grpc")
        self._places = BoundedSemaphore(limits.calls)
        self._errors = RateLimitedLog()

    @property
    def services(self) -> frozenset[str]:
        """Names of the services with at least one method."""
        return self._services

    def service(self, details: Any) -> Any:
        """Return the handler of a call; requests and responses are raw bytes."""
        route = self._routes.get(details.method)
        if route is None:
            handler = _refusing(unknown_path(details.method, self._services))
        else:
            handler = self._answering(details.method, route)
        return grpc.unary_unary_rpc_method_handler(handler)

    def close(self) -> None:
        """Wait for running calls and cancel pending ones."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _answering(self, path: str, route: Route) -> _Handler:
        async def answer(request: bytes, context: Any) -> bytes:
            if not self._places.acquire(blocking=False):
                return await _end(context, Refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, "too many calls"))
            metadata = context.invocation_metadata() or ()
            work = self._pool.submit(self._ask, path, route, metadata, request)
            work.add_done_callback(lambda _: self._places.release())
            answered = await asyncio.wrap_future(work)
            height, said = answered.height, answered.said
            if height:
                await context.send_initial_metadata(((HEIGHT, str(height)),))
            return await _end(context, said) if isinstance(said, Refusal) else said

        return answer

    def _ask(self, path: str, route: Route, metadata: Metadata, request: bytes) -> CallResult:
        height = 0
        try:
            height = self._height(metadata)
            response = route(request, height)
        except IbcError as error:
            return CallResult(height, refusal(error))
        except Exception as error:  # noqa: BLE001 - a bug in a query must not stop the node
            self._errors.report(path, f"gRPC {path} failed", level=logging.ERROR, error=error)
            return CallResult(height, Refusal(grpc.StatusCode.INTERNAL, "the query failed"))
        if len(response) > self._limits.response_bytes:
            text = f"response of {len(response)} bytes, limit {self._limits.response_bytes}: request a page"
            return CallResult(height, Refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, text))
        return CallResult(height, response)

    def _height(self, metadata: Metadata) -> int:
        asked, last = asked_height(metadata), self._latest()
        if asked > last:
            raise InvalidSdkHeight(asked, last)
        return asked or last


def _refusing(said: Refusal) -> _Handler:
    async def answer(_request: bytes, context: Any) -> bytes:
        return await _end(context, said)

    return answer


async def _end(context: Any, said: Refusal) -> NoReturn:
    await context.abort(said.code, said.text)
    raise RuntimeError("abort returned")
