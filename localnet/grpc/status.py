"""Refusals as gRPC statuses."""

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
"""Characters of a refusal: it travels in a header, and clients take 8 KiB of those."""


class Refusal(NamedTuple):
    """How a call ends that is not answered."""

    code: grpc.StatusCode
    text: str


def refusal(error: IbcError) -> Refusal:
    """The status and text of a refusal."""
    if isinstance(error, (EndpointUnavailable, MalformedAnswer)):
        status = Status.UNAVAILABLE
    else:
        status = status_of(error)
    return Refusal(_CODES[status], str(error)[:_TEXT_LIMIT])


def unknown_path(path: str, services: frozenset[str]) -> Refusal:
    """No such method, in the words of grpc-go, which relayers search for."""
    service, slash, method = path.removeprefix("/").rpartition("/")
    if not slash:
        text = f"malformed method name: {path[:200]!a}"
    elif service in services:
        text = f"unknown method {method[:200]} for service {service}"
    else:
        text = f"unknown service {service[:200]}"
    return Refusal(grpc.StatusCode.UNIMPLEMENTED, text)
