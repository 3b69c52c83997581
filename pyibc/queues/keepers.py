"""Keeper of provable queues [IBC-channels 3.2.3]: the only writer of their keys in the store `queue`.

A queue is a slice of an infinite array with the elements head <= index < tail. Removed elements are deleted,
so an element is in the store if and only if its index is in that range.
"""

from collections.abc import Mapping
from typing import NamedTuple

from keepers.client import ClientKeeper
from pyibc.core.address import AddressCodec
from pyibc.core.errors import LogicFault
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.numbers import MAX_U64, be8
from pyibc.queues.application import BoundQueueApp
from pyibc.queues.errors import AdvanceBelowHead, QueueExhausted, QueueNotFound
from pyibc.queues.packet import Binding, QueueConfig, Registration
from pyibc.queues.states import decode_binding, decode_registration, encode_binding, encode_registration
from pyibc.queues.types import (
    STORE_NAME,
    End,
    Queue,
    connection_key,
    element_key,
    head_key,
    local_key,
    registration_key,
    tail_key,
)


class QueueKeeper:
    """Queues of this chain; `pyibc.queues.types.queue_of` names a queue."""

    def init(self, ctx: WriteContext, queue: Queue) -> None:
        """Create an empty queue: head and tail are 0.

        Raises:
            LogicFault: it exists.
        """
        store = ctx.store(STORE_NAME)
        if store.has(head_key(queue)):
            raise LogicFault(f"queue {_name(queue)!a} exists already")
        store.set(head_key(queue), be8(0))
        store.set(tail_key(queue), be8(0))

    def exists(self, ctx: ReadContext, queue: Queue) -> bool:
        """Return whether the queue exists."""
        return ctx.reader(STORE_NAME).has(head_key(queue))

    def head(self, ctx: ReadContext, queue: Queue) -> int:
        """Return the index of the first element, or of the next one if the queue is empty.

        Raises:
            QueueNotFound: there is no such queue.
        """
        return _bound(ctx, queue, head_key(queue))

    def tail(self, ctx: ReadContext, queue: Queue) -> int:
        """Return the index that the next element will have.

        Raises:
            QueueNotFound: there is no such queue.
        """
        return _bound(ctx, queue, tail_key(queue))

    def peek(self, ctx: ReadContext, queue: Queue) -> bytes | None:
        """Return the first element, None if the queue is empty.

        Raises:
            QueueNotFound: there is no such queue.
        """
        return self.retrieve(ctx, queue, self.head(ctx, queue))

    def retrieve(self, ctx: ReadContext, queue: Queue, index: int) -> bytes | None:
        """Return the element at `index`, None if it is not between head and tail.

        Raises:
            QueueNotFound: there is no such queue.
        """
        element = ctx.reader(STORE_NAME).get(element_key(queue, index)) if 0 <= index <= MAX_U64 else None
        if element is None:
            self.head(ctx, queue)  # raises QueueNotFound
        return element

    def pop(self, ctx: WriteContext, queue: Queue) -> bytes | None:
        """Remove and return the first element, None if the queue is empty.

        Raises:
            QueueNotFound: there is no such queue.
        """
        head = self.head(ctx, queue)
        store, key = ctx.store(STORE_NAME), element_key(queue, head)
        element = store.get(key)
        if element is None:
            return None
        store.delete(key)
        store.set(head_key(queue), be8(head + 1))
        return element

    def push(self, ctx: WriteContext, queue: Queue, element: bytes) -> int:
        """Append an element; return its index.

        Raises:
            QueueNotFound: there is no such queue.
            QueueExhausted: the tail is 2^64-1, the last index.
        """
        index = self.tail(ctx, queue)
        if index == MAX_U64:
            raise QueueExhausted(_name(queue))
        store = ctx.store(STORE_NAME)
        store.set(element_key(queue, index), element)
        store.set(tail_key(queue), be8(index + 1))
        return index

    def advance(self, ctx: WriteContext, queue: Queue, index: int) -> None:
        """Remove all elements below `index`; raises the tail to it as well if necessary.

        Raises:
            QueueNotFound: there is no such queue.
            AdvanceBelowHead: `index` is below the head.
        """
        head, tail = self.head(ctx, queue), self.tail(ctx, queue)
        if index < head:
            raise AdvanceBelowHead(head, index)
        store = ctx.store(STORE_NAME)
        for gone in range(head, min(index, tail)):
            store.delete(element_key(queue, gone))
        store.set(head_key(queue), be8(index))
        if index > tail:
            store.set(tail_key(queue), be8(index))


def _bound(ctx: ReadContext, queue: Queue, key: bytes) -> int:
    raw = ctx.reader(STORE_NAME).get(key)
    if raw is None:
        raise QueueNotFound(_name(queue))
    return int.from_bytes(raw, "big")


def _name(queue: Queue) -> str:
    return queue[:-1].decode()


# -- keeper of registrations, and all dependencies of the queue protocol's handlers


class RegistrationKeeper:
    """Remote ends that this chain exchanges packets with; the only writer of their keys in `queue`."""

    def get(self, ctx: ReadContext, remote: End) -> Registration | None:
        """Return the registration of a remote end, None if there is none."""
        raw = ctx.reader(STORE_NAME).get(registration_key(remote))
        return None if raw is None else decode_registration(raw)

    def has_local(self, ctx: ReadContext, local: End) -> bool:
        """Return whether a local channel end is registered."""
        return ctx.reader(STORE_NAME).has(local_key(local))

    def binding(self, ctx: ReadContext, connection: str) -> Binding | None:
        """Return the binding of a local connection, None before its first channel."""
        raw = ctx.reader(STORE_NAME).get(connection_key(connection))
        return None if raw is None else decode_binding(raw)

    def set(self, ctx: WriteContext, registration: Registration) -> None:
        """Store a registration; for a channel also the binding of its connection and the local end."""
        store, local, remote = ctx.store(STORE_NAME), registration.local, registration.remote
        store.set(registration_key(remote), encode_registration(registration))
        if local.is_channel:
            binding = Binding(registration.client_id, remote.chain, remote.connection)
            store.set(local_key(local), remote.text.encode())
            store.set(connection_key(local.connection), encode_binding(binding))


class QueueKeepers(NamedTuple):
    """Dependencies of the handlers, built at wiring."""

    queues: QueueKeeper
    registrations: RegistrationKeeper
    clients: ClientKeeper
    apps: Mapping[str, BoundQueueApp]  # by type of packet
    addresses: AddressCodec
    authority: str  # address that may register ends
    config: QueueConfig
