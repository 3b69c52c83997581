"""Pages of a list in the store, cut as the Cosmos SDK's `query.Paginate` and `FilteredPaginate` cut them."""

import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

from ibc_core.errors import InvalidRequest
from ibc_core.paths import prefix_end
from ibc_proto.cosmos.base.query.v1beta1.pagination_pb2 import PageRequest, PageResponse

_V = TypeVar("_V")
_T = TypeVar("_T")

DEFAULT_LIMIT = 100
"""Entries on a page whose request names no limit; such a page also counts the whole list."""

_EVERYTHING = sys.maxsize
"""Cap of limits and offsets: clients ask for 2^32-1 or 2^64-1 entries to get them all."""

Scan = Callable[[bytes, bytes | None], Iterable[tuple[bytes, _V]]]
"""Entries with `start <= key < end` in key order, as `ReadStore.iterate`."""


def paginate(
    scan: Scan[_V],
    prefix: bytes,
    page: PageRequest,
    read: Callable[[bytes, _V], _T | None],
    is_key: Callable[[bytes], bool],
) -> tuple[list[_T], PageResponse]:
    """One page of the entries below `prefix`, in key order, or backwards if `reverse` is set.

    A page key is the key, below the prefix, of the first entry of the page. It need not be in the store
    any more: entries may be deleted between two pages.

    Entries that `read` skips are not in the list: neither counted nor returned, and no page begins with
    one. (ibc-go returns some beyond the offset's page of a filtered list; that is not copied.)

    Args:
        scan: The store.
        prefix: Where the list begins in it.
        page: What is asked for. The default message asks for the first page.
        read: Key below the prefix, value -> item of the list; None: not in the list.
        is_key: Whether bytes have the form of an entry's key below the prefix.

    Raises:
        InvalidRequest: both key and offset, or a malformed key.
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
    """The entries of this page and all after it, in its direction."""
    if not page.reverse:
        return scan(prefix + page.key, prefix_end(prefix))
    end = prefix + page.key + b"\0" if page.key else prefix_end(prefix)  # the key itself included
    return reversed(list(scan(prefix, end)))


def _hits(
    entries: Iterable[tuple[bytes, _V]], cut: int, read: Callable[[bytes, _V], _T | None]
) -> Iterator[tuple[bytes, _T]]:
    for key, stored in entries:
        item = read(key[cut:], stored)
        if item is not None:
            yield key[cut:], item
