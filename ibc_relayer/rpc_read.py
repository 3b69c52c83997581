"""Decodes a node's answers: whatever is wrong with one is raised as MalformedAnswer."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from google.protobuf.message import DecodeError

from ibc_core.comet_json.fields import read_integer
from ibc_core.errors import IbcError
from ibc_relayer.errors import MalformedAnswer, RelayerError
from ibc_relayer.rpc_calls import Call, Doubting, Json, Rpc, call_many, result_of

_V = TypeVar("_V")


def read_answer(chain_id: str, query: str, reader: Callable[[], _V], teller: object = None) -> _V:
    """The result of `reader`, which decodes an answer to `query`.

    `teller`: whose answer it is, the last of this thread: of several nodes the one that gave it is doubted.

    Raises:
        MalformedAnswer: the answer cannot be decoded.
    """
    try:
        return _read(chain_id, query, reader)
    except MalformedAnswer as error:
        raise doubted(teller, error) from error.__cause__


def doubted(teller: object, error: MalformedAnswer) -> MalformedAnswer:
    """The error about the last answer that `teller` gave this thread, told to it if it is `Doubting`."""
    if isinstance(teller, Doubting):
        # guard: h241-the-pool-is-not-told drop
        #   test_h241_a_node_whose_transactions_are_not_those_of_its_header_is_passed_over
        #   test_h241_whatever_is_read_of_it
        teller.doubt(error)
    return error


@dataclass(frozen=True)
class DoubtingQuery:
    """A gRPC query of a chain, which is `Doubting`."""

    query: Callable[[str, bytes], bytes]
    doubt: Callable[[RelayerError], None]

    def __call__(self, path: str, request: bytes) -> bytes:
        """The answer to a request."""
        return self.query(path, request)


def _read(chain_id: str, query: str, reader: Callable[[], _V]) -> _V:
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
_PAGES = MAX_VALIDATORS // PER_PAGE


def signed_at(rpc: Rpc, chain_id: str, height: int) -> tuple[Json, list[Json]]:
    """The answer to `commit`, and all pages of the validators of a block; the first is asked for with it.

    Raises:
        EndpointUnavailable, EndpointRefused: the node does not give them.
        MalformedAnswer: they are not of the form, or more than `MAX_VALIDATORS`.
    """
    commit, first = map(result_of, call_many(rpc, signed_questions(height)))
    return commit, _all_pages(rpc, chain_id, height, first)


def signed_questions(height: int) -> list[Call]:
    """For the commit of a block, and the first page of its validators."""
    return [Call("commit", {"height": str(height)}), _validators(height, 1)]


def validators_at(rpc: Rpc, chain_id: str, height: int) -> list[Json]:
    """All pages of the validators of a block. Raises as `signed_at`."""
    question = _validators(height, 1)
    return _all_pages(rpc, chain_id, height, rpc.call(question.method, **question.params))


def _all_pages(rpc: Rpc, chain_id: str, height: int, answer: Json) -> list[Json]:
    found: list[Json] = []
    for page in range(1, _PAGES + 1):
        members, total = read_answer(chain_id, "validators", partial(page_of, answer), rpc)
        found += members
        if len(found) >= total or not members:
            return found
        if page < _PAGES:
            question = _validators(height, page + 1)
            answer = rpc.call(question.method, **question.params)
    raise MalformedAnswer(chain_id, "validators", f"more than {MAX_VALIDATORS}")


def _validators(height: int, page: int) -> Call:
    return Call("validators", {"height": str(height), "page": str(page), "per_page": str(PER_PAGE)})


def page_of(answer: Json) -> tuple[list[Json], int]:
    """The validators in an answer, and how many there are on all pages.

    Raises:
        ValueError, KeyError, TypeError: it is malformed.
    """
    # guard: h231-any-number-of-pages {read_integer => int} test_h231_pages_of_no_number_are_malformed
    return list(answer["validators"]), read_integer(answer["total"])
