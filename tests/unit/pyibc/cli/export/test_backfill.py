"""Blocks of several nodes into one folder: whatever they answer, what lacks there is named."""

import copy
import tempfile
import threading
from concurrent.futures import Executor, Future
from contextlib import closing, suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyibc.cli.export import backfill as backfills
from pyibc.cli.export.backfill import Backfill
from pyibc.indexer.blocks.coverage import Heights
from pyibc.indexer.blocks.export import BlockExporter
from pyibc.indexer.errors import ExportConflict, IndexerError
from pyibc.relayer.errors import EndpointRefused, MalformedAnswer, RelayerError
from tests.comet_nodes import Chain, Node
from tests.read_exports import read_export
from tests.sampling import rounds


@pytest.fixture
def chain():
    return Chain()


@pytest.fixture
def brought(tmp_path):
    """Runs a backfill of nodes into a folder; gives what it did and what it told."""

    def run(*nodes, first=None, last=None, out="out"):
        told = []
        urls = {f"http://{number}": node for number, node in enumerate(nodes)}
        with BlockExporter(tmp_path / out, blocks_per_file=7) as exporter:
            connect = lambda url: urls[url]  # noqa: E731
            tell = {"tell": told.append, "tell_of_nodes": told.append}
            with closing(Backfill(urls, exporter, connect, **tell)) as backfill:
                return backfill.run(first, last, threading.Event()), told

    return run


@pytest.fixture
def held(tmp_path):
    return lambda: read_export(tmp_path / "out").heights


def ranges(*found):
    return Heights(tuple(found))


def test_calls_are_made_by_whom_it_is_given(chain, tmp_path):
    made = []

    class Here(Executor):
        def submit(self, fn, /, *args):
            made.append(args)
            future = Future()
            future.set_result(fn(*args))
            return future

    with (
        BlockExporter(tmp_path) as exporter,
        closing(Backfill(["u"], exporter, lambda _: Node(chain), pool=Here())) as backfill,
    ):
        written = backfill.run(2, 4, threading.Event()).written
    assert written == ranges((2, 4))
    assert made == [(height,) for height in (2, 3, 4) for _ in ("block", "block_results")]


def test_only_what_lacks_is_fetched(chain, brought, held):
    brought(Node(chain), first=3, last=5)
    brought(Node(chain), first=9, last=9)
    node = Node(chain)
    done, told = brought(node)
    assert (done.written, told) == (ranges((6, 8), (10, 20)), [])
    assert held() == ranges((3, 20))
    assert set(node.fetched()) - {1, 9} == {6, 7, 8, *range(10, 21)}  # 1 and 9 to know the chain by
    done, _ = brought(Node(chain), first=1)
    assert (done.written, held()) == (ranges((1, 2)), ranges((1, 20)))


def test_blocks_and_results_are_asked_for_at_once_by_several_threads(chain, brought):
    node = Node(chain)
    brought(node)
    assert {name.partition("_")[0] for name in node.threads} == {"MainThread", "blocks"}
    assert sum(name.startswith("blocks") for name in node.threads) > 1


def test_ranges_that_no_node_keeps_are_named_and_filled_by_another_later(chain, brought, held):
    done, told = brought(Node(chain, first=8), first=1)
    assert (done.written, done.pruned) == (ranges((8, 20)), ranges((1, 7)))
    assert told == ["a-1: no node has 1-7"]
    done, told = brought(Node(chain, first=8), Node(chain), first=1)
    assert (done.written, told, held()) == (ranges((1, 7)), [], ranges((1, 20)))


def test_a_node_that_fails_under_way_is_replaced_and_named(chain, brought, held):
    class Failing(Node):
        def call(self, method, height="0", **_):
            self.down = len(self.calls) > 12
            return super().call(method, height)

    done, told = brought(Failing(chain), Node(chain))
    assert (done.written, held()) == (ranges((1, 20)), ranges((1, 20)))
    assert told == ["http://0 does not serve: node: down"]


def test_a_block_that_one_node_lost_is_had_of_another(chain, brought, held):
    lossy = Node(chain)
    lossy.missing = {4, 9}
    done, _ = brought(lossy, Node(chain))
    assert (done.written, held()) == (ranges((1, 20)), ranges((1, 20)))


def test_h94_a_block_said_to_be_kept_that_is_not_ends_it(chain, brought, held):
    lossy = Node(chain)
    lossy.missing = {4}
    with pytest.raises(MalformedAnswer, match="block 4: malformed answer: claimed, but"):
        brought(lossy)
    assert held() == ranges((1, 3))


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (Chain("b-1"), "it is of b-1, http://0 of a-1"),
        (Chain(seed="y"), "its block 20 is 7900000014, that of http://0 7800000014"),
    ],
)
def test_h94_a_node_of_another_chain_is_refused_and_named(chain, brought, held, other, reason):
    wrong = Node(other)
    done, told = brought(Node(chain), wrong)
    assert told == [f"http://1 is refused: {reason}"]
    assert (done.written, held()) == (ranges((1, 20)), ranges((1, 20)))
    assert wrong.fetched() in ([], [20])


@pytest.mark.parametrize(
    ("first", "reason"),
    [(1, "the folder contains [0-9a-f]{16}"), (6, "its block 20 differs from the folder's")],
)
def test_h94_a_chain_started_anew_is_refused_by_the_folder(chain, brought, held, first, reason):
    brought(Node(chain))
    with pytest.raises(EndpointRefused, match=reason):
        brought(Node(Chain(seed="y", last=30), first=first))
    assert held() == ranges((1, 20))


def test_a_folder_of_another_chain(chain, brought, held):
    brought(Node(chain))
    with pytest.raises(EndpointRefused, match="its chain is b-1, but the folder is of a-1"):
        brought(Node(Chain("b-1")))


@pytest.mark.parametrize("changed", [{"chain_id": "a-2"}, {"height": "6"}])
def test_h94_an_answer_of_another_block_is_refused(chain, brought, held, changed):
    chain.changed[5] = changed
    with pytest.raises(MalformedAnswer, match="block 5"):
        brought(Node(chain))
    assert held() == ranges((1, 4))


def test_h94_results_of_another_height_are_refused(chain, brought, held):
    real = chain.results
    chain.results = lambda height: real(7 if height == 5 else height)
    with pytest.raises(MalformedAnswer, match="the results are for height 7"):
        brought(Node(chain))
    assert held() == ranges((1, 4))


def test_h94_headers_that_do_not_follow_each_other_are_refused(chain, brought, held):
    chain.changed[5] = {"last_block_id": {"hash": "FF"}}
    with pytest.raises(MalformedAnswer, match="its header refers to FF, but block 4 is 7800000004"):
        brought(Node(chain))
    assert held() == ranges((1, 4))


def test_all_lines_tell_the_incarnation_that_the_node_knows(chain, brought, tmp_path):
    brought(Node(chain), first=5, last=6)
    assert len(read_export(tmp_path / "out").incarnation) == 16
    brought(Node(chain, first=5), out="pruned")
    assert read_export(tmp_path / "pruned").incarnation == ""


def test_who_writes_to_the_folder_meanwhile_is_told(chain, tmp_path):
    with BlockExporter(tmp_path) as exporter, closing(Backfill(["u"], exporter, Node(chain))) as backfill:
        backfill.run(None, 5, threading.Event())
        path = next(tmp_path.iterdir())
        path.write_bytes(path.read_bytes() + b"pyibc1 ")
        with pytest.raises(ExportConflict, match="another process writes"):
            backfill.run(None, None, threading.Event())


class Clock(threading.Event):
    """Counts how long it was waited for, and lets things happen meanwhile."""

    def __init__(self, *happenings):
        super().__init__()
        self.waits, self.happenings = [], list(happenings)

    def wait(self, timeout=None):
        self.waits.append(timeout)
        if self.happenings:
            self.happenings.pop(0)()
        else:
            self.set()
        return self.is_set()


def test_it_follows_new_blocks_and_waits_for_a_node_that_is_down(chain, tmp_path, monkeypatch):
    monkeypatch.setattr(backfills, "LONGEST_S", 3.0)
    chain.last = 3
    node, told = Node(chain), []

    def more(down=False):
        def happen():
            chain.last += 2
            node.down = down

        return happen

    clock = Clock(more(), more(down=True), more(down=True), more(down=True), more(), more())
    with BlockExporter(tmp_path) as exporter:
        tell = {"tell": told.append, "tell_of_nodes": told.append}
        with closing(Backfill(["u"], exporter, node, **tell)) as backfill:
            assert backfill.follow(None, clock) == ranges((1, 15))
        assert exporter.heights == ranges((1, 15))
    assert clock.waits == [1.0, 1.0, 2.0, 3.0, 3.0, 1.0, 1.0]
    assert told == ["u does not serve: node: down", "waiting: node: down", "u answers again"]


def test_it_stops_between_two_blocks(chain, tmp_path):
    stop = threading.Event()

    class Stopping(BlockExporter):
        def write(self, block):
            if block.height == 4:
                stop.set()
            return super().write(block)

    with Stopping(tmp_path) as exporter, closing(Backfill(["u"], exporter, Node(chain))) as backfill:
        assert backfill.follow(None, stop) == ranges((1, 4))
        assert exporter.heights == ranges((1, 4))


def paths(value, here=()):
    yield here
    children = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, each in children:
        yield from paths(each, (*here, key))


class Mutated(Node):
    """A node one of whose answers has something else in one place."""

    def __init__(self, chain, method, place, value):
        super().__init__(chain)
        self.method, self.place, self.value = method, place, value

    def call(self, method, height="0", **more):
        answer = copy.deepcopy(super().call(method, height, **more))
        if method != self.method or int(height) not in {0, 3}:
            return answer
        found = list(paths(answer))[1:]
        *before, last = found[self.place % len(found)]
        place = answer
        for step in before:
            place = place[step]
        place[last] = self.value
        return answer


_ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.integers().map(str),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=3,
)


@settings(deadline=None, max_examples=rounds(37, 150))
@given(st.sampled_from(["status", "abci_info", "block", "block_results"]), st.integers(0, 40), _ODD)
def test_h94_whatever_a_node_answers_lines_are_whole_or_the_error_says_why(method, place, value):
    with tempfile.TemporaryDirectory() as folder:
        node = Mutated(Chain(last=5), method, place, value)
        with (
            BlockExporter(Path(folder)) as exporter,
            closing(Backfill(["u"], exporter, node)) as backfill,
            suppress(RelayerError, IndexerError),
        ):
            backfill.run(1, 5, threading.Event())
        read_export(Path(folder))
