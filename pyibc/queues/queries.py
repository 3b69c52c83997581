"""Query service of queues (`pyibc.queue.v1.Query`): registrations, queues, elements."""

from pyibc.core.errors import NotFound
from pyibc.core.host.context import ReadContext
from pyibc.core.wire.requests import paginate
from pyibc.core.wire.states import read
from pyibc.core.wire.table import unpack
from pyibc.proto.pyibc.queue.v1 import query_pb2 as pb
from pyibc.proto.pyibc.queue.v1 import queue_pb2
from pyibc.queues.errors import QueueNotFound, UnregisteredDestination
from pyibc.queues.keepers import QueueKeeper
from pyibc.queues.types import (
    REGISTRATIONS,
    STORE_NAME,
    End,
    Queue,
    is_registration_key,
    parse_name,
    registration_key,
)


class QueueQueries:
    """Queries that need the keeper."""

    def __init__(self, keeper: QueueKeeper) -> None:
        self._keeper = keeper

    def registration(
        self, ctx: ReadContext, request: pb.QueryRegistrationRequest
    ) -> pb.QueryRegistrationResponse:
        """Return the registration of a remote end. Raises UnregisteredDestination."""
        remote = unpack(End, request.remote)
        raw = ctx.reader(STORE_NAME).get(registration_key(remote))
        if raw is None:
            raise UnregisteredDestination(remote.text[:200])
        return pb.QueryRegistrationResponse(registration=read(queue_pb2.Registration, raw))

    def registrations(
        self, ctx: ReadContext, request: pb.QueryRegistrationsRequest
    ) -> pb.QueryRegistrationsResponse:
        """Return a page of registrations, ordered by the text of their remote ends. Raises InvalidRequest."""
        found, page = paginate(
            ctx.reader(STORE_NAME).iterate,
            REGISTRATIONS,
            request.pagination,
            lambda _, raw: read(queue_pb2.Registration, raw),
            is_registration_key,
        )
        return pb.QueryRegistrationsResponse(registrations=found, pagination=page)

    def elements(self, ctx: ReadContext, request: pb.QueryElementsRequest) -> pb.QueryElementsResponse:
        """Return a page of a queue's elements, first to last. Raises InvalidRequest, QueueNotFound."""
        found, page = paginate(
            ctx.reader(STORE_NAME).iterate,
            _named(request.name),
            request.pagination,
            _element,
            lambda key: len(key) == 8,
        )
        return pb.QueryElementsResponse(elements=found, pagination=page)

    def queue(self, ctx: ReadContext, request: pb.QueryQueueRequest) -> pb.QueryQueueResponse:
        """Return head and tail of a queue. Raises QueueNotFound."""
        queue = _named(request.name)
        return pb.QueryQueueResponse(head=self._keeper.head(ctx, queue), tail=self._keeper.tail(ctx, queue))

    def element(self, ctx: ReadContext, request: pb.QueryElementRequest) -> pb.QueryElementResponse:
        """Return the element at an index. Raises QueueNotFound, NotFound."""
        found = self._keeper.retrieve(ctx, _named(request.name), request.index)
        if found is None:
            raise NotFound(f"element {request.index} of {request.name[:200]!a}")
        return pb.QueryElementResponse(value=found)


def _element(below: bytes, raw: bytes) -> pb.Element | None:
    return pb.Element(index=int.from_bytes(below, "big"), value=raw) if len(below) == 8 else None


def _named(name: str) -> Queue:
    if parse_name(name) is None:
        raise QueueNotFound(name[:200])
    return name.encode() + b"\0"
