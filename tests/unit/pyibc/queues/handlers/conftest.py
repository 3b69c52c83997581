"""Two chains with queues at every stage; tests look at them through stages, which commit nothing."""

from types import SimpleNamespace

import pytest

from conformance.kit.outcomes import must
from conformance.kit.queue.pair import QueuePair
from conformance.kit.scripted_app import REFUSED
from conformance.kit.staged_block import StagedBlock
from pyibc.core.height import Height
from pyibc.testing.pair import SECOND


def make_scene():
    """Over each path A sent: 0, done with; 1 to 3, received well, refused, and too late; 4 to 6, fresh, and
    5 and 6 have expired since. The other way nothing was received: 0 and 1 have expired, 2 never will."""
    pair = QueuePair.registered(channels=2)
    soon = Height(1, 6)
    for path in (pair.path, pair.channel_paths[0]):
        must(pair.send(path, b"done"))
    for path in (pair.path, pair.channel_paths[0]):
        pair.relay(path)
    for path in (pair.path, pair.channel_paths[0]):
        for data in (b"received", REFUSED):
            must(pair.send(path, data))
        must(pair.send(path, b"late", max_height=soon))
        must(pair.send(path, b"fresh"))
        must(pair.send(path, b"timed", max_time_ns=pair.clock.now_ns + 60 * SECOND))
        must(pair.send(path, b"both", max_height=soon, max_time_ns=pair.clock.now_ns + 10**6 * SECOND))
        must(pair.send(path.back(), b"timed", max_time_ns=pair.clock.now_ns + 60 * SECOND))
        must(pair.send(path.back(), b"high", max_height=Height(1, 40)))
        must(pair.send(path.back(), b"for ever"))
    pair.sync()
    for path in (pair.path, pair.channel_paths[0]):
        must(pair.b.submit(pair.receive(path, range(1, 4))))
    pair.clock.advance(120 * SECOND)
    while pair.a.chain.height < 50:
        pair.a.chain.make_block([])
    pair.sync()
    return pair


@pytest.fixture(scope="session")
def the_pair():
    made = make_scene()
    yield made
    made.close()


@pytest.fixture
def pair(the_pair):
    """The two chains, their applications agreeing to everything and called by nobody yet."""
    for side in (the_pair.a, the_pair.b):
        side.mock.app.script.clear()
        side.mock.app.calls.clear()
    return the_pair


@pytest.fixture(params=["chains", "channels"])
def path(request, pair):
    """The path of the scene, in both shapes."""
    return pair.path if request.param == "chains" else pair.channel_paths[0]


@pytest.fixture
def at(pair, path):
    """The next block on each chain, with nothing in it."""
    return SimpleNamespace(a=StagedBlock(pair.a.chain), b=StagedBlock(pair.b.chain))
