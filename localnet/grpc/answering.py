"""Typed methods as routes of bytes."""

from collections.abc import Callable
from typing import TypeVar

from google.protobuf.message import DecodeError, Message

from ibc_core.errors import InvalidRequest
from ibc_core.wire.encoding import encode

_M = TypeVar("_M", bound=Message)

Method = Callable[[bytes], bytes]


def method(cls: type[_M], answer: Callable[[_M], Message]) -> Method:
    """A method that takes a `cls`; raises InvalidRequest for other bytes, and what `answer` raises."""

    def call(raw: bytes) -> bytes:
        try:
            request = cls.FromString(raw)
        except DecodeError:
            raise InvalidRequest(f"malformed {cls.DESCRIPTOR.full_name}") from None
        return encode(answer(request))

    return call
