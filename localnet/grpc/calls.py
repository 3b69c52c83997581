"""Handling of a gRPC call: path, metadata and request bytes to a response, in a bounded thread pool.

A call gets a thread only once its request is complete, so incomplete requests cost only memory.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from threading import BoundedSemaphore
from typing import Any, NamedTuple, NoReturn

import grpc

from abci_server.complaints import Complaints
from ibc_core.errors import IbcError, InvalidRequest
from ibc_core.numbers import MAX_I64
from ibc_relayer.errors import EndpointUnavailable, MalformedAnswer
from localnet.grpc.limits import Limits
from localnet.host.grpc_status import Status, status_of

_CODES = {
    Status.UNKNOWN: grpc.StatusCode.UNKNOWN,
    Status.INVALID_ARGUMENT: grpc.StatusCode.INVALID_ARGUMENT,
    Status.NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    Status.UNIMPLEMENTED: grpc.StatusCode.UNIMPLEMENTED,
    Status.UNAVAILABLE: grpc.StatusCode.UNAVAILABLE,
}
_TEXT_LIMIT = 2_000
"""Maximum characters of an error: it is sent as a header, which clients limit to 8 KiB."""


class Refusal(NamedTuple):
    """The status and message of a failed call."""

    code: grpc.StatusCode
    text: str


def refusal(error: IbcError) -> Refusal:
    """Status and message of an error."""
    if isinstance(error, (EndpointUnavailable, MalformedAnswer)):
        status = Status.UNAVAILABLE
    else:
        status = status_of(error)
    return Refusal(_CODES[status], str(error)[:_TEXT_LIMIT])


def unknown_path(path: str, services: frozenset[str]) -> Refusal:
    """The error for an unknown method, with grpc-go's wording, which relayers parse."""
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
    """The height in a call's metadata; 0 (the last) if absent.

    Raises:
        InvalidRequest: it is not a valid height, or is given more than once.
    """
    found = [value for key, value in metadata if key.lower() == HEIGHT]
    if not found:
        return 0
    text = found[0] if isinstance(found[0], str) else ""
    if len(found) > 1 or not text.isascii() or not text.isdigit() or len(text) > 19 or int(text) > MAX_I64:
        raise InvalidRequest(f"invalid height header {HEIGHT}")
    return int(text)


Route = Callable[[bytes, int], bytes]
"""Request bytes and the height of the state to read -> response bytes; raises IbcError."""

_Handler = Callable[[bytes, Any], Awaitable[bytes]]


class Answer(NamedTuple):
    """The result of a call."""

    height: int  # of the state that was read; 0: none
    said: bytes | Refusal


class Calls(grpc.GenericRpcHandler):  # type: ignore[misc] # grpcio has no types
    """The handler for all methods with a route.

    Args:
        routes: Routes by gRPC method path.
        latest: Returns the height of the last committed state.
        limits: Limits on calls and responses.
    """

    def __init__(self, routes: Mapping[str, Route], latest: Callable[[], int], limits: Limits) -> None:
        self._routes = routes
        self._services = frozenset(path.split("/")[1] for path in routes)
        self._latest = latest
        self._limits = limits
        self._pool = ThreadPoolExecutor(limits.workers, thread_name_prefix="grpc")
        self._places = BoundedSemaphore(limits.calls)
        self._complaints = Complaints()

    @property
    def services(self) -> frozenset[str]:
        """Names of the services with at least one method."""
        return self._services

    def service(self, details: Any) -> Any:
        """The handler of a call; requests and responses are raw bytes."""
        route = self._routes.get(details.method)
        if route is None:
            handler = _refusing(unknown_path(details.method, self._services))
        else:
            handler = self._answering(details.method, route)
        return grpc.unary_unary_rpc_method_handler(handler)

    def close(self) -> None:
        """Waits for running calls and cancels pending ones."""
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

    def _ask(self, path: str, route: Route, metadata: Metadata, request: bytes) -> Answer:
        height = 0
        try:
            height = self._height(metadata)
            response = route(request, height)
        except IbcError as error:
            return Answer(height, refusal(error))
        except Exception as error:  # noqa: BLE001 - a bug in a query must not stop the node
            self._complaints.say(path, f"gRPC {path} failed", level=logging.ERROR, error=error)
            return Answer(height, Refusal(grpc.StatusCode.INTERNAL, "the query failed"))
        if len(response) > self._limits.response_bytes:
            text = (
                f"an answer of {len(response)} bytes, at most {self._limits.response_bytes}: ask for a page"
            )
            return Answer(height, Refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, text))
        return Answer(height, response)

    def _height(self, metadata: Metadata) -> int:
        asked, last = asked_height(metadata), self._latest()
        if asked > last:
            raise InvalidRequest(f"cannot query with height in the future: {asked}, the last is {last}")
        return asked or last


def _refusing(said: Refusal) -> _Handler:
    async def answer(_request: bytes, context: Any) -> bytes:
        return await _end(context, said)

    return answer


async def _end(context: Any, said: Refusal) -> NoReturn:
    await context.abort(said.code, said.text)
    raise RuntimeError("abort returned")
