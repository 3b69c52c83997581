"""protobuf's Any as a value."""

from ibc_core.value import value


@value
class AnyMessage:
    """A type URL and the bytes of a message of that type."""

    type_url: str
    value: bytes
