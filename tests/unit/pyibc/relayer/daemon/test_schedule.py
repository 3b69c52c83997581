"""Schedule of turns: each is due at a time, may be woken, and has no thread while it is not due."""

from concurrent.futures import Future
from threading import Event, current_thread

import pytest

from pyibc.relayer.daemon.schedule import RETRY_S, THREADS, Schedule
from pyibc.relayer.daemon.threads import Threads
from tests.waiting import until

SOON_S = 20.0
FOREVER_S = 10.0**6


@pytest.fixture
def schedule():
    found = Schedule()
    yield found
    found.close()


def test_a_turn_is_taken_at_once_and_again_after_its_pause(schedule):
    taken, done = [], Event()

    def turn():
        taken.append(len(taken))
        if len(taken) < 3:
            return 0.001
        done.set()
        return None

    schedule.add(turn, "g")
    assert done.wait(SOON_S)
    assert taken == [0, 1, 2]


def test_a_turn_that_rests_has_no_thread_and_is_woken(schedule):
    taken = []
    wakes = [schedule.add(lambda n=n: taken.append(n) or FOREVER_S, "g") for n in range(100)]
    until(lambda: len(taken) == 100)
    until(lambda: not any(group.running for group in schedule._groups.values()))
    wakes[7]()
    until(lambda: taken[100:] == [7])


def test_a_wake_during_a_turn_is_followed_by_another(schedule):
    began, go_on, taken = Event(), Event(), []

    def turn():
        taken.append(1)
        began.set()
        assert go_on.wait(SOON_S)
        return FOREVER_S

    wake = schedule.add(turn, "g")
    assert began.wait(SOON_S)
    wake()
    wake()
    go_on.set()
    until(lambda: len(taken) == 2)


def test_a_turn_that_has_ended_is_not_woken(schedule):
    taken = []
    wake = schedule.add(lambda: taken.append("ended"), "g")
    until(lambda: taken)
    until(lambda: not any(group.running for group in schedule._groups.values()))
    wake()
    schedule.add(lambda: taken.append("other"), "g")
    until(lambda: len(taken) > 1)
    assert taken == ["ended", "other"]


def test_a_group_that_hangs_holds_its_own_threads_alone(schedule):
    go_on, hanging = Event(), []

    def hangs():
        hanging.append(current_thread())
        assert go_on.wait(SOON_S)

    for _ in range(3 * THREADS):
        schedule.add(hangs, "down")
    other = Event()
    until(lambda: len(hanging) == THREADS)
    schedule.add(other.set, "up")
    assert other.wait(SOON_S)
    assert len(hanging) == THREADS
    go_on.set()
    until(lambda: len(hanging) == 3 * THREADS)
    assert len(set(hanging)) == THREADS


def test_a_fault_in_a_turn_ends_nothing(schedule, caplog):
    taken = []

    def fails():
        taken.append(1)
        raise KeyError("ours")

    wake = schedule.add(fails, "g")
    until(lambda: taken and schedule._heap)
    assert schedule._pause_s() <= RETRY_S
    wake()
    until(lambda: len(taken) == 2)


def test_without_a_thread_to_be_had_the_turn_waits(schedule, monkeypatch):
    taken, refused = [], []
    submit = Threads.submit

    def refuses_once(threads, work):
        if refused:
            return submit(threads, work)
        refused.append(Future())
        refused[0].set_exception(RuntimeError("can't start new thread"))
        return refused[0]

    monkeypatch.setattr(Threads, "submit", refuses_once)
    wake = schedule.add(lambda: taken.append(1) or FOREVER_S, "g")
    until(lambda: refused and schedule._heap)
    assert taken == []
    wake()
    until(lambda: taken)


def test_after_its_end_no_turn_begins(schedule):
    taken = []
    wake = schedule.add(lambda: taken.append(1) or FOREVER_S, "g")
    until(lambda: taken)
    schedule.close()
    schedule._thread.join(SOON_S)
    wake()
    assert taken == [1]
    assert not schedule._thread.is_alive()
