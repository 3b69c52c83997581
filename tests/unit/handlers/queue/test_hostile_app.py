"""Nobody else can write the queue's subspace: an application tries every way through its context."""

from contextlib import suppress

import pytest

from conformance.kit.staged_block import StagedBlock
from ibc_core.errors import LogicFault
from ibc_core.errors.queue import ProtectedStore
from ibc_core.queue.types import STORE_NAME, element_key, head_key, tail_key

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


@pytest.mark.parametrize("way", WRITES)
@pytest.mark.parametrize("callback", CALLS)
def test_no_way_through_the_context_leads_there(pair, path, callback, way):
    stage, message, side = deliver(pair, path, callback)
    tried = []

    def attack(ctx, *_):
        for key in keys(path):
            with pytest.raises(ProtectedStore):
                WRITES[way](ctx, key)
            tried.append(key)
        return b"ok"

    side.mock.app.script[callback] = lambda *_: b"ok"
    wanted = StagedBlock(side.chain).attempt(message)
    side.mock.app.script[callback] = attack
    got = stage.attempt(message)
    assert len(tried) == 16
    assert got.error is None
    assert got == wanted


@pytest.mark.parametrize("callback", CALLS)
def test_what_it_refused_undone_it_can_read(pair, path, callback):
    stage, message, side = deliver(pair, path, callback)
    seen = []

    def look(ctx, *_):
        store = ctx.store(STORE_NAME)
        seen.append((store.get(head_key(path.outgoing)), store.has(head_key(path.outgoing))))
        seen.append(len(list(ctx.reader(STORE_NAME).iterate(b"ibc:", b"ibc;"))))
        seen.append((ctx.chain_id, ctx.height, ctx.time_ns, ctx.next_validators_hash, ctx.gas.remaining > 0))
        return b""

    side.mock.app.script[callback] = look
    assert stage.attempt(message).error is None
    assert seen[1] > 10


def test_a_kept_branch_undoes_nothing_that_came_after(pair, path):
    """A branch is a mark in the block's undo list: kept, it could take back the receipt of its packet."""
    stage, kept = StagedBlock(pair.b.chain), []
    app = pair.b.mock.app

    def keep(ctx, packet):
        branch = ctx.branch()
        branch.__enter__()
        kept.extend([branch, ctx.branch()])
        return b"ok"

    def strike(ctx, packet):
        for branch in kept:
            with pytest.raises(ProtectedStore):
                branch.discard()
            branch.__exit__(ValueError, ValueError(), None)
        with pytest.raises(ProtectedStore):
            kept[1].__enter__()
        return b"ok"

    app.script["on_receive"] = keep
    stage.run(pair.receive(path, [4]))
    app.script["on_receive"] = strike
    stage.run(pair.receive(path, [5]))  # expired: it is not called
    strike(None, None)
    assert pair.b.queues.queues.tail(stage.ctx, path.incoming) == 6


def test_branches_work_while_the_call_lasts(pair, path):
    stage = StagedBlock(pair.b.chain)

    def use(ctx, packet):
        store = ctx.store("scripted_queue")
        with suppress(KeyError), ctx.branch():
            store.set(b"gone", b"x")
            raise KeyError
        with ctx.branch() as branch:
            store.set(b"gone too", b"x")
            ctx.emit(("gone", ()))
            assert branch.discard() == (("gone", ()),)
        with pytest.raises(ProtectedStore):
            branch.discard()
        with ctx.branch():
            store.set(b"kept", b"x")
        return b"ok"

    pair.b.mock.app.script["on_receive"] = use
    attempt = stage.attempt(pair.receive(path, [4]))
    written = {key for (name, key), value in attempt.writes.items() if name == "scripted_queue"}
    assert written == {b"last", b"kept"}
    assert "gone" not in [kind for kind, _ in attempt.events]


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


def test_only_two_keepers_write_the_store(request):
    """Of this distribution's own code: whoever names the store `queue` to write is listed here.

    So is the plugin that owns it, whose genesis `EntryStore` writes.
    """
    root = request.config.rootpath
    writers = {
        path.relative_to(root).as_posix()
        for folder in ("ibc_core", "ibc_module", "handlers", "keepers", "light_client")
        for path in (root / folder).rglob("*.py")
        if "queue.types import" in (text := path.read_text(encoding="utf-8"))
        and ("store(STORE_NAME)" in text or "store_name = STORE_NAME" in text)
    }
    assert writers == {
        "keepers/queue/keeper.py",
        "keepers/queue/registration.py",
        "ibc_module/queue/plugin.py",
    }


def test_a_push_that_lands_elsewhere_is_a_broken_invariant(pair, path, monkeypatch):
    """Should a way be found all the same, the packet is refused as a whole."""
    push = type(pair.b.queues.queues).push
    monkeypatch.setattr(type(pair.b.queues.queues), "push", lambda *args: push(*args) + 1)
    stage = StagedBlock(pair.b.chain)
    before = stage.writes()
    with pytest.raises(LogicFault):
        stage.run(pair.receive(path, [4]))
    assert stage.writes() == before
