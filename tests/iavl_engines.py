"""Both engines of the tree, and trees whose nodes are stored somewhere, for tests that compare them."""

from contextlib import contextmanager
from threading import Thread

from iavl import Tree, engine
from iavl.engine import PYTHON

NATIVE = engine.load(None)[0]
BOTH = (NATIVE, PYTHON)
"""The same one twice where native code is not installed."""


class Slow(dict):
    """A source of records that lets other threads run at each read."""

    def get(self, key):
        Thread(target=int).start()  # lets go of the interpreter
        return super().get(key)


def at_once(number, work):
    """Runs `work` with 0, 1, ... in as many threads, to their ends."""
    threads = [Thread(target=work, args=(n,)) for n in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@contextmanager
def using(kind):
    before = engine.use(kind)
    try:
        yield
    finally:
        engine.use(before)


def store_all(tree, serial):
    """Gives serials to what has none; their keys and records, and the serial after them."""
    unwritten = engine.active.unwritten([] if tree.committed is None else [tree.committed], serial)
    items = []
    while batch := unwritten.take(7):
        items += batch
    return items, unwritten.next_serial


def stored(count=400, source=dict):
    tree, records = Tree(), source()
    tree.apply([(b"%04d" % n, b"v%d" % n) for n in range(count)])
    tree.commit()
    records.update(store_all(tree, 1)[0])
    return tree, records, engine.active.loader("/db", records)
