"""One result for threads that query at about the same time."""

from threading import Event, Thread

import pytest

from pyibc.relayer.chain.caches import RecentAnswer
from pyibc.relayer.errors import EndpointUnavailable
from tests.waiting import until

SOON_S = 20.0


class Asked:
    """Counting query with a clock set by the test."""

    def __init__(self, fresh_s: float) -> None:
        self.now, self.count, self.fails = 0.0, 0, False
        self.answer = RecentAnswer(self.ask, fresh_s, lambda: self.now)

    def ask(self) -> int:
        self.count += 1
        if self.fails:
            raise EndpointUnavailable("node", f"silence {self.count}")
        return self.count


def test_an_answer_is_given_again_until_it_is_old() -> None:
    asked = Asked(1.0)
    found = []
    for now in (0.0, 0.5, 0.9, 1.0, 1.5, 2.5):
        asked.now = now
        found.append(asked.answer.get())
    assert found == [1, 1, 1, 2, 2, 3]


def test_where_nothing_is_fresh_everybody_asks() -> None:
    asked = Asked(0.0)
    assert [asked.answer.get() for _ in range(3)] == [1, 2, 3]


def test_an_error_is_that_of_all_who_asked_for_it_and_not_of_later_ones() -> None:
    asked = Asked(1.0)
    asked.fails = True
    for now in (0.0, 0.5):
        asked.now = now
        with pytest.raises(EndpointUnavailable, match="silence 1"):
            asked.answer.get()
    asked.fails, asked.now = False, 1.0
    assert asked.answer.get() == 2


def test_a_fault_of_ours_leaves_no_answer() -> None:
    def fails() -> int:
        raise KeyError("ours")

    answer = RecentAnswer(fails, 1.0, lambda: 0.0)
    for _ in range(2):
        with pytest.raises(KeyError, match="ours"):
            answer.get()


def test_who_comes_meanwhile_waits_for_that_answer_however_long_it_takes() -> None:
    asked, begun, go = Asked(1.0), Event(), Event()
    found = []

    def slow() -> int:
        begun.set()
        assert go.wait(SOON_S)
        asked.now = 9.0
        return asked.ask()

    answer = RecentAnswer(slow, 1.0, lambda: asked.now)
    threads = [Thread(target=lambda: found.append(answer.get())) for _ in range(4)]
    threads[0].start()
    assert begun.wait(SOON_S)
    asked.now = 5.0  # the question is old by now
    for thread in threads[1:]:
        thread.start()
    until(lambda: all(thread.is_alive() for thread in threads))
    go.set()
    for thread in threads:
        thread.join(SOON_S)
    assert (found, asked.count) == ([1] * 4, 1)
