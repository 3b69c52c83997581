"""Questions to a node, one at a time or several by one request."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from ibc_relayer.errors import EndpointUnavailable, RelayerError

Json = dict[str, Any]


class Rpc(Protocol):
    """A JSON-RPC client."""

    def call(self, method: str, **params: Any) -> Json:
        """The result of a call.

        Raises:
            EndpointUnavailable: no answer.
            EndpointRefused: the node answers with an error.
            MalformedAnswer: the answer is not JSON-RPC.
        """

    def close(self) -> None:
        """Closes the connection."""


class Call(NamedTuple):
    """A question to a node."""

    method: str
    params: dict[str, Any]


@runtime_checkable
class BatchRpc(Protocol):
    """A client that asks several questions by one request."""

    def call_many(self, calls: Sequence[Call]) -> list[Json | RelayerError]:
        """What `Rpc.call` returns or raises for each; none of them is a broadcast.

        Once the node is silent it is asked for no more: the rest has the same error.
        """


@runtime_checkable
class Doubting(Protocol):
    """Who has answers of several nodes, and hears of those that turn out to be none when they are read."""

    def doubt(self, error: RelayerError) -> None:
        """The last answer that the calling thread was given cannot be read, and this is why."""


def call_many(rpc: Rpc, calls: Sequence[Call]) -> list[Json | RelayerError]:
    """`BatchRpc.call_many`, one after the other where the client knows nothing else."""
    if isinstance(rpc, BatchRpc):
        return rpc.call_many(calls)
    found = list[Json | RelayerError]()
    for call in calls:
        found.append(outcome_of(rpc, call))
        if isinstance(found[-1], EndpointUnavailable):
            break
    return found + found[-1:] * (len(calls) - len(found))


def outcome_of(rpc: Rpc, call: Call) -> Json | RelayerError:
    """What a call returns or raises."""
    try:
        return rpc.call(call.method, **call.params)
    except RelayerError as error:
        return error


def result_of(outcome: Json | RelayerError) -> Json:
    """The result; raises the error if it is one."""
    if isinstance(outcome, RelayerError):
        raise outcome
    return outcome
