"""The daemon ends in time, whatever hangs."""

import threading

import pytest

from pyibc.relayer.daemon import chains as chains_module
from pyibc.relayer.daemon.chains import Chain
from pyibc.relayer.daemon.config import ChainConfig
from pyibc.relayer.daemon.shutdown import ended_in_time
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
    chain_id = "a-1"
    closed = False

    def close(self):
        self.closed = True


def test_the_end_does_not_wait_for_nodes_that_do_not_answer(monkeypatch):
    monkeypatch.setattr(chains_module, "CLOSE_S", 0.01)
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
