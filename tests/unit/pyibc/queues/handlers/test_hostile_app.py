"""Nobody else can write the queue's subspace: an application tries every way through its context."""

from itertools import product

import pytest

from conformance.kit.staged_block import StagedBlock
from pyibc.core.errors import LogicFault
from pyibc.queues.errors import ProtectedStore
from pyibc.queues.types import STORE_NAME, element_key, head_key, tail_key

NEXT = 4

WRITES = {
    "the queue store": lambda ctx, key: ctx.store(STORE_NAME).set(key, b"x"),
    "the queue store, deleting": lambda ctx, key: ctx.store(STORE_NAME).delete(key),
    "its reader": lambda ctx, key: ctx.reader(STORE_NAME).set(key, b"x"),
    "its reader, deleting": lambda ctx, key: ctx.reader(STORE_NAME).delete(key),
    "the ibc store": lambda ctx, key: ctx.ibc.set(key, b"x"),
    "the ibc store, deleting": lambda ctx, key: ctx.ibc.delete(key),
    "the ibc store by name": lambda ctx, key: ctx.store("ibc").set(key, b"x"),
    "the ibc store's reader": lambda ctx, key: ctx.reader("ibc").set(key, b"x"),
    "another store's reader": lambda ctx, key: ctx.reader("bank").set(key, b"x"),
    "a branch": lambda ctx, key: ctx.branch().__enter__() and ctx.store(STORE_NAME).set(key, b"x"),
    "an event of the protocol": lambda ctx, key: ctx.emit(("queue_receive", ())),
    "another type's packets": lambda ctx, key: ctx.store(STORE_NAME).set(key, b"\x0a\x05coins"),
}
CALLS = ("on_send", "on_receive", "on_commit", "on_rollback")


def deliver(pair, path, callback):
    """A stage in which the callback runs, and the message that runs it."""
    if callback == "on_receive":
        return StagedBlock(pair.b.chain), pair.receive(path, [NEXT]), pair.b
    if callback == "on_rollback":
        return StagedBlock(pair.b.chain), pair.timeout(path.back(), 0), pair.b
    if callback == "on_commit":
        return StagedBlock(pair.a.chain), pair.handle(path, [1]), pair.a
    message = pair.send_message(path, b"x")
    return StagedBlock(pair.a.chain), message, pair.a


def keys(path):
    """What a hostile application would like to change."""
    for queue in (path.outgoing, path.incoming, path.back().outgoing, path.back().incoming):
        yield from (head_key(queue), tail_key(queue), element_key(queue, 1), element_key(queue, 99))


@pytest.mark.parametrize("callback", CALLS)
def test_no_way_through_the_context_leads_there(pair, path, callback):
    stage, message, side = deliver(pair, path, callback)
    refused, through = [], []

    def attack(ctx, *_):
        for way, key in product(WRITES, keys(path)):
            try:
                WRITES[way](ctx, key)
            except ProtectedStore:
                refused.append(key)
            else:
                through.append((way, key))
        return b"ok"

    side.mock.app.script[callback] = lambda *_: b"ok"
    wanted = StagedBlock(side.chain).attempt(message)
    side.mock.app.script[callback] = attack
    got = stage.attempt(message)
    assert (len(refused), through) == (16 * len(WRITES), [])
    assert got.error is None
    assert got == wanted


def test_a_kept_context_is_dead(pair, path):
    stage, kept = StagedBlock(pair.b.chain), []
    pair.b.mock.app.script["on_receive"] = lambda ctx, packet: kept.append(ctx) or b""
    stage.run(pair.receive(path, [4]))
    before = stage.writes()
    for way in (
        lambda ctx: ctx.store("scripted_queue"),
        lambda ctx: ctx.emit(("late", ())),
        lambda ctx: ctx.branch(),
        lambda ctx: ctx.ibc,
        lambda ctx: pair.b.mock.app.sender.send(ctx, path.a, b"late"),
    ):
        with pytest.raises(ProtectedStore):
            way(kept[0])
    with pytest.raises(AttributeError):
        kept[0].is_open = True
    assert stage.writes() == before


def test_a_push_that_lands_elsewhere_is_a_broken_invariant(pair, path, monkeypatch):
    """Should a way be found all the same, the packet is refused as a whole."""
    push = type(pair.b.queues.queues).push
    monkeypatch.setattr(type(pair.b.queues.queues), "push", lambda *args: push(*args) + 1)
    stage = StagedBlock(pair.b.chain)
    before = stage.writes()
    with pytest.raises(LogicFault):
        stage.run(pair.receive(path, [4]))
    assert stage.writes() == before
