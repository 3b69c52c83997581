"""Cache of values by height."""

from threading import Event, Thread

import pytest

from pyibc.relayer.chain.caches import HeightCache


def test_an_answer_is_asked_for_once_and_the_oldest_goes() -> None:
    asked = []
    cache = HeightCache(2)
    for height in (1, 1, 2, 1, 3, 2, 1):
        assert cache.get(height, lambda h: asked.append(h) or h * 10) == height * 10
    assert asked == [1, 2, 3, 1]


def test_an_answer_that_others_evict_at_once_is_given_all_the_same() -> None:
    """Another thread may fill the cache during a query."""
    cache = HeightCache(2)

    def ask(height):
        for other in range(100, 105):
            cache.get(other, lambda h: h)
        return height

    assert cache.get(7, ask) == 7
    assert cache.get(7, lambda _h: 8) == 7


def test_of_several_threads_one_asks() -> None:
    cache, begun, go = HeightCache(2), Event(), Event()
    asked, found = [], []

    def ask(height):
        asked.append(height)
        begun.set()
        assert go.wait(20)
        return height * 10

    threads = [Thread(target=lambda: found.append(cache.get(7, ask))) for _ in range(4)]
    for thread in threads:
        thread.start()
    assert begun.wait(20)
    go.set()
    for thread in threads:
        thread.join(20)
    assert (asked, found) == ([7], [70] * 4)


def test_what_is_forgotten_is_asked_for_again() -> None:
    cache = HeightCache(2)
    assert cache.get(7, lambda _h: "a lie") == "a lie"
    cache.forget()
    assert cache.get(7, lambda _h: "the truth") == "the truth"


def test_who_waits_for_an_answer_that_fails_asks_for_itself() -> None:
    cache, begun, go = HeightCache(2), Event(), Event()
    found, failed = [], []

    def fails(_height):
        begun.set()
        assert go.wait(20)
        raise SystemExit(3)  # the stop of a thread is not that of another

    def first():
        with pytest.raises(SystemExit):
            cache.get(7, fails)
        failed.append(7)

    threads = [Thread(target=first), Thread(target=lambda: found.append(cache.get(7, lambda h: h * 10)))]
    threads[0].start()
    assert begun.wait(20)
    threads[1].start()
    assert 8 not in cache
    assert cache.get(8, lambda h: h) == 8  # another height is not held up
    go.set()
    for thread in threads:
        thread.join(20)
    assert (failed, found, cache._asking) == ([7], [70], {})
