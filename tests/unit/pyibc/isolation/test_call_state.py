import gc
import sys
from threading import Thread

from pyibc.isolation import call_depth, call_state


def test_a_collection_while_a_thread_s_state_is_made_is_no_error(monkeypatch):
    """A thread's first access makes its state, and that may start a collection, which marks the state."""
    made, ignored = [], []

    class Made(call_state.CallState):
        def __init__(self):
            gc.collect()
            super().__init__()
            made.append(self)

    monkeypatch.setattr(call_state, "CallState", Made)
    monkeypatch.setattr(sys, "unraisablehook", lambda told: ignored.append(told.exc_value))
    call_depth.watch_collector()
    thread = Thread(target=lambda: call_state.THREAD.call)
    thread.start()
    thread.join()
    assert (len(made), ignored) == (1, [])
