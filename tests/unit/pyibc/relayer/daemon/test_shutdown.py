"""The daemon ends in time, whatever hangs."""

import threading

import pytest

from pyibc.relayer.chain.endpoint import NO_EXTRAS
from pyibc.relayer.config.model import ChainConfig
from pyibc.relayer.daemon.chains import Chain
from pyibc.relayer.daemon.threads import Stopping, ended_in_time
from pyibc.relayer.errors import EndpointUnavailable

SOON_S = 20.0


def watchers():
    return [each for each in threading.enumerate() if each.name == "relayer shutdown"]


def test_what_hangs_is_left_behind_at_the_end():
    stop, left, codes = threading.Event(), threading.Event(), []

    def leave(code):
        codes.append(code)
        left.set()

    with ended_in_time(stop, 3, limit_s=0.0, leave=leave):
        stop.set()
        assert left.wait(SOON_S)
    assert codes == [3]


def test_what_ends_in_time_is_not_hurried():
    stop, codes = threading.Event(), []
    with ended_in_time(stop, 3, leave=codes.append):
        (watcher,) = watchers()
        stop.set()
    watcher.join(SOON_S)
    assert (codes, watchers()) == ([], [])


def test_a_thread_that_the_interpreter_would_wait_for_is_left_behind_too():
    stop, go_on, left = threading.Event(), threading.Event(), threading.Event()
    with ended_in_time(stop, 3, limit_s=0.0, leave=lambda _: left.set()):
        hanging = threading.Thread(target=go_on.wait)
        hanging.start()
    assert not left.is_set()
    stop.set()
    assert left.wait(SOON_S)
    go_on.set()
    hanging.join(SOON_S)


class Node:
    chain_id, extras = "a-1", NO_EXTRAS
    closed = False

    def close(self):
        self.closed = True


def test_the_end_does_not_wait_for_nodes_that_do_not_answer(monkeypatch):
    asked, answer, node, caught = threading.Event(), threading.Event(), Node(), []

    def connect(_):
        asked.set()
        assert answer.wait(SOON_S)
        return node

    def ask():
        with pytest.raises(EndpointUnavailable) as refused:
            chain.endpoint()
        caught.append(refused.value.reason)

    chain = Chain(ChainConfig(id="a-1", rpc=("http://127.0.0.1:1",)), connect)
    asking = threading.Thread(target=ask)
    asking.start()
    assert asked.wait(SOON_S)
    ending = threading.Thread(target=chain.end)
    ending.start()
    ending.join(SOON_S / 2)
    assert not ending.is_alive()
    answer.set()
    asking.join(SOON_S)
    assert (caught, node.closed) == (["no longer used"], True)


def connecting(*answers):
    """Return a chain whose connects wait, each for its event, and return or raise the answers."""
    waiting, going = [threading.Event() for _ in answers], iter([threading.Event() for _ in answers])
    events, left = [], list(answers)

    def connect(_):
        asked, go = waiting[len(events)], next(going)
        answer = left.pop(0)
        events.append(go)
        asked.set()
        assert go.wait(SOON_S)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    chain = Chain(ChainConfig(id="a-1", rpc=("http://127.0.0.1:1",)), connect)
    return chain, waiting, events


def test_nobody_but_who_needs_a_chain_waits_until_it_is_connected():
    node, found = Node(), []
    chain, waiting, events = connecting(node)
    threads = [threading.Thread(target=lambda: found.append(chain.endpoint())) for _ in range(3)]
    threads[0].start()
    assert waiting[0].wait(SOON_S)
    for each in threads[1:]:
        each.start()
    chain.forget()  # as a worker does whose other chain failed
    chain.renew_nodes()
    events[0].set()
    for each in threads:
        each.join(SOON_S)
    assert len(set(map(id, found))) == 1
    assert len(found) == 3
    assert chain.endpoint() is found[0]


def test_the_stop_of_who_connects_is_not_that_of_who_waits():
    node, found = Node(), []
    chain, waiting, events = connecting(Stopping(), node)

    def stopped():
        with pytest.raises(Stopping):
            chain.endpoint()

    threads = [threading.Thread(target=stopped)]
    threads[0].start()
    assert waiting[0].wait(SOON_S)
    threads.append(threading.Thread(target=lambda: found.append(chain.endpoint())))
    threads[1].start()
    events[0].set()
    assert waiting[1].wait(SOON_S)
    events[1].set()
    for each in threads:
        each.join(SOON_S)
    assert [each.chain_id for each in found] == ["a-1"]


def test_an_error_is_that_of_all_who_wait_and_the_next_one_connects_again():
    refused = []
    chain, waiting, events = connecting(EndpointUnavailable("a-1", "is down"), Node())

    def fails():
        with pytest.raises(EndpointUnavailable) as error:
            chain.endpoint()
        refused.append(error.value.reason)

    first = threading.Thread(target=fails)
    first.start()
    assert waiting[0].wait(SOON_S)
    events[0].set()
    first.join(SOON_S)
    again = threading.Thread(target=chain.endpoint)
    again.start()
    assert waiting[1].wait(SOON_S)
    events[1].set()
    again.join(SOON_S)
    assert (refused, chain.endpoint().chain_id) == (["is down"], "a-1")
