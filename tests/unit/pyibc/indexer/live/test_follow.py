"""The index reruns whenever its inputs have changed, and only then."""

import shutil
import threading

import pytest

from pyibc.indexer.errors import EngineFailed

STUCK = 'ibc_packets{state="stuck"}'
ON_CHANNEL = (
    'ibc_channel_pending_packets{dst_chain="b-1",dst_channel="channel-0",dst_port="transfer",'
    'src_chain="a-1",src_channel="channel-0",src_port="transfer",state="stuck"}'
)


def test_a_stuck_packet_shows_at_the_block_that_ends_its_time(looked):
    assert looked.numbers()[STUCK] == 0
    looked.chains.event("a-1", 42, "send_packet", 20, until=44 * 10**9)
    looked.put(("a-1", 42), ("b-1", 42))
    shown = []
    for height in (43, 44):
        looked.put(("a-1", height), ("b-1", height))
        assert looked.look()
        shown.append((looked.numbers()[STUCK], looked.numbers()[ON_CHANNEL]))
    assert shown == [(0, 0), (1, 1)]
    assert looked.numbers()['ibc_chain_pending_packets{chain="a-1",state="stuck"}'] == 1
    looked.chains.event("a-1", 47, "timeout_packet", 20)
    looked.put(("a-1", 47))
    looked.look()
    assert (looked.numbers()[STUCK], looked.numbers()[ON_CHANNEL]) == (0, 0)


def test_nothing_runs_while_nothing_changes(looked, monkeypatch):
    checked = looked.board.read().checked
    assert not looked.look()
    assert looked.board.read().rounds == 1
    assert looked.numbers()["ibc_index_last_check_timestamp_seconds"] == looked.board.read().checked > checked
    assert looked.numbers()["ibc_index_last_success_timestamp_seconds"] == checked
    looked.put(("a-1", 60))
    assert looked.look()
    assert looked.board.read().last.outcome.tips["a-1"].height == 60
    (looked.chains.folder / "new").mkdir()
    assert not looked.look()
    (looked.chains.folder / "new" / "notes.txt").write_text("hello")
    assert looked.look()
    assert looked.numbers()["ibc_index_skipped"] == 1
    assert looked.board.read().rounds == 3


def test_results_that_are_gone_are_made_again(looked):
    before = looked.board.read().last.outcome.answers.totals
    shutil.rmtree(looked.out)
    assert looked.look()
    assert looked.board.read().last.outcome.answers.totals == before
    assert (looked.out / "gold" / "packets" / "_delta_log").is_dir()
    assert not looked.look()


def test_h217_inputs_that_are_gone_for_a_while_empty_no_tables(looked):
    before, summary = looked.board.read().last, (looked.out / "summary.json").read_bytes()
    looked.chains.folder.rename(looked.out.parent / "unmounted")
    with pytest.raises(FileNotFoundError) as caught:
        looked.look()
    assert caught.value.filename == str(looked.chains.folder)
    assert looked.board.read().last is before
    assert (looked.out / "summary.json").read_bytes() == summary
    (looked.out.parent / "unmounted").rename(looked.chains.folder)
    assert not looked.look()  # unchanged inputs


def test_a_round_that_fails_is_told_counted_and_tried_again(looked, monkeypatch):
    from pyibc.indexer.live import follow
    from pyibc.indexer.live.follow import Stopped

    before = looked.board.read().last
    looked.put(("a-1", 60))
    failures = iter(
        [
            EngineFailed("DuckDB", "no"),
            FileNotFoundError(2, "no such file or folder", "/in"),
            OSError(28, "No space left on device"),
        ]
    )
    waits = []

    def fail(*_, **__):
        if error := next(failures, None):
            raise error
        looked.stop.set()
        raise Stopped

    class Stop(threading.Event):
        def wait(self, seconds):
            waits.append(seconds)

    looked.stop = Stop()
    monkeypatch.setattr(follow, "index", fail)
    looked.follower.run(looked.stop)
    assert [line.partition(": ")[2] for line in looked.told[1:]] == [
        "DuckDB: no",
        "/in: no such file or folder",
        "the disk is full",
    ]
    assert waits == [0.01, 0.02, 0.04]
    state = looked.board.read()
    assert (state.failures, state.error, state.rounds) == (3, "the disk is full", 1)
    assert state.last is before
    assert (looked.numbers()["ibc_index_up"], looked.numbers()["ibc_index_failures_total"]) == (0, 3)
    monkeypatch.undo()
    looked.look()
    assert (looked.board.read().error, looked.board.read().rounds) == ("", 2)


def test_waits_after_failures_are_bounded(live, monkeypatch):
    from pyibc.indexer.live import follow

    waits = []

    class Stop(threading.Event):
        def wait(self, seconds):
            waits.append(seconds)
            if len(waits) == 20:
                self.set()

    def fail(*_, **__):
        raise EngineFailed("DuckDB", "no")

    monkeypatch.setattr(follow, "index", fail)
    live.follower.run(Stop())
    assert max(waits) == follow.LONGEST_S
    assert waits == sorted(waits)


def test_a_run_is_broken_off_between_its_steps(live):
    from pyibc.indexer.live.follow import Stopped

    live.stop.set()
    with pytest.raises(Stopped):
        live.look()
    assert live.board.read().rounds == 0
    live.follower.run(live.stop)
    assert (live.told, live.board.read().failures) == ([], 0)
    live.stop.clear()
    assert live.look()
