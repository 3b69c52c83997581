"""`pyibc.queue.v1.Query`: registrations, and what is in a queue."""

from collections.abc import Mapping

from ibc_core.errors import NotFound
from ibc_core.errors.queue import QueueNotFound, UnregisteredDestination
from ibc_core.host.context import ReadContext
from ibc_core.host.routes import QueryRoute
from ibc_core.queue.types import (
    REGISTRATIONS,
    STORE_NAME,
    End,
    Queue,
    is_registration_key,
    parse_name,
    registration_key,
)
from ibc_core.wire.paginate import paginate
from ibc_core.wire.requests import answering
from ibc_core.wire.states import read
from ibc_core.wire.table import unpack
from ibc_proto.pyibc.queue.v1 import query_pb2 as pb
from ibc_proto.pyibc.queue.v1 import queue_pb2
from keepers.queue.keeper import QueueKeeper

SERVICE = "/pyibc.queue.v1.Query/"


def routes(keeper: QueueKeeper) -> Mapping[str, QueryRoute]:
    """Queues by gRPC method path."""
    queries = QueueQueries(keeper)
    return {
        f"{SERVICE}Registration": answering(pb.QueryRegistrationRequest, registration),
        f"{SERVICE}Registrations": answering(pb.QueryRegistrationsRequest, registrations),
        f"{SERVICE}Queue": answering(pb.QueryQueueRequest, queries.queue),
        f"{SERVICE}Element": answering(pb.QueryElementRequest, queries.element),
        f"{SERVICE}Elements": answering(pb.QueryElementsRequest, elements),
    }


def registration(ctx: ReadContext, request: pb.QueryRegistrationRequest) -> pb.QueryRegistrationResponse:
    """How a remote end is registered. Raises UnregisteredDestination."""
    remote = unpack(End, request.remote)
    raw = ctx.reader(STORE_NAME).get(registration_key(remote))
    if raw is None:
        raise UnregisteredDestination(remote.text[:200])
    return pb.QueryRegistrationResponse(registration=read(queue_pb2.Registration, raw))


def registrations(ctx: ReadContext, request: pb.QueryRegistrationsRequest) -> pb.QueryRegistrationsResponse:
    """A page of registrations, by the text of their remote ends. Raises InvalidRequest."""
    found, page = paginate(
        ctx.reader(STORE_NAME).iterate,
        REGISTRATIONS,
        request.pagination,
        lambda _, raw: read(queue_pb2.Registration, raw),
        is_registration_key,
    )
    return pb.QueryRegistrationsResponse(registrations=found, pagination=page)


class QueueQueries:
    """Queries that ask the keeper."""

    def __init__(self, keeper: QueueKeeper) -> None:
        self._keeper = keeper

    def queue(self, ctx: ReadContext, request: pb.QueryQueueRequest) -> pb.QueryQueueResponse:
        """Head and tail of a queue. Raises QueueNotFound."""
        queue = _named(request.name)
        return pb.QueryQueueResponse(head=self._keeper.head(ctx, queue), tail=self._keeper.tail(ctx, queue))

    def element(self, ctx: ReadContext, request: pb.QueryElementRequest) -> pb.QueryElementResponse:
        """The element of an index. Raises QueueNotFound, NotFound."""
        found = self._keeper.retrieve(ctx, _named(request.name), request.index)
        if found is None:
            raise NotFound(f"element {request.index} of {request.name[:200]!a}")
        return pb.QueryElementResponse(value=found)


def elements(ctx: ReadContext, request: pb.QueryElementsRequest) -> pb.QueryElementsResponse:
    """A page of what is in a queue, first to last. Raises InvalidRequest, QueueNotFound."""
    found, page = paginate(
        ctx.reader(STORE_NAME).iterate,
        _named(request.name),
        request.pagination,
        _element,
        lambda key: len(key) == 8,
    )
    return pb.QueryElementsResponse(elements=found, pagination=page)


def _element(below: bytes, raw: bytes) -> pb.Element | None:
    return pb.Element(index=int.from_bytes(below, "big"), value=raw) if len(below) == 8 else None


def _named(name: str) -> Queue:
    if parse_name(name) is None:
        raise QueueNotFound(name[:200])
    return name.encode() + b"\0"
