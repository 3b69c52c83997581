"""With an executor, packets are submitted with a head's proofs before the head's block is read."""

from concurrent.futures import Future
from dataclasses import replace

import pytest

from pyibc.core.host.block import CommittedBlock
from pyibc.relayer.blocks.reader import NEAR
from pyibc.relayer.errors import BlockMismatch, EndpointUnavailable
from pyibc.relayer.links.batch import BatchLimits
from pyibc.relayer.links.submitter import Submitter
from pyibc.relayer.metrics import Metrics
from tests.unit.pyibc.relayer.links.test_submissions import linked, received, rounds, sent
from tests.unit.pyibc.relayer.manual_runner import ManualRunner


class ManualExecutor(ManualRunner):
    """Runner whose optional work runs when the test calls `do`."""

    def __init__(self, slots=2):
        super().__init__(slots)
        self.works, self.executor = [], self

    def submit(self, work):
        future = Future()
        self.works.append((future, work))
        return future

    def do(self):
        """Run all optional work."""
        while self.works:
            future, work = self.works.pop(0)
            try:
                future.set_result(work())
            except Exception as error:
                future.set_exception(error)


class Reading:
    """Turn a fake chain into one that returns its height before its last block is read."""

    def __init__(self, chain, monkeypatch):
        self.there, self.asked, self.down = set(), [], None
        block = chain.block

        def read(height):
            self.asked.append(height)
            if self.down is not None:
                raise self.down
            self.there.add(height)
            return block(height)

        monkeypatch.setattr(chain, "block", read)
        monkeypatch.setattr(chain, "last_height", lambda: chain.tip().height, raising=False)
        monkeypatch.setattr(chain, "has_block", self.there.__contains__, raising=False)
        monkeypatch.setattr(chain, "extras", replace(chain.extras, heights=chain))


@pytest.fixture
def world(pair, monkeypatch):
    runner = ManualExecutor()
    link = linked(pair, runner)
    readings = [Reading(chain, monkeypatch) for chain in pair]
    for _ in range(2):
        link.round()
        runner.do()
    return pair, link, runner, readings


def test_what_a_head_proves_is_submitted_before_its_block_is_read(world):
    pair, link, runner, (of_a, _) = world
    pair[0].send("channel-0")
    pair[0].make_block()
    link.round()
    runner.do()
    link.round()  # the block with the packet is read, and no header proves it
    assert runner.waiting == []
    pair[0].make_block()
    head = pair[0].height
    link.round()
    assert len(runner.waiting) == 1
    _with_works(runner, runner.waiting[0][1])
    assert head not in of_a.there
    assert received(pair[1]) == [1]


def test_a_block_is_asked_for_once_and_read_when_it_is_there(world):
    pair, link, runner, (of_a, of_b) = world
    pair[0].make_block()
    for _ in range(5):
        link.round()
    reads = [work for _, work in runner.works if work.func is pair[0].block]
    assert len(reads) == 1
    assert link._reader.cursors[0].height == pair[0].height - 1
    runner.do()
    link.round()
    assert link._reader.cursors[0].height == pair[0].height
    assert of_a.asked.count(pair[0].height) > 1  # beside, and from what is there
    assert pair[1].height in of_b.there


def test_what_goes_wrong_beside_is_met_by_the_round(world):
    pair, link, runner, (of_a, _) = world
    pair[0].make_block()
    of_a.down = EndpointUnavailable("a-1", "is down")
    link.round()
    runner.do()
    with pytest.raises(EndpointUnavailable, match="is down"):
        link.round()
    of_a.down = None
    link.round()
    assert link._reader.cursors[0].height == pair[0].height


def test_a_head_that_was_made_up_is_found_out(world, monkeypatch):
    """The head's block is of another chain: nothing of it is used, and the cursor stays."""
    pair, link, runner, _ = world
    height, block = pair[0].height, pair[0].block
    pair[0].make_block()
    other = CommittedBlock("other-9", height + 1, 1, b"", (), ())
    monkeypatch.setattr(pair[0], "block", lambda asked: other if asked == height + 1 else block(asked))
    link.round()
    runner.do()
    with pytest.raises(BlockMismatch):
        link.round()
    assert link._reader.cursors[0].height == height


def test_who_is_far_behind_reads_all_blocks_first(world):
    pair, link, runner, _ = world
    for _ in range(NEAR + 1):
        pair[0].make_block()
    runner.works.clear()
    link.round()
    assert link._reader.cursors[0].height == pair[0].height
    assert not [work for _, work in runner.works if getattr(work, "func", None) is pair[0].block]


def test_a_timeout_is_found_no_sooner_than_by_the_block_itself(world):
    """Until the block is read, the head has the time of the block below."""
    pair, link, runner, _ = world
    before = pair[0].tip()
    pair[0].make_block()
    (early, _) = link._reader.read()
    assert (early.height.revision_height, early.time_ns) == (before.height + 1, before.time_ns)
    assert len(link._reader.reading) == 1
    runner.do()
    (read, _) = link._reader.read()
    assert (read.height, read.time_ns) == (early.height, pair[0].tip().time_ns)
    assert link._reader.reading == []


def test_h189_what_took_effect_is_not_submitted_again_before_its_block_is_read(world):
    pair, link, runner, _ = world
    sent(pair, 3, 2)
    for _ in range(40):
        link.round()
        runner.do()
        while runner.waiting:
            future, work = runner.waiting.pop(0)
            done = runner.works
            future.set_result(_with_works(runner, work))
            assert done is runner.works
        for chain in pair:
            chain.make_block()
    assert (link.metrics.delivered, link.metrics.acknowledged, link.pending) == (5, 5, 0)
    assert (sum(received(pair[0])), sum(received(pair[1]))) == (2, 3)


def _with_works(runner, work):
    """Run a submission whose optional work is done at once."""
    submit = runner.submit

    def at_once(inner):
        future = Future()
        future.set_result(inner())
        return future

    runner.submit = at_once
    try:
        return work()
    finally:
        runner.submit = submit


def test_proofs_are_asked_for_while_the_update_is_built(pair, monkeypatch):
    """Proofs are fetched again if the client has a later header by then."""
    link = linked(pair, ManualRunner())
    client, order = link._clients[1], []
    tip = pair[0].tip().height
    proofs, builds = client.proofs, client.build_updates
    monkeypatch.setattr(client, "proofs", lambda height, some: order.append(height) or proofs(height, some))

    class Starting:
        def submit(self, work):
            future = Future()
            future.set_result(work())
            order.append("begun")
            return future

    def build(allowed):
        order.append("built")
        return builds(allowed)

    monkeypatch.setattr(client, "build_updates", build)
    submitter = Submitter(client, BatchLimits(), Metrics(), Starting())
    assert submitter.submit([], tip) == []
    assert order == [tip - 1, "begun", "built"]
    del order[:]
    pair[0].make_block()
    monkeypatch.setattr(client, "build_updates", lambda _allowed: (tip + 1, []))
    assert submitter.submit([], tip) == []
    assert order == [tip - 1, "begun", tip]


def test_without_an_executor_everything_is_in_turn(pair):
    runner = ManualRunner()
    link = linked(pair, runner)
    sent(pair, 1, 0)
    rounds(link, runner)
    assert (link.metrics.acknowledged, link.pending, link._reader.reading) == (1, 0, [])


@pytest.mark.parametrize("runner", [ManualExecutor, ManualRunner])
def test_a_chain_that_began_anew_lower_down_is_at_its_tip(pair, monkeypatch, runner):
    """Tasks that took effect before are not excluded until the chain is as high again."""
    link = linked(pair, runner())
    for chain in pair:
        Reading(chain, monkeypatch)
    link.round()
    link._reader._last_heights[0] = 10**6
    link.round()
    assert link._reader.is_at_tip(0)


def test_where_nothing_is_new_no_tip_is_asked_for(world, monkeypatch):
    """A tip queried in between would let the round wait for its block."""
    pair, link, _, _ = world
    asked = []
    for chain in pair:
        monkeypatch.setattr(chain, "last_height", lambda chain=chain: chain.height)
        monkeypatch.setattr(chain, "tip", lambda tip=chain.tip: asked.append("tip") or tip())
    heads = link._reader.read()
    assert [head.height.revision_height for head in heads] == [chain.height for chain in pair]
    assert asked == []
