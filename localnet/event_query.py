"""CometBFT's event queries: `type.key = 'value' AND type.key = 'value' ...`."""

import re
from binascii import unhexlify
from typing import NamedTuple

from ibc_core.errors import InvalidRequest
from ibc_core.numbers import MAX_I64

MAX_QUERY = 4_096
"""Maximum characters of a query."""

_CONDITION = re.compile(
    r"\s*(?P<key>[A-Za-z0-9_\-./]+)\s*(?P<op><=|>=|=|<|>)\s*(?:'(?P<text>[^']*)'|(?P<number>[0-9]{1,19}))\s*\Z",
    re.ASCII | re.DOTALL,
)
_AND = re.compile(r"\s+AND\s+(?=(?:[^']*'[^']*')*[^']*\Z)", re.DOTALL)  # not inside quotes
_HEIGHTS = {"tx.height", "block.height"}


class EventQuery(NamedTuple):
    """A parsed query; all conditions must hold."""

    attributes: tuple[tuple[str, str], ...]  # `type.key` and the required value
    first: int  # lowest height
    last: int  # highest height
    digest: bytes | None  # transaction hash, if the query has a condition on it


def parse_query(text: str) -> EventQuery:
    """Parses a query.

    Raises:
        InvalidRequest: malformed, or a comparison other than on `tx.height` and `block.height`.
    """
    if len(text) > MAX_QUERY:
        raise InvalidRequest(f"the query has {len(text)} characters, at most {MAX_QUERY}")
    query = EventQuery((), 0, MAX_I64, None)
    for part in _AND.split(text):
        found = _CONDITION.match(part)
        if found is None:
            raise InvalidRequest(f"query: {part[:100]!a} is not type.key = 'value'")
        query = _with(query, found["key"], found["op"], found["text"] or found["number"] or "")
    return query


def _with(query: EventQuery, key: str, operator: str, value: str) -> EventQuery:
    if key in _HEIGHTS:
        return _bounded(query, operator, value)
    if operator != "=":
        raise InvalidRequest(f"query: {key[:100]} {operator} is not supported")
    if key == "tx.hash":
        return query._replace(digest=_digest(value))
    if "." not in key:
        raise InvalidRequest(f"query: {key[:100]} is not type.key")
    return query._replace(attributes=(*query.attributes, (key, value)))


def _bounded(query: EventQuery, operator: str, value: str) -> EventQuery:
    if not value.isdigit() or not value.isascii() or len(value) > 19:
        raise InvalidRequest(f"query: {value[:100]!a} is no height")
    height, first, last = int(value), query.first, query.last
    match operator:
        case "=":
            first, last = max(first, height), min(last, height)
        case "<":
            last = min(last, height - 1)
        case "<=":
            last = min(last, height)
        case ">":
            first = max(first, height + 1)
        case _:
            first = max(first, height)
    return query._replace(first=first, last=last)


def _digest(value: str) -> bytes:
    try:
        return unhexlify(value)
    except ValueError:
        raise InvalidRequest(f"query: {value[:100]!a} is no hash") from None
