"""Provable queues [IBC-channels 3.2.3]: the only writer of their keys in the store `queue`.

A queue is a slice of an infinite array: it has the elements head <= index < tail. Elements that are popped or
advanced over are deleted, so an element is in the store if and only if its index is between head and tail.
"""

from ibc_core.errors import LogicFault
from ibc_core.errors.queue import AdvanceBelowHead, QueueExhausted, QueueNotFound
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.numbers import MAX_U64, be8
from ibc_core.queue.types import STORE_NAME, Queue, element_key, head_key, tail_key


class QueueKeeper:
    """The queues of this chain; a queue is named by `ibc_core.queue.types.queue_of`."""

    def init(self, ctx: WriteContext, queue: Queue) -> None:
        """Makes an empty queue: head and tail are 0.

        Raises:
            LogicFault: it exists.
        """
        store = ctx.store(STORE_NAME)
        if store.has(head_key(queue)):
            raise LogicFault(f"queue {_name(queue)!a} is there")
        store.set(head_key(queue), be8(0))
        store.set(tail_key(queue), be8(0))

    def exists(self, ctx: ReadContext, queue: Queue) -> bool:
        """Whether the queue exists."""
        return ctx.reader(STORE_NAME).has(head_key(queue))

    def head(self, ctx: ReadContext, queue: Queue) -> int:
        """Index of the first element, or of the next where there is none.

        Raises:
            QueueNotFound: there is no such queue.
        """
        return _bound(ctx, queue, head_key(queue))

    def tail(self, ctx: ReadContext, queue: Queue) -> int:
        """Index that the next element will have.

        Raises:
            QueueNotFound: there is no such queue.
        """
        return _bound(ctx, queue, tail_key(queue))

    def peek(self, ctx: ReadContext, queue: Queue) -> bytes | None:
        """The first element, None if there is none.

        Raises:
            QueueNotFound: there is no such queue.
        """
        return self.retrieve(ctx, queue, self.head(ctx, queue))

    def retrieve(self, ctx: ReadContext, queue: Queue, index: int) -> bytes | None:
        """The element of `index`, None if it is not between head and tail.

        Raises:
            QueueNotFound: there is no such queue.
        """
        element = ctx.reader(STORE_NAME).get(element_key(queue, index)) if 0 <= index <= MAX_U64 else None
        if element is None:
            self.head(ctx, queue)  # whether there is such a queue
        return element

    def pop(self, ctx: WriteContext, queue: Queue) -> bytes | None:
        """Removes the first element and returns it, None if there is none.

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
        """Appends an element; returns its index.

        Raises:
            QueueNotFound: there is no such queue.
            QueueExhausted: the tail is at 2^64-1, beyond which no key is.
        """
        index = self.tail(ctx, queue)
        if index == MAX_U64:
            raise QueueExhausted(_name(queue))
        store = ctx.store(STORE_NAME)
        store.set(element_key(queue, index), element)
        store.set(tail_key(queue), be8(index + 1))
        return index

    def advance(self, ctx: WriteContext, queue: Queue, index: int) -> None:
        """Removes all elements below `index`; a tail below it goes there too.

        Raises:
            QueueNotFound: there is no such queue.
            AdvanceBelowHead: popped elements would come back.
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
