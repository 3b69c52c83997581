"""Questions to a chain by gRPC: whatever is wrong with an answer is a MalformedAnswer."""

from collections.abc import Callable, Iterator
from typing import TypeVar

from google.protobuf.message import Message

from ibc_proto.cosmos.base.query.v1beta1.pagination_pb2 import PageRequest, PageResponse
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.errors import MalformedAnswer
from ibc_relayer.rpc_read import doubted, read_answer

PAGE = 1000
"""Entries of a page."""
MAX_PAGES = 10_000
"""Of one answer: a node that never comes to its end would hold the relayer for ever."""

_M = TypeVar("_M", bound=Message)


def ask(endpoint: ChainEndpoint, path: str, request: Message | None, kind: type[_M]) -> _M:
    """The answer to one question.

    Raises:
        MalformedAnswer: it is no `kind`.
        EndpointUnavailable, IbcError: as `ChainEndpoint.grpc`.
    """
    raw = endpoint.grpc(path, b"" if request is None else request.SerializeToString())
    return read_answer(endpoint.chain_id, path, lambda: kind.FromString(raw), endpoint)


def ask_all(
    endpoint: ChainEndpoint, path: str, make: Callable[[PageRequest], Message], kind: type[_M]
) -> Iterator[_M]:
    """The answer to a question, page by page.

    Args:
        endpoint: The chain.
        path: The gRPC method.
        make: The request for a page.
        kind: Its answers, with a field `pagination`.

    Raises:
        MalformedAnswer: a page is no `kind`, or says the key that was asked for, or there are too many.
        EndpointUnavailable, IbcError: as `ChainEndpoint.grpc`.
    """
    page = PageRequest(limit=PAGE)
    for _ in range(MAX_PAGES):
        answer = ask(endpoint, path, make(page), kind)
        yield answer
        said: PageResponse = answer.pagination  # type: ignore[attr-defined]
        if not said.next_key:
            return
        if said.next_key == page.key:
            raise doubted(endpoint, MalformedAnswer(endpoint.chain_id, path, "a page leads to itself"))
        page.key = said.next_key
    raise doubted(endpoint, MalformedAnswer(endpoint.chain_id, path, f"more than {MAX_PAGES} pages"))
