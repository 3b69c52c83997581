"""Pagination of lists that are not stores: by page number or offset instead of key."""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from ibc_core.errors import InvalidRequest
from ibc_proto.cosmos.base.query.v1beta1.pagination_pb2 import PageRequest, PageResponse

_T = TypeVar("_T")

DEFAULT_LIMIT = 100
MAX_LIMIT = 1_000
"""Maximum entries per page: transactions and blocks are large."""


class Page(NamedTuple):
    """The requested part of a list."""

    number: int  # from 1
    limit: int


def page_of(number: int, limit: int, pagination: PageRequest) -> Page:
    """The requested page, by number or by the older `pagination.offset`.

    Raises:
        InvalidRequest: a key is given, or the offset is not a multiple of the limit.
    """
    if pagination.key:
        raise InvalidRequest("pagination.key: this list has no keys; name page and limit")
    size = min(limit or pagination.limit or DEFAULT_LIMIT, MAX_LIMIT)
    if number or not pagination.offset:
        return Page(number or 1, size)
    if pagination.offset % size:
        raise InvalidRequest(f"pagination.offset {pagination.offset} is no multiple of the limit {size}")
    return Page(pagination.offset // size + 1, size)


def cut(items: Sequence[_T], pagination: PageRequest) -> tuple[Sequence[_T], PageResponse]:
    """A page of an in-memory list, by offset and limit; the page key is the next offset (8 bytes).

    Raises:
        InvalidRequest: the key is invalid.
    """
    if pagination.key and (len(pagination.key) != 8 or pagination.offset):
        raise InvalidRequest("pagination.key is no key of this list")
    start = int.from_bytes(pagination.key, "big") if pagination.key else pagination.offset
    ordered = items[::-1] if pagination.reverse else items
    end = start + min(pagination.limit or DEFAULT_LIMIT, MAX_LIMIT)
    response = PageResponse(next_key=end.to_bytes(8, "big") if end < len(items) else b"")
    if pagination.count_total or not pagination.limit:
        response.total = len(items)
    return ordered[start:end], response
