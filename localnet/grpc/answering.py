"""Conversion of typed methods to functions of bytes."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from google.protobuf.message import DecodeError, Message

from pyibc.codec.encoding import encode
from pyibc.core.errors import InvalidRequest
from pyibc.proto.cosmos.base.query.v1beta1.pagination_pb2 import PageRequest, PageResponse

_M = TypeVar("_M", bound=Message)

Method = Callable[[bytes], bytes]


def method(cls: type[_M], answer: Callable[[_M], Message]) -> Method:
    """Return a method with request type `cls` as a function of bytes.

    It raises InvalidRequest for malformed requests, and errors of `answer`.
    """

    def call(raw: bytes) -> bytes:
        try:
            request = cls.FromString(raw)
        except DecodeError:
            raise InvalidRequest(f"malformed {cls.DESCRIPTOR.full_name}") from None
        return encode(answer(request))

    return call


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
