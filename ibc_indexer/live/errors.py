"""Errors of the index's server."""

from typing import ClassVar

from ibc_indexer.errors import IndexerError


class BadQuery(IndexerError):
    """An address asks for what is not there."""

    reason: str
    code: ClassVar[int] = 23
    text: ClassVar[str] = "{reason}"


class Busy(IndexerError):
    """The answer cannot be had now; asked again it may."""

    reason: str
    code: ClassVar[int] = 24
    text: ClassVar[str] = "try again: {reason}"
