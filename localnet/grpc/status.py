"""gRPC statuses of errors."""

from typing import NamedTuple

import grpc

from ibc_core.errors import IbcError
from ibc_relayer.errors import EndpointUnavailable, MalformedAnswer
from localnet.host.grpc_status import Status, status_of

_CODES = {
    Status.UNKNOWN: grpc.StatusCode.UNKNOWN,
    Status.INVALID_ARGUMENT: grpc.StatusCode.INVALID_ARGUMENT,
    Status.NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    Status.UNIMPLEMENTED: grpc.StatusCode.UNIMPLEMENTED,
    Status.UNAVAILABLE: grpc.StatusCode.UNAVAILABLE,
}
_TEXT_LIMIT = 2_000
"""Maximum characters of an error: it is sent as a header, which clients limit to 8 KiB."""


class Refusal(NamedTuple):
    """The status and message of a failed call."""

    code: grpc.StatusCode
    text: str


def refusal(error: IbcError) -> Refusal:
    """Status and message of an error."""
    if isinstance(error, (EndpointUnavailable, MalformedAnswer)):
        status = Status.UNAVAILABLE
    else:
        status = status_of(error)
    return Refusal(_CODES[status], str(error)[:_TEXT_LIMIT])


def unknown_path(path: str, services: frozenset[str]) -> Refusal:
    """The error for an unknown method, with grpc-go's wording, which relayers parse."""
    service, slash, method = path.removeprefix("/").rpartition("/")
    if not slash:
        text = f"malformed method name: {path[:200]!a}"
    elif service in services:
        text = f"unknown method {method[:200]} for service {service}"
    else:
        text = f"unknown service {service[:200]}"
    return Refusal(grpc.StatusCode.UNIMPLEMENTED, text)
