"""Prefetched proofs are queried once, also for callers that ask during the query."""

from threading import Event, Thread

import pytest

from pyibc.core.height import Height
from pyibc.relayer.chain.values import Proven
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable
from pyibc.relayer.packets.proofs import PrefetchedProofs

SOON_S = 20.0


def entry(key: bytes, height: int, told: bytes = b"") -> Proven:
    return Proven(key + told, b"proof of " + key, Height(1, height + 1))


class Chain:
    """Chain that proves every key, and records the queries."""

    def __init__(self, **more) -> None:
        self.asked, self.fails, self.told = [], {}, b""
        self.prefetched = PrefetchedProofs(self.ask, **more)

    def ask(self, keys, height):
        self.asked.append((list(keys), height))
        return [self.fails.get(key) or entry(key, height, self.told) for key in keys]


def test_what_was_fetched_is_not_asked_for_again():
    chain = Chain()
    chain.prefetched.fetch([b"a", b"b", b"a"], 7)
    assert chain.prefetched.prove_many([b"b", b"a"], 7) == [entry(b"b", 7), entry(b"a", 7)]
    assert chain.asked == [([b"a", b"b"], 7)]


def test_what_was_not_fetched_is_asked_for_and_comes_in_order():
    chain = Chain()
    chain.prefetched.fetch([b"b"], 7)
    assert chain.prefetched.prove_many([b"a", b"b", b"c"], 7) == [entry(key, 7) for key in (b"a", b"b", b"c")]
    assert chain.asked[1:] == [([b"a", b"c"], 7)]


def test_another_height_is_another_state():
    chain = Chain()
    chain.prefetched.fetch([b"a"], 7)
    assert chain.prefetched.prove_many([b"a"], 8) == [entry(b"a", 8)]
    assert chain.asked[1:] == [([b"a"], 8)]


def test_what_two_links_fetch_of_a_height_is_there():
    chain = Chain()
    chain.prefetched.fetch([b"a"], 7)
    chain.prefetched.fetch([b"b"], 7)
    chain.asked.clear()
    chain.prefetched.prove_many([b"a", b"b"], 7)
    assert chain.asked == []


def test_what_failed_is_asked_for_again():
    chain = Chain()
    chain.fails = {b"a": EndpointRefused("a-1", "key", "height 7 is in the future")}
    chain.prefetched.fetch([b"a", b"b"], 7)
    chain.fails = {}
    assert chain.prefetched.prove_many([b"a", b"b"], 7) == [entry(b"a", 7), entry(b"b", 7)]
    assert chain.asked[1:] == [([b"a"], 7)]


def test_after_an_error_everything_is_asked_for_again():
    chain = Chain()
    chain.prefetched = PrefetchedProofs(
        lambda keys, height: chain.ask(keys, height) if chain.asked else chain.fall()
    )
    chain.fall = lambda: chain.asked.append("fell") or (_ for _ in ()).throw(EndpointUnavailable("a", "down"))
    with pytest.raises(EndpointUnavailable):
        chain.prefetched.fetch([b"a"], 7)
    found = []
    asking = Thread(target=lambda: found.extend(chain.prefetched.prove_many([b"a"], 7)), daemon=True)
    asking.start()
    asking.join(SOON_S)  # nobody waits for what has failed
    assert found == [entry(b"a", 7)]


def test_of_the_last_heights_alone_anything_is_kept():
    chain = Chain(max_heights=2)
    for height in (9, 7, 8):  # one node is behind another
        chain.prefetched.fetch([b"a"], height)
    chain.asked.clear()
    for height in (7, 8, 9):
        chain.prefetched.prove_many([b"a"], height)
    assert chain.asked == [([b"a"], 9)]


def test_a_height_that_was_made_up_keeps_no_later_one_out():
    chain = Chain(max_heights=2)
    for height in (10**18, 10**18 + 1, 7, 8):
        chain.prefetched.fetch([b"a"], height)
    chain.asked.clear()
    chain.prefetched.prove_many([b"a"], 7)
    assert chain.asked == []


def test_what_was_forgotten_is_asked_for():
    chain = Chain()
    chain.prefetched.fetch([b"a"], 7)
    chain.prefetched.clear()
    chain.told = b"anew"
    assert chain.prefetched.prove_many([b"a"], 7) == [entry(b"a", 7, b"anew")]


def test_who_comes_meanwhile_waits_and_others_do_not():
    chain, begun, go = Chain(), Event(), Event()

    def slowly(keys, height):
        if b"slow" in keys:
            begun.set()
            assert go.wait(SOON_S)
        return chain.ask(keys, height)

    prefetched, found = PrefetchedProofs(slowly), []
    fetching = Thread(target=prefetched.fetch, args=([b"slow"], 7))
    fetching.start()
    assert begun.wait(SOON_S)
    assert prefetched.prove_many([b"other"], 7) == [entry(b"other", 7)]
    waiting = Thread(target=lambda: found.extend(prefetched.prove_many([b"slow"], 7)))
    waiting.start()
    go.set()
    for thread in (fetching, waiting):
        thread.join(SOON_S)
    assert found == [entry(b"slow", 7)]
    assert chain.asked == [([b"other"], 7), ([b"slow"], 7)]
