"""JSON-RPC calls to a node, one by one or in a batch."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from pyibc.codec.comet_json import Json
from pyibc.relayer.errors import EndpointUnavailable, RelayerError


class Rpc(Protocol):
    """JSON-RPC client of a node."""

    def call(self, method: str, **params: Any) -> Json:
        """Call a method and return its result.

        Raises:
            EndpointUnavailable: the node does not answer.
            EndpointRefused: the node answers with an error.
            MalformedAnswer: the response is not JSON-RPC.
        """

    def close(self) -> None:
        """Close all connections."""


class Call(NamedTuple):
    """Method and parameters of a call."""

    method: str
    params: dict[str, Any]


@runtime_checkable
class BatchRpc(Protocol):
    """JSON-RPC client that supports batches."""

    def call_many(self, calls: Sequence[Call]) -> list[Json | RelayerError]:
        """Return the result or error of each call; none of them may be a broadcast.

        Once the node does not answer, the remaining calls get the same error without being sent.
        """


@runtime_checkable
class TracksAnswers(Protocol):
    """Client over several nodes; its caller reports responses that turn out to be malformed when decoded."""

    def report_malformed(self, error: RelayerError) -> None:
        """Report that the last response given to this thread is malformed, and why."""


def call_many(rpc: Rpc, calls: Sequence[Call]) -> list[Json | RelayerError]:
    """Call `BatchRpc.call_many`; if the client does not support batches, make the calls one by one."""
    if isinstance(rpc, BatchRpc):
        return rpc.call_many(calls)
    found = list[Json | RelayerError]()
    for call in calls:
        found.append(outcome_of(rpc, call))
        if isinstance(found[-1], EndpointUnavailable):
            break
    return found + found[-1:] * (len(calls) - len(found))


def outcome_of(rpc: Rpc, call: Call) -> Json | RelayerError:
    """Return the result of a call, or the RelayerError that it raises."""
    try:
        return rpc.call(call.method, **call.params)
    except RelayerError as error:
        return error


def result_of(outcome: Json | RelayerError) -> Json:
    """Return the result, or raise the error."""
    if isinstance(outcome, RelayerError):
        raise outcome
    return outcome
