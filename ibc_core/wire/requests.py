"""The first and last step of every gRPC query: request bytes to message, answer to bytes."""

from collections.abc import Callable
from typing import TypeVar

from google.protobuf.message import DecodeError, Message

from ibc_core.errors import InvalidIdentifier, InvalidRequest
from ibc_core.host.context import ReadContext
from ibc_core.host.routes import QueryRoute
from ibc_core.wire.encoding import encode

_M = TypeVar("_M", bound=Message)


def answering(cls: type[_M], answer: Callable[[ReadContext, _M], Message]) -> QueryRoute:
    """The route of a query that takes a `cls`: unknown fields are ignored, as Go's gRPC servers do.

    The route raises InvalidRequest for bytes that are not a `cls`, and the errors of `answer`.
    """

    def route(ctx: ReadContext, raw: bytes) -> bytes:
        return encode(answer(ctx, _parse(cls, raw)))

    return route


def _parse(cls: type[_M], raw: bytes) -> _M:
    try:
        return cls.FromString(raw)
    except DecodeError:
        raise InvalidRequest(f"malformed {cls.DESCRIPTOR.full_name}") from None


def require_identifier(validate: Callable[[str], None], text: str) -> None:
    """Checks an identifier of a request with the validator of its kind (`ibc_core.identifiers`).

    Raises:
        InvalidRequest: it is malformed.
    """
    try:
        validate(text)
    except InvalidIdentifier as error:
        raise InvalidRequest(str(error)) from None
