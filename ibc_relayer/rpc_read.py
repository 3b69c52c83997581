"""Decodes a node's answers: whatever is wrong with one is raised as MalformedAnswer."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from google.protobuf.message import DecodeError

from ibc_core.comet_json.fields import read_integer
from ibc_core.errors import IbcError
from ibc_relayer.errors import MalformedAnswer, RelayerError
from ibc_relayer.rpc_client import Json, Rpc

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


PER_PAGE = 100
MAX_VALIDATORS = 10_000


def validators_at(rpc: Rpc, chain_id: str, height: int) -> list[Json]:
    """All pages of the validators of a block.

    Raises:
        EndpointUnavailable, EndpointRefused: the node does not give them.
        MalformedAnswer: they are not of the form, or more than `MAX_VALIDATORS`.
    """
    found: list[Json] = []
    for page in range(1, MAX_VALIDATORS // PER_PAGE + 1):
        answer = rpc.call("validators", height=str(height), page=str(page), per_page=str(PER_PAGE))
        members, total = read_answer(chain_id, "validators", partial(_page_of, answer))
        found += members
        if len(found) >= total or not members:
            return found
    raise MalformedAnswer(chain_id, "validators", f"more than {MAX_VALIDATORS}")


def _page_of(answer: Json) -> tuple[list[Json], int]:
    return list(answer["validators"]), read_integer(answer["total"])
