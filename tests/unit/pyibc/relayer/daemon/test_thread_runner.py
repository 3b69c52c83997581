"""Submissions in threads run concurrently, pause after failures, and end with their worker."""

import logging
from threading import Event, Thread
from types import SimpleNamespace

import pytest

from pyibc.relayer.chain.endpoint import NO_EXTRAS
from pyibc.relayer.config.model import PathConfig
from pyibc.relayer.daemon import links, threads
from pyibc.relayer.daemon.chains import SharedChain
from pyibc.relayer.daemon.links import FIRST_S, SETTLED_S, ThreadRunner
from pyibc.relayer.daemon.threads import Stopping, pause, stopping_at
from pyibc.relayer.errors import EndpointUnavailable
from pyibc.relayer.links.submissions import SERIAL

SOON_S = 20.0


def test_submissions_run_beside_each_other_and_their_results_come_back():
    runner, first, second = ThreadRunner("p"), Event(), Event()

    def waits_for_the_other():
        second.set()
        assert first.wait(SOON_S)
        return ["one"]

    def lets_the_other_go():
        assert second.wait(SOON_S)
        first.set()
        return ["two"]

    futures = [runner.launch(waits_for_the_other), runner.launch(lets_the_other_go)]
    assert [future.result(SOON_S) for future in futures] == [["one"], ["two"]]
    runner.wait(futures)
    runner.close()


def test_what_only_saves_time_runs_beside_and_its_errors_are_nobody_s():
    runner, ran = ThreadRunner("p"), Event()

    def fails():
        ran.set()
        raise EndpointUnavailable("n-3", "silence")

    runner.submit(fails)
    assert ran.wait(SOON_S)
    runner.close()
    assert (runner.executor, SERIAL.executor) == (runner, None)


def test_what_a_submission_raises_comes_back():
    def fails():
        raise KeyError("ours")

    future = ThreadRunner("p").launch(fails)
    with pytest.raises(KeyError, match="ours"):
        future.result(SOON_S)


def test_a_side_rests_longer_each_time_and_not_after_a_success(caplog):
    logging.getLogger("pyibc.relayer").propagate = True
    caplog.set_level(logging.INFO, "pyibc.relayer")
    now = [100.0]
    runner = ThreadRunner("p", clock=lambda: now[0])
    error = EndpointUnavailable("b-2", "is full")
    pauses = []
    for _ in range(9):
        assert runner.failed(1, "b-2", error)
        assert (runner.is_paused(0), runner.is_paused(1)) == (False, True)
        pauses.append(caplog.records[-1].pause_s)
        now[0] += pauses[-1]
        assert not runner.is_paused(1)
    assert pauses == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0]
    assert runner.problems() == ["to b-2: b-2: is full"]
    assert caplog.records[-1].path == "p"
    runner.failed(1, "b-2", error)
    runner.succeeded(1)
    assert (runner.is_paused(1), runner.problems()) == (False, [])


def test_the_error_of_a_broadcast_whose_answer_was_lost_ends():
    """Nothing is pending then, so that no later submission can succeed."""
    now, going, go_on = [100.0], Event(), Event()
    runner = ThreadRunner("p", clock=lambda: now[0])
    runner.failed(1, "b-2", EndpointUnavailable("b-2", "no answer"))
    now[0] += FIRST_S + SETTLED_S - 0.1
    assert runner.problems() == ["to b-2: b-2: no answer"]

    def submits():
        going.set()
        go_on.wait(SOON_S)

    runner.launch(submits)
    assert going.wait(SOON_S)
    now[0] += 0.1
    assert runner.problems() == ["to b-2: b-2: no answer"]
    go_on.set()
    runner.close()
    assert runner.problems() == []


def test_the_worker_s_stop_ends_what_is_under_way():
    stop, began, ended = Event(), Event(), []

    def submits():
        began.set()
        pause(3600)

    def worker():
        with stopping_at(stop):
            runner = ThreadRunner("p")
            future = runner.launch(submits)
            assert began.wait(SOON_S)
            stop.set()
            runner.close()
            ended.append(future.exception())
            with pytest.raises(Stopping):
                runner.wait([future])

    thread = Thread(target=worker)
    thread.start()
    thread.join(SOON_S)
    assert [type(each) for each in ended] == [Stopping]


@pytest.mark.parametrize("watch", [True, False])
def test_a_refresh_of_a_client_is_logged_and_one_without_effect_is_a_warning(caplog, monkeypatch, watch):
    logging.getLogger("pyibc.relayer").propagate = True
    caplog.set_level(logging.INFO, "pyibc.relayer")
    monkeypatch.setattr(links, "open_link", lambda *arguments: arguments[5])
    chains = [SharedChain(SimpleNamespace(chain_id=name, extras=NO_EXTRAS)) for name in ("a-1", "b-2")]
    options = links.open_for_daemon(PathConfig(a="a-1", b="b-2", name="p"), *chains, None, None, watch=watch)
    for event in ("client refreshed", "client not refreshed"):
        options.refreshes(event, {"client": "c", "left_s": 5})
    told = [(each.message, each.levelno, each.path, each.client, each.left_s) for each in caplog.records]
    assert told == [
        ("client refreshed", logging.INFO, "p", "c", 5),
        ("client not refreshed", logging.WARNING, "p", "c", 5),
    ]


def test_what_waits_for_a_thread_is_not_begun_at_the_end(monkeypatch):
    monkeypatch.setattr(threads, "SUBMITTING", 1)
    shared, go_on, began, begun = threads.PairThreads(), Event(), Event(), []
    one, two = (ThreadRunner(name, threads=shared) for name in ("one", "two"))
    first = one.launch(lambda: began.set() or go_on.wait(SOON_S))
    assert began.wait(SOON_S)
    second = two.launch(lambda: begun.append("two"))
    two.close()
    assert second.cancelled()
    go_on.set()
    one.close()
    assert (first.result(0), begun) == (True, [])


def test_links_between_the_same_chains_share_their_threads():
    one, two = (SharedChain(SimpleNamespace(chain_id=name, extras=NO_EXTRAS)) for name in ("a-1", "b-2"))
    assert one.threads_with("b-2") is one.threads_with("b-2")
    assert one.threads_with("c-3") is not one.threads_with("b-2")
    assert two.threads_with("c-3") is not one.threads_with("c-3")
