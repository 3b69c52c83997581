"""Converts typed methods to functions of bytes."""

from collections.abc import Callable
from typing import TypeVar

from google.protobuf.message import DecodeError, Message

from ibc_core.errors import InvalidRequest
from ibc_core.wire.encoding import encode

_M = TypeVar("_M", bound=Message)

Method = Callable[[bytes], bytes]


def method(cls: type[_M], answer: Callable[[_M], Message]) -> Method:
    """A method with request type `cls`.

    Raises InvalidRequest for malformed requests, and errors of `answer`.
    """

    def call(raw: bytes) -> bytes:
        try:
            request = cls.FromString(raw)
        except DecodeError:
            raise InvalidRequest(f"malformed {cls.DESCRIPTOR.full_name}") from None
        return encode(answer(request))

    return call
