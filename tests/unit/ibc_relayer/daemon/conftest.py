"""Links and chains that do as they are told."""

from threading import Event

import pytest

from ibc_relayer.metrics import Metrics
from ibc_relayer.waiting import Waiting

SOON_S = 20.0  # for a thread to come to what it is waited for


class Scripted:
    """A link whose rounds give or raise what a script says; then it has nothing to do, and says so."""

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

    def waiting(self):
        return [Waiting("a-1", "b-2", "transfer/channel-0", 3, 7)]

    def troubles(self):
        return []

    def close(self):
        self.closed = True


@pytest.fixture
def scripted():
    return Scripted
