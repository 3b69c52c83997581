"""Errors of the live index's server."""

from typing import ClassVar

from pyibc.indexer.errors import IndexerError


class BadQuery(IndexerError):
    """Malformed query string of a request."""

    reason: str
    code: ClassVar[int] = 23
    text: ClassVar[str] = "{reason}"


class Busy(IndexerError):
    """Temporary failure of a request."""

    reason: str
    code: ClassVar[int] = 24
    text: ClassVar[str] = "try again: {reason}"
