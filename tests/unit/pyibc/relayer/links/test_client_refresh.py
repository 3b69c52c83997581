"""Refresh of a client: when it is due, and what is told of it."""

from itertools import pairwise
from types import SimpleNamespace

import pytest

from pyibc.relayer.clients.foreign_client import NEVER, Lifetime
from pyibc.relayer.errors import ClientUnusable, EndpointUnavailable
from pyibc.relayer.links.client_watch import FIRST_S, LONGEST_S, REREAD_NS, ClientRefresh, expiries_of

SECOND = 10**9
DAY = 86_400 * SECOND
START = 1_700_000_000 * SECOND


class World:
    """Client with a trusting period of three days, and what is told of it."""

    def __init__(self, trusting_ns=3 * DAY):
        self.updated_ns, self.now_ns, self.trusting_ns = START, START, trusting_ns
        self.reads, self.told = 0, []
        host, reference = SimpleNamespace(chain_id="host"), SimpleNamespace(chain_id="reference")
        client = SimpleNamespace(host=host, reference=reference, client_id="client-1", lifetime=self.lifetime)
        self.clock_s = 0.0
        self.refresh = ClientRefresh(
            client, lambda event, facts: self.told.append((event, facts)), lambda: self.clock_s
        )

    def is_due(self, passed_ns, header_ns=None):
        """Return whether a refresh is due; the last header of the reference chain is new."""
        now_ns = self.at(passed_ns)
        return self.refresh.is_due(now_ns, now_ns if header_ns is None else header_ns)

    def lifetime(self):
        self.reads += 1
        found = Lifetime(self.updated_ns, self.trusting_ns, self.now_ns)
        if self.now_ns >= found.expires_ns:
            raise ClientUnusable("host", "client-1", "expired")
        return found

    def at(self, passed_ns):
        self.now_ns = START + passed_ns
        return self.now_ns


def facts(left_s, expires_ns):
    told = {"chain": "host", "client": "client-1", "of": "reference"}
    return {**told, "left_s": left_s, "expires_s": expires_ns // SECOND}


def test_it_is_due_after_two_thirds_and_not_if_another_relayer_was_first():
    world = World()
    assert not world.is_due(2 * DAY - 1)
    assert world.reads == 1  # a client that is not due is not read for it
    assert world.is_due(2 * DAY)
    other = World()
    other.updated_ns += DAY
    assert not other.is_due(2 * DAY)
    assert (other.told, other.refresh.due_ns) == ([], START + 3 * DAY)


def test_a_refresh_is_told_once_its_effect_is_read():
    world = World()
    assert world.is_due(2 * DAY)
    world.updated_ns = world.now_ns
    assert not world.is_due(2 * DAY + SECOND)
    assert world.told == [("client refreshed", facts(86_399, START + 5 * DAY))]
    world.refresh.observe(world.at(2 * DAY + 2 * REREAD_NS))
    assert len(world.told) == 1


def test_a_refresh_without_effect_is_told_once():
    world = World()
    for passed_s in range(5):
        assert world.is_due(2 * DAY + passed_s * SECOND)
        world.clock_s += LONGEST_S
    assert world.told == [("client not refreshed", facts(86_399, START + 3 * DAY))]
    world.updated_ns = world.now_ns
    world.refresh.observe(world.at(2 * DAY + REREAD_NS + 5 * SECOND))  # busy: `is_due` was not called again
    assert [event for event, _ in world.told] == ["client not refreshed", "client refreshed"]
    for _ in range(2):
        assert world.is_due(5 * DAY)
        world.clock_s += LONGEST_S
    assert [event for event, _ in world.told][2:] == ["client not refreshed"]


def test_a_client_is_read_again_from_time_to_time():
    world = World()
    world.updated_ns += DAY
    world.refresh.observe(world.at(REREAD_NS - 1))
    assert world.reads == 1
    world.refresh.observe(world.at(REREAD_NS))
    (expiry,) = expiries_of([world.refresh])
    assert expiry == ("host", "client-1", "reference", START + 4 * DAY, 3 * DAY)
    world.refresh.observe(world.at(REREAD_NS + 1))
    assert world.reads == 2


def test_an_expired_client_is_an_error_and_the_last_expiry_stays():
    world = World()
    with pytest.raises(ClientUnusable, match="expired"):
        world.refresh.observe(world.at(3 * DAY))
    assert expiries_of([world.refresh])[0].expires_ns == START + 3 * DAY


def test_a_host_that_does_not_answer_leaves_the_last_expiry_and_is_asked_again():
    world = World()
    answers = world.refresh._client.lifetime

    def silent():
        raise EndpointUnavailable("host", "no answer")

    world.refresh._client.lifetime = silent
    world.updated_ns += DAY
    world.refresh.observe(world.at(REREAD_NS))
    assert expiries_of([world.refresh])[0].expires_ns == START + 3 * DAY
    world.refresh._client.lifetime = answers
    world.refresh.observe(world.at(REREAD_NS + 1))
    assert expiries_of([world.refresh])[0].expires_ns == START + 4 * DAY


def test_a_client_that_never_expires_has_no_expiry():
    world = World(trusting_ns=0)
    assert not world.is_due(10_000 * DAY)
    assert (expiries_of([world.refresh]), world.refresh.due_ns) == ((), NEVER)


def test_a_false_time_of_the_host_makes_no_refresh_due_again():
    """Regression: a time of the tip just below the expiry led to a refresh in each round."""
    world, refreshes = World(), 0
    for minute in range(3 * 24 * 60):
        true_ns = START + minute * 60 * SECOND
        world.at(world.updated_ns + 3 * DAY - 1 - START)  # whatever the client's header
        if world.refresh.is_due(world.now_ns, true_ns):
            refreshes += 1
            world.updated_ns = true_ns
            world.refresh.observe(world.updated_ns + 2 * REREAD_NS)
        world.clock_s += 60
    assert 6 <= refreshes <= 12


def test_refreshes_without_effect_become_rare():
    """A node that shows the client's old state for ever, whose time goes on."""
    world, at_s = World(), []
    for _ in range(86_400 // 30):
        if world.is_due(2 * DAY + int(world.clock_s) * SECOND // 2):
            at_s.append(world.clock_s)
        world.clock_s += 30
    pauses = [after - before for before, after in pairwise(at_s)]
    assert pauses[:4] == [FIRST_S, 120, 240, 480]
    assert max(pauses) == LONGEST_S
    assert pauses == sorted(pauses)


def test_a_client_of_a_short_period_is_tried_more_often():
    world = World(trusting_ns=240 * SECOND)
    assert world.is_due(170 * SECOND)
    world.clock_s = 9.0
    assert not world.is_due(180 * SECOND)
    world.clock_s = 10.0
    assert world.is_due(180 * SECOND)


def test_a_chain_that_halted_renews_its_client_by_what_it_has_when_that_is_all_that_is_left():
    world = World()
    halted_ns = START + DAY // 2
    assert not world.is_due(2 * DAY, halted_ns)
    assert world.refresh.next_ns == START + REREAD_NS  # looked at again, not in each round
    assert world.is_due(2 * DAY + DAY // 2, halted_ns)
