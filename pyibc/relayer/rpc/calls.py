"""JSON-RPC calls to a node, one by one or in a batch."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from pyibc.codec.comet_json import Json
from pyibc.relayer.errors import EndpointUnavailable, RelayerError

_V = TypeVar("_V")


class Call(NamedTuple):
    """Method and parameters of a call."""

    method: str
    params: dict[str, Any]


def abci_query_call(path: str, data: bytes, height: int | None = None, *, prove: bool = False) -> Call:
    """Build an ABCI query of the state after block `height`; None: after the node's last block."""
    at = {} if height is None else {"height": str(height)}
    return Call("abci_query", {"path": path, "data": data.hex(), **at, **({"prove": True} if prove else {})})


class Rpc(ABC):
    """JSON-RPC client of a node, or of the nodes of one chain."""

    @abstractmethod
    def call(self, method: str, **params: Any) -> Json:
        """Call a method and return its result.

        Raises:
            EndpointUnavailable: the node does not answer.
            EndpointRefused: the node answers with an error.
            MalformedAnswer: the response is not JSON-RPC.
        """

    def call_many(self, calls: Sequence[Call]) -> list[Json | RelayerError]:
        """Return the result or error of each call; none of them may be a broadcast.

        Once the node does not answer, the remaining calls get the same error without being sent. Clients that
        support batches make the calls in one request; this one makes them one by one.
        """
        found = list[Json | RelayerError]()
        for call in calls:
            found.append(call_outcome(self, call))
            if isinstance(found[-1], EndpointUnavailable):
                break
        return found + found[-1:] * (len(calls) - len(found))

    def report_malformed(self, error: RelayerError) -> None:  # noqa: B027 - of one node there is no other
        """Report that the last response given to this thread could not be decoded, and why.

        A pool names the node and asks it last; with one node there is nothing to do.
        """

    def close(self) -> None:  # noqa: B027 - not all hold connections
        """Close all connections; a later call opens new ones."""


def call_outcome(rpc: Rpc, call: Call) -> Json | RelayerError:
    """Return the result of a call, or the RelayerError that it raises."""
    return outcome_of(lambda: rpc.call(call.method, **call.params))


def outcome_of(read: Callable[[], _V]) -> _V | RelayerError:
    """Return what `read` returns, or the RelayerError that it raises."""
    try:
        return read()
    except RelayerError as error:
        return error


def result_of(outcome: _V | RelayerError) -> _V:
    """Return the result, or raise the error."""
    if isinstance(outcome, RelayerError):
        raise outcome
    return outcome
