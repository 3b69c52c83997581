"""What `pyibc relay start` does until it is asked to stop."""

from threading import Event

from pyibc.cli.relay.start import LOOK_TICKS, TICK_S, _attend


class StopAfter:
    """Event that is set after some waits, without waiting."""

    def __init__(self, waits):
        self.waits = waits
        self.waited_s = 0.0

    def wait(self, seconds):
        self.waits -= 1
        self.waited_s += seconds
        return self.waits < 0


def test_troubles_are_looked_for_once_a_second():
    looks, stop = [], StopAfter(3 * LOOK_TICKS)
    _attend(stop, Event(), lambda: looks.append(round(stop.waited_s - TICK_S, 3)), None)
    assert looks == [0.0, 1.0, 2.0]


def test_a_reload_does_not_wait_for_the_next_look():
    again, done = Event(), []
    again.set()
    _attend(StopAfter(2), again, lambda: None, lambda: done.append("reloaded"))
    assert (done, again.is_set()) == (["reloaded"], False)
