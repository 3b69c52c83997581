"""The queue against a plain list, at every edge of its indexes; neighbours are left alone."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.memory import MemoryStore
from pyibc.core.errors import LogicFault
from pyibc.core.host.overlay import BlockContext
from pyibc.core.numbers import be8
from pyibc.queues.errors import AdvanceBelowHead, QueueExhausted, QueueNotFound
from pyibc.queues.keepers import QueueKeeper
from pyibc.queues.types import End, Role, element_key, head_key, queue_of, tail_key
from tests.sampling import rounds

TOP = 2**64 - 1
STARTS = (0, 1, 2**63 - 1, 2**63, TOP - 3)
QUEUE = queue_of(End("z"), End("a"), Role.SEND)
NEIGHBOURS = [
    queue_of(End("z"), End("a"), Role.RECEIPT),
    queue_of(End("z"), End("a:send"), Role.SEND),  # its name begins with ours
    queue_of(End("z", "connection-1", "channel-1"), End("a", "connection-0", "channel-0"), Role.SEND),
    queue_of(End("z"), End("aa"), Role.SEND),
]
keeper = QueueKeeper()


@pytest.fixture
def ctx(empty_store):
    return block(empty_store)


def block(store):
    return BlockContext("chain-1", 5, 10**18, {"ibc": store, "queue": store})


def stored(ctx):
    return {key: value for key, value in ctx.writes("queue") if value is not None}


class ListQueue:
    """The same in the documents' words: an endless array and two numbers."""

    def __init__(self, start):
        self.q, self.head, self.tail = {}, start, start

    def peek(self):
        return None if self.head == self.tail else self.q[self.head]

    def pop(self):
        if self.head == self.tail:
            return None
        self.head += 1
        return self.q.pop(self.head - 1)

    def retrieve(self, i):
        return self.q[i] if self.head <= i < self.tail else None

    def push(self, e):
        self.q[self.tail] = e
        self.tail += 1

    def advance(self, i):
        for gone in [each for each in self.q if each < i]:
            del self.q[gone]
        self.head, self.tail = i, max(self.tail, i)


steps = st.lists(
    st.tuples(st.just("push"), st.binary(min_size=1, max_size=3))
    | st.tuples(st.sampled_from(["pop", "peek"]), st.none())
    | st.tuples(st.sampled_from(["advance", "retrieve"]), st.integers(-3, 8)),
    max_size=40,
)


@settings(deadline=None, max_examples=rounds(75, 300))
@given(st.sampled_from(STARTS), steps)
def test_the_queue_is_a_slice_of_an_endless_array(empty_store, start, script):
    ctx, model = block(empty_store), ListQueue(start)
    for queue in (QUEUE, *NEIGHBOURS):
        keeper.init(ctx, queue)
        keeper.push(ctx, queue, b"kept")
    others = {key: value for key, value in stored(ctx).items() if not key.startswith(QUEUE)}
    keeper.pop(ctx, QUEUE)
    if start:
        keeper.advance(ctx, QUEUE, start)
    else:
        model.head = model.tail = 1
    for action, argument in script:
        step(ctx, model, action, argument)
        assert (keeper.head(ctx, QUEUE), keeper.tail(ctx, QUEUE)) == (model.head, model.tail)
        mine = {key: value for key, value in stored(ctx).items() if key.startswith(QUEUE)}
        bounds = {head_key(QUEUE): be8(model.head), tail_key(QUEUE): be8(model.tail)}
        assert mine == bounds | {element_key(QUEUE, i): e for i, e in model.q.items()}
    assert {key: value for key, value in stored(ctx).items() if not key.startswith(QUEUE)} == others


def step(ctx, model, action, argument):
    if action == "push" and model.tail == TOP:
        with pytest.raises(QueueExhausted):
            keeper.push(ctx, QUEUE, argument)
    elif action == "push":
        assert keeper.push(ctx, QUEUE, argument) == model.tail
        model.push(argument)
    elif action == "advance":
        target = model.head + argument
        if target < model.head:
            with pytest.raises(AdvanceBelowHead):
                keeper.advance(ctx, QUEUE, target)
        elif target <= TOP:
            keeper.advance(ctx, QUEUE, target)
            model.advance(target)
    elif action == "retrieve":
        index = model.head + argument
        assert keeper.retrieve(ctx, QUEUE, index) == model.retrieve(index)
    else:
        assert getattr(keeper, action)(ctx, QUEUE) == getattr(model, action)()


def test_init_makes_it_empty_and_provably_so(ctx):
    keeper.init(ctx, QUEUE)
    assert stored(ctx) == {b"ibc:a:send\0head": be8(0), b"ibc:a:send\0tail": be8(0)}
    assert keeper.exists(ctx, QUEUE)
    assert keeper.peek(ctx, QUEUE) is None
    assert keeper.pop(ctx, QUEUE) is None
    with pytest.raises(LogicFault):
        keeper.init(ctx, QUEUE)


@pytest.mark.parametrize("action", ["head", "tail", "peek", "pop"])
def test_what_was_never_made_answers_nothing(ctx, action):
    assert not keeper.exists(ctx, QUEUE)
    with pytest.raises(QueueNotFound) as caught:
        getattr(keeper, action)(ctx, QUEUE)
    assert caught.value.queue == "ibc:a:send"
    for name, argument in (("push", b"x"), ("advance", 1), ("retrieve", 0)):
        with pytest.raises(QueueNotFound):
            getattr(keeper, name)(ctx, QUEUE, argument)
    assert ctx.writes("queue") == []


def test_an_index_beyond_64_bits_is_refused(ctx):
    keeper.init(ctx, QUEUE)
    keeper.advance(ctx, QUEUE, TOP - 1)
    assert keeper.push(ctx, QUEUE, b"last") == TOP - 1
    before = stored(ctx)
    with pytest.raises(QueueExhausted) as caught:
        keeper.push(ctx, QUEUE, b"beyond")
    assert caught.value.queue == "ibc:a:send"
    assert stored(ctx) == before
    assert keeper.pop(ctx, QUEUE) == b"last"


def test_an_element_stays_what_it_is_until_it_is_popped(ctx):
    keeper.init(ctx, QUEUE)
    for number in range(50):
        index = keeper.push(ctx, QUEUE, b"%d" % number)
        assert keeper.retrieve(ctx, QUEUE, index) == b"%d" % number
    for index in range(50):
        assert keeper.retrieve(ctx, QUEUE, index) == b"%d" % index
    assert [keeper.pop(ctx, QUEUE) for _ in range(50)] == [b"%d" % index for index in range(50)]
    assert [keeper.retrieve(ctx, QUEUE, index) for index in range(50)] == [None] * 50


def test_the_store_is_bounded_after_100_000_packets(empty_store):
    """What waits and nothing else: at no time more than a batch, at the end head and tail."""
    ctx = block(empty_store)
    receipts = queue_of(End("z"), End("b"), Role.RECEIPT)
    for queue in (QUEUE, receipts):
        keeper.init(ctx, queue)
    widest, left = 0, {}
    for start in range(0, 100_000, 1_000):
        for index in range(start, start + 1_000):
            keeper.push(ctx, QUEUE, be8(index))
            keeper.push(ctx, receipts, be8(index))
        widest = max(widest, len(stored(ctx)))
        for _ in range(1_000):
            keeper.pop(ctx, QUEUE)
        keeper.advance(ctx, receipts, keeper.head(ctx, QUEUE))
        left = stored(ctx)
        ctx = block(MemoryStore(left))  # after a commit: `left` is all that the block wrote, and all there is
    assert widest == 2_004
    assert len(left) == 4
    assert keeper.head(ctx, QUEUE) == keeper.tail(ctx, receipts) == 100_000
