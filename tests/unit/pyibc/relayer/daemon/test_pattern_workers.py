"""Workers of a pattern: a link of its own for each pair of clients, opened again if channels join."""

import pytest

from pyibc.core.channel.types import Order
from pyibc.relayer.config.model import PathConfig
from pyibc.relayer.daemon import channel_pattern as module
from pyibc.relayer.daemon.channel_pattern import EVERY_S, MORE_S, ChannelPattern, PatternWorkers
from pyibc.relayer.daemon.schedule import Schedule
from pyibc.relayer.daemon.worker import Worker, WorkerState
from pyibc.relayer.errors import EndpointUnavailable
from pyibc.relayer.paths.path import Path, PathEnd
from tests.waiting import until

SOON_S = 20.0


def channel(client, number):
    ends = (PathEnd(name, client, "connection-0", "transfer", f"channel-{number}") for name in ("a-1", "b-2"))
    return Path(*ends, Order.UNORDERED, "ics20-1")


@pytest.fixture
def workers(scripted):
    """Workers of a pattern whose scans return or raise the steps of a script; and the links they opened."""
    pattern, opened, running = ChannelPattern(PathConfig(a="a-1", b="b-2", channels=("*",))), [], []

    def made(*script):
        steps = list(script)

        def scan():
            step = steps.pop(0)
            if isinstance(step, Exception):
                raise step
            pattern.groups = {(each[0].a.client_id,) * 2: each for each in step[0]}
            return step[1]

        def open_group(channels):
            link = scripted()
            opened.append((channels, link))
            return link

        found = PatternWorkers("p", pattern, scan, Worker, open_group)
        running.append(found)
        return found, opened

    yield made
    for each in running:
        each.end()
        assert each.join(SOON_S)


def test_each_pair_of_clients_has_a_link_and_one_that_grows_is_opened_again(workers):
    one, two, more = channel("x-0", 0), channel("x-1", 1), channel("x-0", 2)
    found, opened = workers(([(one,)], True), ([(one, more), (two,)], False))
    assert found.step() == MORE_S
    until(lambda: len(opened) == 1)
    assert found.step() == EVERY_S
    until(lambda: len(opened) == 3)
    assert opened[0][1].closed
    assert sorted(channels for channels, _ in opened) == sorted([(one,), (one, more), (two,)])
    assert [each.name for each in found.statuses] == ["p", "p (x-0, x-0)", "p (x-1, x-1)"]
    assert found.statuses[0].channels == 3


def test_a_scan_that_fails_leaves_the_links_and_is_repeated(workers):
    one = channel("x-0", 0)
    down = EndpointUnavailable("a-1", "is down")
    found, opened = workers(([(one,)], False), down, down, ([(one,)], False))
    found.step()
    until(lambda: len(opened) == 1)
    assert [found.step(), found.step()] == [0.5, 1.0]
    status = found.statuses[0]
    assert (status.state, status.reason, status.failures) == (WorkerState.WAITING, "a-1: is down", 2)
    assert not opened[0][1].closed
    found.step()
    assert (found.statuses[0].state, found.statuses[0].failures) == (WorkerState.RELAYING, 0)
    assert len(opened) == 1


def test_what_is_found_is_logged_when_it_changes(workers, monkeypatch):
    told = []
    monkeypatch.setattr(module.log, "info", lambda event, extra: told.append((event, extra["channels"])))
    found, _ = workers(([], False), ([], False), ([(channel("x-0", 0),)], False))
    for _ in range(3):
        found.step()
    assert told == [("channels found", 0), ("channels found", 1)]


def test_no_link_is_started_after_the_end(workers):
    found, opened = workers(([(channel("x-0", 0),)], False))
    found.end()
    found.step()
    assert (opened, [each.name for each in found.statuses]) == ([], ["p"])


def test_the_search_ends_with_its_links(workers):
    found, opened = workers(([(channel("x-0", 0),)], False))
    found.start(Schedule())
    until(lambda: len(opened) == 1)
    found.end()
    assert found.join(SOON_S)
    assert opened[0][1].closed
