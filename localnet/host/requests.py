"""Decoding of query requests."""

from typing import TypeVar

from google.protobuf.message import DecodeError, Message

from ibc_core.errors import InvalidSdkRequest

M = TypeVar("M", bound=Message)


def parse_request(kind: type[M], raw: bytes) -> M:
    """Decodes a request; raises InvalidSdkRequest."""
    try:
        return kind.FromString(raw)
    except DecodeError:
        raise InvalidSdkRequest(f"not a {kind.DESCRIPTOR.full_name}") from None
