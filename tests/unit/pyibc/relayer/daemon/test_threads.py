"""Bounded executor: works share few threads, which end when nothing is left to do."""

from threading import Event, current_thread

import pytest

from pyibc.relayer.daemon.threads import Threads
from tests.waiting import until

SOON_S = 20.0


def test_no_more_works_run_at_once_than_there_are_threads():
    threads, go_on, running = Threads(3, "t"), Event(), []

    def works():
        running.append(current_thread())
        assert go_on.wait(SOON_S)
        return "done"

    futures = [threads.submit(works) for _ in range(10)]
    until(lambda: len(running) == 3)
    assert threads.running == 3
    go_on.set()
    assert [future.result(SOON_S) for future in futures] == ["done"] * 10
    assert len(set(running)) == 3
    assert all(each.daemon for each in running)
    until(lambda: threads.running == 0)


def test_what_a_work_raises_is_its_future_s_and_the_others_go_on():
    threads = Threads(1, "t")

    def fails():
        raise SystemExit(3)

    failing, other = threads.submit(fails), threads.submit(lambda: 5)
    assert other.result(SOON_S) == 5
    assert isinstance(failing.exception(SOON_S), SystemExit)


def test_without_a_thread_to_be_had_the_future_fails_and_the_next_work_is_done(monkeypatch):
    threads = Threads(1, "t")

    class NoThread:
        def __init__(self, **_):
            pass

        def start(self):
            raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr("pyibc.relayer.daemon.threads.Thread", NoThread)
        future = threads.submit(lambda: pytest.fail("nobody does it"))
    assert str(future.exception(0)) == "can't start new thread"
    assert threads.submit(lambda: 7).result(SOON_S) == 7
