"""Blocks that others fetch by ranges: the folder is the one that a single process writes."""

import pickle
import tempfile
import threading
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyibc.cli.export import backfill as backfills
from pyibc.cli.export import executors
from pyibc.cli.export.backfill import Backfill, by_threads
from pyibc.cli.export.executors import LONGEST, SHORTEST, TASK_BYTES, Executors
from pyibc.core.errors import IbcError
from pyibc.indexer.blocks.coverage import Heights
from pyibc.indexer.blocks.export import BlockExporter
from pyibc.indexer.errors import EngineFailed
from pyibc.indexer.spark.tasks import TaskResult
from pyibc.relayer.errors import EndpointUnavailable, MalformedAnswer
from tests.comet_nodes import Chain, Node
from tests.sampling import rounds


class Elsewhere:
    """Makes calls in threads, each as a process of its own would: what crosses is pickled plain values."""

    def __init__(self, connect, width=3):
        self.connect, self.width = connect, width
        self.begun = self.closed = 0
        self.calls, self.answers = [], []
        self.gate = lambda call: None
        self._hosts = count(1)

    @contextmanager
    def __call__(self, work):
        self.begun += 1
        self._work = pickle.loads(pickle.dumps(work))
        self._pool = ThreadPoolExecutor(self.width)
        try:
            yield self
        finally:
            self._pool.shutdown(cancel_futures=True)
            self.closed += 1

    def submit(self, *call):
        self.calls.append(call)
        return self._pool.submit(self._run, pickle.dumps(call))

    def heights(self):
        return [Heights(call[2]) for call in self.calls]

    def _run(self, call):
        items, failure = [], None
        try:
            self.gate(pickle.loads(call))
            for item in self._work(*pickle.loads(call), connect=self.connect):
                assert {type(each) for each in item} <= {str, bytes}
                items.append(item)
        except IbcError as error:
            failure = pickle.loads(pickle.dumps(error))
        self.answers.append(items)
        return TaskResult(f"worker-{next(self._hosts)}", items, failure)


class Run:
    """Backfills into a folder, by threads or by somebody elsewhere; tells what came of it."""

    def __init__(self, folder, *nodes, first=None, last=None, workers=2):
        self.urls = {f"http://{number}": node for number, node in enumerate(nodes)}
        self.folder, self.told = folder, []
        self.first, self.last, self.workers = first, last, workers
        self.stop = threading.Event()
        self.elsewhere = Elsewhere(self.urls.__getitem__)

    def by(self, source):
        with BlockExporter(self.folder, blocks_per_file=7) as exporter:
            tell = {"tell": self.told.append, "tell_of_nodes": self.told.append}
            with closing(Backfill(self.urls, exporter, self.urls.__getitem__, **tell)) as backfill:
                return backfill.run(self.first, self.last, self.stop, source)

    def alone(self):
        return self.by(by_threads)

    def spread(self, size=TASK_BYTES):
        return self.by(self.source(size))

    def source(self, size=TASK_BYTES):
        tell = {"tell": self.told.append, "tell_of_nodes": self.told.append}
        return Executors(self.elsewhere, self.workers, **tell, size=size)

    def files(self):
        return {path.name: path.read_bytes() for path in self.folder.iterdir()}

    def held(self):
        with BlockExporter(self.folder, blocks_per_file=7) as exporter:
            return exporter.heights


@pytest.fixture
def run(tmp_path):
    """A run into the folder `out`."""
    return partial(Run, tmp_path / "out")


def ranges(*found):
    return Heights(tuple(found))


def outcome(run, way):
    try:
        done = way()
    except IbcError as error:
        return type(error), str(error).partition(" (asked from")[0], run.files()
    return done, run.files()


class Failing(Node):
    """Answers nothing about a height and those behind it up to the last, or says that it has none of them."""

    def __init__(self, chain, first, since, pruning):
        super().__init__(chain, first)
        self.since, self.pruning = since, pruning

    def call(self, method, height="0", **more):
        if self.since <= int(height) < self.chain.last:
            if not self.pruning:
                raise EndpointUnavailable("node", f"gone at {self.since}")
            self.missing = set(range(self.since, self.chain.last))
        return super().call(method, height, **more)


@settings(deadline=None, max_examples=rounds(15, 60))
@given(
    there=st.sets(st.integers(1, 60), max_size=8),
    keep=st.tuples(st.integers(1, 40), st.integers(1, 40)),
    fails=st.none() | st.tuples(st.integers(1, 70), st.booleans()),
    lies=st.none() | st.integers(1, 60),
    first=st.none() | st.integers(1, 20),
    size=st.sampled_from([1, 400, 3000, TASK_BYTES]),
    width=st.integers(1, 5),
)
def test_the_folder_is_the_one_that_a_single_process_writes(there, keep, fails, lies, first, size, width):
    """With gaps, pruned ranges, a node that fails from some height on, one that lies about a block."""
    with tempfile.TemporaryDirectory() as folder:
        found = []
        for name in ("alone", "spread"):
            out, chain, other = Path(folder, name), Chain(last=60), Chain(last=60)
            for height in sorted(there):
                Run(out, Node(chain), first=height, last=height).alone()
            if lies is not None:
                other.changed[lies] = {"last_block_id": {"hash": "F0"}}
            nodes = Node(other, keep[0]), Failing(chain, keep[1], *(fails or (99, False)))
            run = Run(out, *nodes, first=first)
            run.elsewhere.width = width
            found.append(outcome(run, run.alone if name == "alone" else partial(run.spread, size)))
        assert found[0] == found[1]


def test_heights_are_cut_in_ranges_that_grow_and_several_gaps_are_one_task(run):
    chain = Chain(last=700)
    for height in (3, 5, 300):
        run(Node(chain), first=height, last=height).alone()
    spread = run(Node(chain), first=1)
    done = spread.spread()
    assert done.written == ranges((1, 2), (4, 4), (6, 299), (301, 700))
    asked = spread.elsewhere.heights()
    assert asked[0] == ranges((1, 2), (4, 4), (6, 10))
    assert asked[0].count == SHORTEST
    assert max(each.count for each in asked) == LONGEST
    assert [height for each in asked for height in each] == list(done.written)
    assert (spread.elsewhere.begun, spread.elsewhere.closed) == (1, 1)


def test_answers_are_bounded_and_what_was_left_out_is_asked_for_again(run):
    chain = Chain(last=300)
    spread = run(Node(chain))
    spread.spread(size=1)
    assert spread.held() == ranges((1, 300))
    assert {len(answer) for answer in spread.elsewhere.answers} == {1}
    asked = Counter(height for each in spread.elsewhere.heights() for height in each)
    assert max(asked.values()) <= SHORTEST  # the first tasks had so many; then one at a time
    spread = run(Node(Chain(last=1200)))
    spread.folder = spread.folder.with_name("whole")
    spread.spread()
    assert max(len(answer) for answer in spread.elsewhere.answers) == LONGEST


def test_no_more_answers_wait_than_the_width_says(run):
    """Counted where the blocks are written: who takes no block gets no more of them."""
    chain, waiting = Chain(last=200), []
    spread = run(Node(chain))

    class Slow(BlockExporter):
        def write(self, block):
            taken = sum(block.height > each.first for each in spread.elsewhere.heights())
            waiting.append(len(spread.elsewhere.calls) - taken)
            return super().write(block)

    with Slow(spread.folder) as exporter, closing(Backfill(["http://0"], exporter, Node(chain))) as backfill:
        backfill.run(None, None, spread.stop, spread.source())
    assert max(waiting) == spread.elsewhere.width + 1  # with the one whose blocks are being written


def test_headers_are_linked_across_two_tasks(run):
    """The blocks behind the first task's are another chain's: each task by itself sees nothing wrong."""

    class Forked(Chain):
        def hash(self, height):
            return super().hash(height) if height <= SHORTEST else f"BAD0{height:08X}"

        def block(self, height):
            found = super().block(height)
            if height == SHORTEST + 1:
                found["block"]["header"]["last_block_id"] = {"hash": "BAD000000008"}
            return found

    spread = run(Node(Forked(last=30)))
    with pytest.raises(MalformedAnswer, match=r"block 9: .* BAD000000008, but block 8 is 7800000008"):
        spread.spread()
    assert spread.elsewhere.heights()[:2] == [ranges((1, 8)), ranges((9, 16))]
    assert spread.held() == ranges((1, 8))


def test_a_node_that_dies_is_named_with_the_worker_that_asked_and_the_next_run_goes_on(run):
    chain = Chain(last=50)
    spread = run(Failing(chain, 1, 21, pruning=False))
    spread.urls["http://0"].since = 99  # while the driver looks at it
    spread.elsewhere.gate = lambda call: setattr(spread.urls["http://0"], "since", 21)
    with pytest.raises(
        EndpointUnavailable, match=r"^node: gone at 21 \(asked from worker worker-\d+\)$"
    ) as error:
        spread.spread()
    assert error.value.chain_id == "node"
    assert spread.held() == ranges((1, 20))
    again = run(Node(chain))
    assert again.spread().written == ranges((21, 50))


def test_a_node_that_some_worker_cannot_reach_is_told_of_once(run):
    chain = Chain(last=120)
    down = Node(chain)
    spread = run(Node(chain), down)
    spread.elsewhere.gate = lambda call: setattr(down, "down", True)
    assert spread.spread().written == ranges((1, 120))
    (told,) = spread.told
    assert told.startswith("http://1 does not serve: node: down (asked from worker worker-")


def test_a_node_that_was_refused_is_not_asked_elsewhere(run):
    chain, other = Chain(last=20), Chain("b-2", last=25)
    spread = run(Node(chain), Node(other))
    spread.spread()
    assert {call[:2] for call in spread.elsewhere.calls} == {(("http://0",), "a-1")}
    assert spread.told == ["http://1 is refused: it is of b-2, http://0 of a-1"]


def test_a_node_of_another_chain_by_now_is_refused_by_each_task(run):
    chain, node = Chain(last=20), Node(Chain(last=20))
    spread = run(Node(chain), node)
    spread.elsewhere.gate = lambda call: setattr(node, "chain", Chain("b-2", last=20))
    assert spread.spread().written == ranges((1, 20))
    (told,) = spread.told
    assert told.startswith("http://1 is refused: it is of b-2")


def test_what_is_pruned_in_the_meantime_is_a_gap_and_named(run):
    chain = Chain(last=40)
    node = Node(chain)
    spread = run(node)
    spread.elsewhere.gate = lambda call: setattr(node, "first", 12)
    done = spread.spread()
    assert (done.written, done.pruned) == (ranges((12, 40)), ranges((1, 11)))
    assert spread.told == ["a-1: no node has 1-11"]


def test_a_block_that_is_none_ends_it_where_it_is(run):
    chain = Chain(last=20)
    real = chain.results
    code = {"code": 2**40}
    chain.results = lambda height: real(height) if height != 11 else real(height) | {"txs_results": [code]}
    alone, spread = (outcome(each, way) for each, way in ways(run, chain))
    assert alone == spread
    assert alone[0] is MalformedAnswer


def ways(run, chain):
    """A run by threads into one folder, one by tasks into another."""
    one, two = run(Node(chain)), run(Node(chain))
    two.folder = one.folder.with_name("spread")
    return (one, one.alone), (two, two.spread)


def test_nothing_is_opened_where_nothing_lacks(run):
    chain = Chain(last=9)
    run(Node(chain)).alone()
    spread = run(Node(chain))
    assert spread.spread().written == ranges()
    assert spread.elsewhere.begun == 0


def test_it_stops_between_two_blocks_and_the_next_run_goes_on(run):
    chain = Chain(last=80)
    spread = run(Node(chain))

    class Stopping(BlockExporter):
        def write(self, block):
            if block.height == 13:
                spread.stop.set()
            return super().write(block)

    source = spread.source()
    stopping = Stopping(spread.folder, blocks_per_file=7)
    with stopping as exporter, closing(Backfill(["u"], exporter, Node(chain))) as backfill:
        spread.elsewhere.connect = Node(chain)
        assert backfill.run(None, None, spread.stop, source).written == ranges((1, 13))
    assert (spread.elsewhere.closed, spread.held()) == (1, ranges((1, 13)))
    assert all(blob.endswith(b"\n") for blob in spread.files().values())
    assert run(Node(chain)).spread().written == ranges((14, 80))


def test_it_does_not_wait_for_a_task_when_it_is_told_to_stop(run):
    spread = run(Node(Chain(last=80)))
    spread.elsewhere.submit = lambda *call: Future()  # never done
    threading.Timer(0.3, spread.stop.set).start()
    assert spread.spread().written == ranges()
    assert spread.elsewhere.closed == 1


def test_it_says_that_nothing_comes(run, monkeypatch):
    monkeypatch.setattr(executors, "SILENT_S", 0.2)
    spread = run(Node(Chain(last=80)))
    spread.elsewhere.submit = lambda *call: Future()
    threading.Timer(1.0, spread.stop.set).start()
    spread.spread()
    assert spread.told == ["waiting: no worker returned blocks for 0.2 s; check the workers"]


def test_what_spark_says_ends_it_and_closes_it(run):
    spread = run(Node(Chain(last=80)))
    failed = Future()
    failed.set_exception(EngineFailed("Spark", "a task failed on h: gone"))
    spread.elsewhere.submit = lambda *call: failed
    with pytest.raises(EngineFailed, match="a task failed on h: gone"):
        spread.spread()
    assert (spread.elsewhere.closed, spread.held()) == (1, ranges())


def test_what_comes_after_what_lacked_this_process_follows(run, monkeypatch):
    """Nodes that are down at first are waited for, and others still bring what lacks."""
    monkeypatch.setattr(backfills, "POLL_S", 0.0)
    chain = Chain(last=30)
    node = Node(chain)
    node.down = True
    spread = run(node)
    up, longer = lambda: setattr(node, "down", False), lambda: setattr(chain, "last", 33)
    happenings = iter([up, longer, lambda: threading.Event.set(clock)])

    class Clock(threading.Event):
        def wait(self, timeout=None):
            next(happenings)()

    clock = Clock()
    with BlockExporter(spread.folder) as exporter, closing(Backfill(["u"], exporter, node)) as backfill:
        spread.elsewhere.connect = node
        source = spread.source()
        assert backfill.follow(None, clock, source) == ranges((1, 33))
    assert spread.elsewhere.begun == 1
    assert spread.elsewhere.heights()[-1].last == 30
