"""gRPC queries of a chain; each decoding error becomes MalformedAnswer."""

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, TypeVar

from google.protobuf.message import Message

from pyibc.proto.cosmos.base.query.v1beta1.pagination_pb2 import PageRequest, PageResponse
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.errors import MalformedAnswer
from pyibc.relayer.rpc.reading import read_answer, reported

PAGE_SIZE = 1000
"""Entries per page."""
MAX_PAGES = 10_000
"""Maximum pages per query, so that a faulty node cannot page forever."""

_V = TypeVar("_V")
_M = TypeVar("_M", bound=Message)


def read_of(endpoint: ChainEndpoint, query: str, reader: Callable[[], _V]) -> _V:
    """Call `reader`, which decodes an endpoint's response to `query`; report and raise MalformedAnswer."""
    return read_answer(endpoint.chain_id, query, reader, endpoint.extras.report_malformed)


def ask(endpoint: ChainEndpoint, path: str, request: Message | None, kind: type[_M]) -> _M:
    """Make a gRPC query and decode the response as `kind`.

    Raises:
        MalformedAnswer: the response cannot be decoded.
        EndpointUnavailable, IbcError: as `ChainEndpoint.grpc`.
    """
    raw = endpoint.grpc(path, b"" if request is None else request.SerializeToString())
    return read_of(endpoint, path, lambda: kind.FromString(raw))


def malformed(endpoint: ChainEndpoint, query: str, reason: str) -> MalformedAnswer:
    """Return the error of a response to `query` that was decoded and is wrong, after it was reported."""
    error = MalformedAnswer(endpoint.chain_id, query, reason)
    # guard: h241-who-gives-no-height-is-believed-again {endpoint.extras.report_malformed => None}
    #   test_h241_commitments_of_no_height
    return reported(endpoint.extras.report_malformed, error)


def ask_all(
    endpoint: ChainEndpoint, path: str, make: Callable[[PageRequest], Message], kind: type[_M]
) -> Iterator[_M]:
    """Make a paginated gRPC query; yield the responses.

    Args:
        endpoint: the chain.
        path: the gRPC method.
        make: builds the request for a page.
        kind: the response type, with a field `pagination`.

    Raises:
        MalformedAnswer: a page cannot be decoded, its next key is its own key, or there are too many pages.
        EndpointUnavailable, IbcError: as `ChainEndpoint.grpc`.
    """
    page = PageRequest(limit=PAGE_SIZE)
    for _ in range(MAX_PAGES):
        answer = ask(endpoint, path, make(page), kind)
        yield answer
        pagination: PageResponse = answer.pagination  # type: ignore[attr-defined]
        if not pagination.next_key:
            return
        if pagination.next_key == page.key:
            raise malformed(endpoint, path, "the next key of a page is its own key")
        page.key = pagination.next_key
    raise malformed(endpoint, path, f"more than {MAX_PAGES} pages")


# -- queries of a generated module by their names: path, request and response of each have the same one


def ask_named(endpoint: ChainEndpoint, pb: ModuleType, query: str, **fields: Any) -> Any:
    """Make a query of the service Query of `pb`, a module of .proto; `fields` are those of the request.

    Raises:
        MalformedAnswer, EndpointUnavailable, IbcError: as `ask`.
    """
    path, request, response = _named(pb, query)
    return ask(endpoint, path, request(**fields), response)


def ask_pages(endpoint: ChainEndpoint, pb: ModuleType, query: str, **fields: Any) -> Iterator[Any]:
    """Make a paginated query like `ask_named`; yield the responses. Raises as `ask_all`."""
    path, request, response = _named(pb, query)
    return ask_all(endpoint, path, lambda page: request(**fields, pagination=page), response)


def ask_entries(
    endpoint: ChainEndpoint, pb: ModuleType, query: str, listed: str, **fields: Any
) -> Iterator[Any]:
    """Make a paginated query like `ask_named`; yield what its responses have in the field `listed`."""
    return (each for page in ask_pages(endpoint, pb, query, **fields) for each in getattr(page, listed))


def _named(pb: ModuleType, query: str) -> tuple[str, Any, Any]:
    """Return the path of a query, and the types of its request and response."""
    request, response = (getattr(pb, f"Query{query}{part}") for part in ("Request", "Response"))
    return f"/{pb.DESCRIPTOR.package}.Query/{query}", request, response


# -- backoff for optional queries: after a refusal, an alternative is used a number of times before a retry

UNKNOWN_BACKOFF = 1_000
"""Uses of the alternative after the node refused the query as unknown."""
REFUSED_BACKOFF = 8
"""Uses of the alternative after any other refusal, or a malformed response."""

UNKNOWN_QUERY = ("sdk", 6)
"""Codespace and code of the SDK, and of pyibc, for a query that no module supports."""


class QuerySupport:
    """Support of one optional query by one chain. For any thread: a race costs one useless query."""

    def __init__(self) -> None:
        """Assume that the query is supported."""
        self._uses_left = 0

    def should_try(self) -> bool:
        """Return whether to try the query now; if not, count one use of the alternative."""
        if self._uses_left <= 0:
            return True
        self._uses_left -= 1
        return False

    def record_refusal(self, *, is_unknown: bool = True) -> None:
        """Record a refusal or a malformed response.

        Args:
            is_unknown: the node does not support the query, so it is retried later than after other refusals.
        """
        self._uses_left = UNKNOWN_BACKOFF if is_unknown else REFUSED_BACKOFF
