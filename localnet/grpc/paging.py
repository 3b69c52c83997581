"""Pages of lists that are no store: numbers and offsets instead of keys."""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from ibc_core.errors import InvalidRequest
from ibc_proto.cosmos.base.query.v1beta1.pagination_pb2 import PageRequest, PageResponse

_T = TypeVar("_T")

DEFAULT_LIMIT = 100
MAX_LIMIT = 1_000
"""Entries on a page: transactions and blocks are large."""


class Page(NamedTuple):
    """Which part of a list is asked for."""

    number: int  # from 1
    limit: int


def page_of(number: int, limit: int, pagination: PageRequest) -> Page:
    """The page that a search names, by number or by the older `pagination.offset`.

    Raises:
        InvalidRequest: a page key, or an offset inside a page.
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
    """A page of a list in memory, by offset and limit; its key is the next offset (8 bytes).

    Raises:
        InvalidRequest: a key that is none.
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
