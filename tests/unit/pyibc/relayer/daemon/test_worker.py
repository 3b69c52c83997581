"""Workers end only when asked to; every failure is logged and retried after a pause."""

import logging
import sqlite3
from threading import Event

import pytest

from pyibc.relayer.daemon import worker as workers
from pyibc.relayer.daemon.schedule import Schedule
from pyibc.relayer.daemon.threads import pause
from pyibc.relayer.daemon.worker import LONGEST_REST_S, Worker, WorkerState, total
from pyibc.relayer.errors import (
    ClientUnusable,
    EndpointRefused,
    EndpointUnavailable,
    MalformedAnswer,
    WrongCounterparty,
)
from pyibc.relayer.metrics import COUNTERS, ClientExpiry, Metrics
from tests.waiting import until

SOON_S = 20.0


class Pauses(Event):
    """Event that returns from waits at once and records their lengths."""

    def __init__(self, ends_after=None):
        super().__init__()
        self.waits, self._ends_after = [], ends_after

    def wait(self, timeout=None):
        self.waits.append(timeout)
        if len(self.waits) == self._ends_after:
            self.set()
        return self.is_set()


@pytest.fixture
def told(caplog):
    logging.getLogger("pyibc.relayer").propagate = True
    caplog.set_level(logging.INFO, "pyibc.relayer")
    return lambda: [(record.getMessage(), getattr(record, "reason", "")) for record in caplog.records]


@pytest.mark.parametrize(
    "error",
    [
        EndpointUnavailable("a-1", "is down"),
        EndpointRefused("a-1", "q", "r"),
        MalformedAnswer("a-1", "q", "r"),
    ],
)
def test_a_chain_that_does_not_answer_is_asked_again_by_the_same_link(scripted, told, error):
    link = scripted(error, error, error, True, False)
    pauses, opened = Pauses(ends_after=5), []
    worker = Worker("p", lambda: opened.append(1) or link, interval=0.25, stop=pauses)
    worker.run()
    assert (len(opened), link.rounds, link.closed) == (1, 5, True)
    assert pauses.waits == [0.5, 1.0, 2.0, 0.0, 0.25]
    assert [event for event, _ in told()] == ["opened", *["failed"] * 3, "ended"]
    assert told()[1] == ("failed", str(error))
    assert worker.status.state is WorkerState.ENDED


@pytest.mark.parametrize(
    "error",
    [
        ClientUnusable("a-1", "07-tendermint-0", "expired"),
        WrongCounterparty("a-1", "channel-0", "no such channel"),
        KeyError("a fault of ours"),
    ],
)
def test_after_what_the_link_cannot_mend_it_is_made_anew(scripted, told, error):
    links = [scripted(True, error), scripted()]
    made, pauses, forgotten = [], Pauses(ends_after=3), []
    worker = Worker(
        "p",
        lambda: made.append(links[len(made)]) or made[-1],
        stop=pauses,
        forget=[lambda: forgotten.append(1)],
    )
    worker.run()
    assert [link.closed for link in links] == [True, True]
    assert (made, forgotten, pauses.waits) == (links, [1], [0.0, 0.5, 0.5])
    assert ("failed", str(error)) in told()


def test_a_link_that_cannot_be_made_is_tried_for_ever_at_a_bounded_pause(told):
    pauses = Pauses(ends_after=12)

    def opening():
        raise OSError("no key")

    worker = Worker("p", opening, stop=pauses)
    worker.run()
    assert pauses.waits == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, *[60.0] * 5]
    assert [reason for event, reason in told() if event == "failed"] == ["no key"] * 12
    assert worker.status.failures == 12


def test_a_success_begins_the_pauses_anew(scripted):
    down = EndpointUnavailable("a-1", "is down")
    pauses = Pauses(ends_after=6)
    link = scripted(down, down, True, down, down, False)
    Worker("p", lambda: link, interval=9.0, stop=pauses).run()
    assert pauses.waits == [0.5, 1.0, 0.0, 0.5, 1.0, 9.0]


def test_counters_go_on_when_the_link_is_made_anew(scripted):
    def works(link):
        link.metrics.delivered += 5
        link.metrics.transactions += 1
        link.metrics.given_up["x"] = "y"
        return True

    links = iter([scripted(works, works, ClientUnusable("a-1", "c", "frozen")), scripted(works)])
    worker = Worker("p", lambda: next(links), stop=Pauses(ends_after=5))
    worker.run()
    assert (worker.status.metrics.delivered, worker.status.metrics.transactions) == (15, 3)
    assert worker.status.pending[0].packets == 3


def test_the_expiry_of_clients_is_known_before_a_round_succeeds(scripted):
    expiry = ClientExpiry("a-1", "c", "b-2", 5, 3)
    link = scripted(EndpointUnavailable("a-1", "is down"))
    link.metrics.expiries = (expiry,)
    worker = Worker("p", lambda: link)
    assert worker.step() > 0
    assert (worker.status.state, worker.status.metrics.expiries) == (WorkerState.WAITING, (expiry,))


def test_an_end_is_heard_within_a_pause_of_the_endpoint(scripted):
    began = Event()

    def waits_for_a_block(_):
        began.set()
        pause(3600)

    link = scripted(waits_for_a_block)
    worker = Worker("p", lambda: link)
    worker.start(Schedule())
    assert began.wait(SOON_S)
    worker.end()
    assert worker.join(SOON_S)
    assert link.closed
    assert worker.status.state is WorkerState.ENDED


def test_an_end_in_a_pause_is_no_failure_that_something_tries_again(scripted, told):
    stop = Event()

    def swallows(_):
        stop.set()
        try:
            pause(3600)
        except Exception:
            pytest.fail("a stop is no Exception")

    Worker("p", lambda: scripted(swallows), stop=stop).run()
    assert [event for event, _ in told()] == ["opened", "ended"]
    pause(0)  # the thread's own again: it is not told to stop


def test_sums_are_of_every_counter():
    one = Metrics(**dict.fromkeys(COUNTERS, 2), cpu_ns={"read": 1}, given_up={"old": "r"}, held={"old": "h"})
    two = Metrics(
        **dict.fromkeys(COUNTERS, 3),
        cpu_ns={"read": 2, "plan": 4},
        given_up={"new": "r"},
        held={"new": "h"},
        expiries=(ClientExpiry("a-1", "c", "b-2", 5, 3),),
    )
    both = total(one, two)
    assert {name: getattr(both, name) for name in COUNTERS} == dict.fromkeys(COUNTERS, 5) | {"wanted": 3}
    assert (both.cpu_ns, both.given_up, both.held) == ({"read": 3, "plan": 4}, {"new": "r"}, {"new": "h"})
    assert both.expiries == two.expiries
    assert len(COUNTERS) == len(vars(Metrics())) - 6


@pytest.mark.parametrize("method", ["close", "pending_counts"])
def test_no_fault_of_a_link_ends_its_worker(scripted, told, monkeypatch, method):
    links, made = [scripted(ClientUnusable("a-1", "c", "frozen")), scripted()], []

    def fails():
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(links[0], method, fails)
    Worker("p", lambda: made.append(links[len(made)]) or made[-1], stop=Pauses(ends_after=2)).run()
    assert made == links
    assert links[1].closed


def test_what_is_given_up_is_logged_once_and_again_when_it_is_done(scripted, told):
    def gives_up(*names):
        def work(link):
            link.metrics.given_up = dict.fromkeys(names, "sdk/11")
            return False

        return work

    many = [str(number) for number in range(workers.MOST_TOLD + 5)]
    link = scripted(gives_up("x"), gives_up("x"), gives_up("x", "y"), gives_up("y"), gives_up(*many))
    worker = Worker("p", lambda: link, stop=Pauses(ends_after=5), clock=lambda: 10.0**9)
    worker.run()
    assert link.rounds == 5  # it stays open
    events = [event for event, _ in told()]
    assert events == [
        "opened",
        *["given up"] * 2,
        "no longer given up",
        *["given up"] * (workers.MOST_TOLD + 1),
        "no longer given up",
        "ended",
    ]


# -- idle links


def test_an_idle_link_sleeps_and_one_that_may_not_has_rounds_at_intervals(scripted):
    link, asleep, may_sleep = scripted(), [], [True, False, True]
    link.rest = lambda: "rest" if len(asleep) < 3 else None

    def sleep(rest, wake):
        asleep.append((rest, wake))
        return may_sleep.pop(0)

    worker = Worker("p", lambda: link, interval=9.0, sleep=sleep)
    assert worker.step() == 9.0  # not started: nobody could wake it
    schedule = Schedule()
    worker.start(schedule)
    until(lambda: asleep)
    schedule.close()
    assert [worker.step() for _ in range(3)] == [9.0, LONGEST_REST_S, 9.0]
    assert {rest for rest, _ in asleep} == {"rest"}


def test_a_link_that_sleeps_is_woken_for_its_next_round(scripted):
    link, wakes = scripted(), []
    link.rest = lambda: "rest"
    worker = Worker("p", lambda: link, sleep=lambda _rest, wake: wakes.append(wake) or True)
    worker.start(Schedule())
    until(lambda: len(wakes) == 1 or link.rounds > 1)
    wakes[0]()
    until(lambda: link.rounds == 2)
    worker.end()
    assert worker.join(SOON_S)
    assert link.closed


def test_a_fault_in_what_a_link_waits_for_is_a_failure_like_others(scripted, told):
    link = scripted()

    def fails():
        raise KeyError("ours")

    link.rest = fails
    worker = Worker("p", lambda: link, sleep=lambda *_: True)
    assert worker.step() == 0.5
    assert (worker.status.state, link.closed) == (WorkerState.WAITING, True)
