"""Threads of submissions: they run beside each other, rest after failures, and end when the worker does."""

import logging
from threading import Event, Thread

import pytest

from ibc_relayer.daemon.pausing import Stopping, pause, stopping_at
from ibc_relayer.daemon.thread_lanes import ThreadLanes
from ibc_relayer.errors import EndpointUnavailable
from ibc_relayer.lanes import IN_TURN, LooksAhead

SOON_S = 20.0


def test_submissions_run_beside_each_other_and_their_results_come_back():
    lanes, first, second = ThreadLanes("p"), Event(), Event()

    def waits_for_the_other():
        second.set()
        assert first.wait(SOON_S)
        return ["one"]

    def lets_the_other_go():
        assert second.wait(SOON_S)
        first.set()
        return ["two"]

    futures = [lanes.launch(waits_for_the_other), lanes.launch(lets_the_other_go)]
    assert [future.result(SOON_S) for future in futures] == [["one"], ["two"]]
    lanes.wait(futures)
    lanes.close()


def test_what_only_saves_time_runs_beside_and_its_errors_are_nobody_s():
    lanes, ran = ThreadLanes("p"), Event()

    def fails():
        ran.set()
        raise EndpointUnavailable("n-3", "silence")

    lanes.ahead(fails)
    lanes.close()
    assert ran.is_set()
    assert isinstance(lanes, LooksAhead)
    assert not isinstance(IN_TURN, LooksAhead)


def test_what_a_submission_raises_comes_back():
    def fails():
        raise KeyError("ours")

    future = ThreadLanes("p").launch(fails)
    with pytest.raises(KeyError, match="ours"):
        future.result(SOON_S)


def test_a_side_rests_longer_each_time_and_not_after_a_success(caplog):
    logging.getLogger("pyibc.relayer").propagate = True
    caplog.set_level(logging.INFO, "pyibc.relayer")
    now = [100.0]
    lanes = ThreadLanes("p", clock=lambda: now[0])
    error = EndpointUnavailable("b-2", "is full")
    pauses = []
    for _ in range(9):
        assert lanes.failed(1, "b-2", error)
        assert (lanes.rests(0), lanes.rests(1)) == (False, True)
        pauses.append(caplog.records[-1].pause_s)
        now[0] += pauses[-1]
        assert not lanes.rests(1)
    assert pauses == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0]
    assert lanes.troubles() == ["to b-2: b-2: is full"]
    assert caplog.records[-1].path == "p"
    lanes.failed(1, "b-2", error)
    lanes.succeeded(1)
    assert (lanes.rests(1), lanes.troubles()) == (False, [])


def test_the_worker_s_stop_ends_what_is_under_way():
    stop, began, ended = Event(), Event(), []

    def submits():
        began.set()
        pause(3600)

    def worker():
        with stopping_at(stop):
            lanes = ThreadLanes("p")
            future = lanes.launch(submits)
            assert began.wait(SOON_S)
            stop.set()
            lanes.close()
            ended.append(future.exception())
            with pytest.raises(Stopping):
                lanes.wait([future])

    thread = Thread(target=worker)
    thread.start()
    thread.join(SOON_S)
    assert [type(each) for each in ended] == [Stopping]
