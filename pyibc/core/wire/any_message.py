"""google.protobuf.Any as a value."""

from pyibc.core.value import value


@value
class AnyMessage:
    """A type URL and the bytes of a message of that type."""

    type_url: str
    value: bytes


NO_ANY = AnyMessage("", b"")
"""Placeholder for an absent field. Compare it by identity: a message may contain an equal Any."""
