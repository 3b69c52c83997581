"""Decodes a node's answers: whatever is wrong with one is raised as MalformedAnswer."""

from collections.abc import Callable
from typing import TypeVar

from google.protobuf.message import DecodeError

from ibc_core.errors import IbcError
from ibc_relayer.errors import MalformedAnswer, RelayerError
from ibc_relayer.rpc_client import Json

_V = TypeVar("_V")


def read_answer(chain_id: str, query: str, reader: Callable[[], _V]) -> _V:
    """The result of `reader`, which decodes an answer to `query`.

    Raises:
        MalformedAnswer: the answer cannot be decoded.
    """
    try:
        return reader()
    except (ValueError, KeyError, TypeError, AttributeError, StopIteration, DecodeError) as error:
        reason = f"{type(error).__name__} {error}"[:200]
        raise MalformedAnswer(chain_id, query, reason) from error
    except RelayerError:
        raise
    except IbcError as error:
        raise MalformedAnswer(chain_id, query, str(error)) from error


def node_of(status: Json) -> tuple[str, str]:
    """Chain id and version of a node, from its `status`.

    Raises:
        MalformedAnswer: the fields are missing.
    """
    try:
        return str(status["node_info"]["network"]), str(status["node_info"]["version"])
    except (KeyError, TypeError) as error:
        raise MalformedAnswer("node", "status", str(error)) from error
