"""Decoding of gRPC requests and encoding of responses."""

import sys
from collections.abc import Callable, Iterable, Iterator
from inspect import signature
from itertools import islice
from typing import Any, TypeVar

from google.protobuf.message import DecodeError, Message

from pyibc.codec.encoding import encode
from pyibc.core.errors import InvalidIdentifier, InvalidRequest
from pyibc.core.host.context import QueryRoute, ReadContext, prefix_end
from pyibc.proto.cosmos.base.query.v1beta1.pagination_pb2 import PageRequest, PageResponse

_M = TypeVar("_M", bound=Message)


def answering(cls: type[_M], answer: Callable[[ReadContext, _M], Message]) -> QueryRoute:
    """Return the route of a query with a request of class `cls`.

    Unknown fields are ignored, as by Go's gRPC servers. The route raises InvalidRequest for malformed
    bytes, and the errors of `answer`.
    """

    def route(ctx: ReadContext, raw: bytes) -> bytes:
        return encode(answer(ctx, parse_request(cls, raw)))

    return route


def query_routes(service: object) -> dict[str, QueryRoute]:
    """Return the routes of all public methods of a service's class, by gRPC method path."""
    return {path: answering(request, answer) for path, request, answer in grpc_methods(service)}


def grpc_methods(service: object, name: str = "Query") -> Iterator[tuple[str, Any, Callable[..., Any]]]:
    """Yield path, type of request and bound method of all public methods of a service's class.

    The annotation of a method's last parameter is the request: `QueryBalanceRequest` of the protobuf package
    `cosmos.bank.v1beta1` is that of `/cosmos.bank.v1beta1.Query/Balance`.
    """
    for own in vars(type(service)):
        if not own.startswith("_"):
            method = getattr(service, own)
            request = [*signature(method).parameters.values()][-1].annotation
            rpc = request.DESCRIPTOR.name.removeprefix("Query").removesuffix("Request")
            yield f"/{request.DESCRIPTOR.file.package}.{name}/{rpc}", request, method


def parse_request(cls: type[_M], raw: bytes) -> _M:
    """Return a request; unknown fields are ignored. Raises InvalidRequest."""
    try:
        return cls.FromString(raw)
    except DecodeError:
        raise InvalidRequest(f"malformed {cls.DESCRIPTOR.full_name}") from None


def require_identifier(validate: Callable[[str], None], text: str) -> None:
    """Check an identifier in a request with a validator of `pyibc.core.identifiers`.

    Raises:
        InvalidRequest: the identifier is malformed.
    """
    try:
        validate(text)
    except InvalidIdentifier as error:
        raise InvalidRequest(str(error)) from None


# -- pagination of store entries, as the Cosmos SDK's `query.Paginate` and `FilteredPaginate`

_V = TypeVar("_V")
_T = TypeVar("_T")

DEFAULT_LIMIT = 100
"""Page size if the request sets no limit; such a page also counts the total."""

_EVERYTHING = sys.maxsize
"""Upper bound of limits and offsets: clients request 2^32-1 or 2^64-1 entries to get all of them."""

Scan = Callable[[bytes, bytes | None], Iterable[tuple[bytes, _V]]]
"""(start, end) -> entries with `start <= key < end` in key order, as `ReadStore.iterate`."""


def paginate(
    scan: Scan[_V],
    prefix: bytes,
    page: PageRequest,
    read: Callable[[bytes, _V], _T | None],
    is_key: Callable[[bytes], bool],
) -> tuple[list[_T], PageResponse]:
    """Return one page of the entries below `prefix`, in key order, or reversed if `reverse` is set.

    A page key is the key, without the prefix, of the page's first entry. It need not exist any more:
    entries may be deleted between two pages.

    Entries for which `read` returns None are neither counted nor returned, and no page begins with one. (In
    filtered lists, ibc-go returns some beyond the offset's page; this is not imitated.)

    Args:
        scan: The store.
        prefix: The prefix of the list's keys.
        page: The request. The default message requests the first page.
        read: (key without the prefix, value) -> item; None: not in the list.
        is_key: Predicate of bytes that have the form of a key without the prefix.

    Raises:
        InvalidRequest: key and offset are both set, or the key is malformed.
    """
    _check(page, is_key)
    hits = _hits(_scan_from(scan, prefix, page), len(prefix), read)
    limit, count_total = min(page.limit or DEFAULT_LIMIT, _EVERYTHING), page.count_total or not page.limit
    skipped = sum(1 for _ in islice(hits, min(page.offset, _EVERYTHING)))
    items = [item for _, item in islice(hits, limit)]
    beyond = next(hits, None)
    response = PageResponse(next_key=beyond[0] if beyond else b"")
    if count_total and not page.key:
        response.total = skipped + len(items) + (1 + sum(1 for _ in hits) if beyond else 0)
    return items, response


def _check(page: PageRequest, is_key: Callable[[bytes], bool]) -> None:
    if not page.key:
        return
    if page.offset:
        raise InvalidRequest("pagination: either offset or key is expected, got both")
    if not is_key(page.key):
        raise InvalidRequest(f"pagination.key {page.key[:64].hex()} is no key of this list")


def _scan_from(scan: Scan[_V], prefix: bytes, page: PageRequest) -> Iterable[tuple[bytes, _V]]:
    """Return the entries of this page and of all pages after it."""
    if not page.reverse:
        return scan(prefix + page.key, prefix_end(prefix))
    end = prefix + page.key + b"\0" if page.key else prefix_end(prefix)  # includes the key itself
    return reversed(list(scan(prefix, end)))


def _hits(
    entries: Iterable[tuple[bytes, _V]], cut: int, read: Callable[[bytes, _V], _T | None]
) -> Iterator[tuple[bytes, _T]]:
    for key, stored in entries:
        item = read(key[cut:], stored)
        if item is not None:
            yield key[cut:], item
