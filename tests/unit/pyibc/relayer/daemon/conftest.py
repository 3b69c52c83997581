"""Links and chains for tests of the daemon."""

from threading import Event

import pytest

from pyibc.relayer.metrics import Metrics
from pyibc.relayer.packets.backlog import PendingCount

SOON_S = 20.0  # for a thread to come to what it is waited for


class Scripted:
    """Link whose rounds return or raise the steps of a script; afterwards it is idle and sets an event."""

    def __init__(self, *script):
        self.metrics = Metrics()
        self.script = list(script)
        self.rounds, self.closed = 0, False
        self.idle = Event()

    def round(self):
        self.rounds += 1
        step = self.script.pop(0) if self.script else False
        if isinstance(step, BaseException):
            raise step
        if callable(step):
            return step(self)
        if not step:
            self.idle.set()
        return step

    def pending_counts(self):
        return [PendingCount("a-1", "b-2", "transfer/channel-0", 3, 7)]

    def rest(self):
        return None

    def problems(self):
        return []

    def close(self):
        self.closed = True


@pytest.fixture
def scripted():
    return Scripted
