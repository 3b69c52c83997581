"""Links of one chain query each block once; failed and false blocks are queried again."""

from dataclasses import replace
from threading import Event

import pytest

from pyibc.core.height import Height
from pyibc.core.host.block import CommittedBlock
from pyibc.relayer.chain.endpoint import NO_EXTRAS, EndpointExtras
from pyibc.relayer.chain.values import Proven
from pyibc.relayer.daemon.chains import LEASE_S, SharedChain
from pyibc.relayer.errors import EndpointUnavailable
from tests.waiting import until

SOON_S = 20.0


class Counted:
    """Endpoint that counts queries."""

    chain_id, extras = "a-1", NO_EXTRAS

    def __init__(self):
        self.asked, self.down = [], False

    def submit(self, messages):
        return ("outcome", messages)

    def block(self, height):
        self.asked.append(height)
        if self.down:
            raise EndpointUnavailable("a-1", "is down")
        return ("block", height)


def test_few_blocks_are_kept_until_they_are_forgotten():
    endpoint = Counted()
    shared = SharedChain(endpoint, max_blocks=2)
    for height in (1, 2, 3, 2, 3, 1):
        assert shared.block(height) == ("block", height)
    assert (endpoint.asked, shared.queried) == ([1, 2, 3, 1], 4)
    shared.forget()
    shared.block(1)
    assert endpoint.asked[4:] == [1]


def test_a_transaction_s_time_is_taken():
    times = iter([10.0, 13.5])
    shared = SharedChain(Counted(), clock=lambda: next(times))
    assert shared.submit(["m"]) == ("outcome", ["m"])
    assert shared.confirmed.value.total_s == 3.5
    assert sum(shared.confirmed.value.counts) == 1


def test_the_time_until_the_mempool_has_a_transaction_is_taken_as_well():
    times = iter([10.0, 10.5, 17.0, 20.0, 25.0])

    class Telling(Counted):
        def __init__(self):
            super().__init__()
            self.extras = EndpointExtras(notify_sent=lambda notify: setattr(self, "sent", notify))

        def submit(self, messages):
            if messages:
                self.sent()  # else it was refused
            return "outcome"

    shared = SharedChain(Telling(), clock=lambda: next(times))
    assert [shared.submit(messages) for messages in (["a message"], [])] == ["outcome"] * 2
    assert (shared.submitted.value.total_s, sum(shared.submitted.value.counts)) == (0.5, 1)
    assert (shared.confirmed.value.total_s, sum(shared.confirmed.value.counts)) == (12.0, 2)


def test_what_the_endpoint_declares_goes_on_and_sharing_adds_to_it():
    endpoint = Counted()
    mine = SharedChain(endpoint).extras
    assert replace(mine, heights=None, prove_many=None, prefetch_proofs=None, forget=None) == NO_EXTRAS
    assert None not in (mine.heights, mine.prove_many, mine.prefetch_proofs, mine.forget)
    endpoint.extras = EndpointExtras(
        signers=("one", "two"),
        changes="changes",
        find="find",
        fees="fees",
        opinions="opinions",
        nodes="nodes",
        report_malformed="report",
    )
    mine = SharedChain(endpoint).extras
    assert replace(mine, heights=None, prove_many=None, prefetch_proofs=None, forget=None) == endpoint.extras


class Watched(Counted):
    """Endpoint that watches heights and proves many entries at once."""

    @property
    def extras(self):
        return EndpointExtras(changes=self, prove_many=self.prove_many)

    def height_after(self, known, *, relaxed=False):
        return known + 2

    def prove_many(self, keys, height):
        self.asked.append((list(keys), height))
        return [Proven(key, b"", Height(1, height + 1)) for key in keys]


def test_what_was_proven_ahead_is_asked_for_once_until_it_is_forgotten():
    endpoint = Watched()
    shared = SharedChain(endpoint)
    shared.extras.prefetch_proofs([b"a"], 4)
    assert [each.value for each in shared.extras.prove_many([b"b", b"a"], 4)] == [b"b", b"a"]
    assert endpoint.asked == [([b"a"], 4), ([b"b"], 4)]
    shared.forget()
    shared.extras.prove_many([b"a"], 4)
    assert endpoint.asked[2:] == [([b"a"], 4)]


# -- what links of a chain share


class Followed(Watched):
    """Endpoint with one block."""

    def __init__(self):
        super().__init__()
        self.told = Event()

    def height_after(self, known, *, relaxed=False):
        if known:
            self.told.wait(SOON_S)
        return 5

    def block(self, height):
        self.asked.append(height)
        return CommittedBlock("a-1", height, 7, b"app", (), (), b"own", b"parent")


def test_a_followed_chain_s_height_and_blocks_are_queried_once_for_all_links():
    endpoint = Followed()
    shared = SharedChain(endpoint)
    endpoint.tip = lambda: pytest.fail("its height is known")
    shared.follow()
    until(lambda: shared.feed.last is not None)
    assert (shared.last_height(), shared.feed.last.cursor.height) == (5, 5)
    assert [shared.block(5).height, endpoint.asked] == [5, [5]]
    shared.end()
    endpoint.told.set()
    until(lambda: shared.feed.height == 0)


def test_an_endpoint_that_does_not_wait_for_heights_is_not_followed():
    shared = SharedChain(Counted())
    shared.follow()
    shared.end()
    assert shared.feed.height == 0


def test_another_link_leads_once_the_leader_is_gone():
    now = [0.0]
    shared = SharedChain(Counted(), clock=lambda: now[0])
    assert [shared.leads("headers", who) for who in ("one", "two", "one")] == [True, False, True]
    assert shared.leads("others", "two")
    now[0] = LEASE_S - 1
    assert [shared.leads("headers", who) for who in ("two", "one")] == [False, True]
    now[0] += LEASE_S - 1
    assert not shared.leads("headers", "two")
    now[0] += 1
    assert [shared.leads("headers", who) for who in ("two", "one")] == [True, False]
