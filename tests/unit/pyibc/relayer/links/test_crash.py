"""F1: a relayer killed at every call it makes, and before and after every save; its successor finishes.

What a kill leaves is the chains as they are and the journal's file as SQLite left it.
"""

from math import inf

import pytest

from conformance.kit.seconds import SECONDS
from pyibc.core import paths as keys
from pyibc.core.channel.types import Order
from pyibc.core.packet.events import ACKNOWLEDGE_PACKET, RECV_PACKET, TIMEOUT_PACKET, read_packet_event
from pyibc.relayer.links.journal import Journal
from pyibc.relayer.links.link import Link
from pyibc.relayer.links.options import Options
from pyibc.relayer.paths.open_path import make_path
from tests.sampling import sample

CHANNEL = "channel-0"
QUICK = Options(sleep=lambda _seconds: None, clock=SECONDS, retry_wait_s=inf)


class Killed(BaseException):
    """Kill of the relayer; not an Exception, so that no handler catches it."""


def scene(new_pair, order):
    """Send packets in both directions; one of them times out and one is acknowledged late."""
    a, b = new_pair()
    path = make_path(a, b, "port", order, "v1")
    for _ in range(2):
        a.send(CHANNEL)
        b.send(CHANNEL)
    if order == Order.UNORDERED:
        a.send(CHANNEL, timeout=b.height)
    a.send(CHANNEL)
    return a, b, path


def ended(chain):
    events = [event for block in chain.blocks for tx in block.txs for event in tx.events]
    seen = [read_packet_event(event) for event in events]
    kinds = {ACKNOWLEDGE_PACKET, TIMEOUT_PACKET}
    return sorted(event.packet.sequence for event in seen if event is not None and event.kind in kinds)


def received(chain):
    events = [event for block in chain.blocks for tx in block.txs for event in tx.events]
    seen = [read_packet_event(event) for event in events]
    return [event.packet.sequence for event in seen if event is not None and event.kind == RECV_PACKET]


def points(path, a, b, journal, at, monkeypatch):
    """Run a link that is killed at its `at`-th point, if it gets there; return how many it reached."""
    count = 0

    def point(_name: str = "") -> None:
        nonlocal count
        count += 1
        if count == at:
            raise Killed

    def save(self, backlog, cursors):
        point()
        saved = original(self, backlog, cursors)
        point()
        return saved

    original = Journal.save
    a.point = b.point = point
    with monkeypatch.context() as patch:
        patch.setattr(Journal, "save", save)
        try:
            Link([path], a, b, journal=journal, options=QUICK).until_idle()
        except Killed:
            pass
        finally:
            a.point = b.point = lambda _name: None
    return count


NEVER = 0


@pytest.mark.parametrize("order", [Order.UNORDERED, Order.ORDERED])
@pytest.mark.parametrize("with_journal", [True, False])
def test_killed_at_every_point(new_pair, fast_path, order, with_journal, monkeypatch) -> None:
    def lived(at):
        a, b, path = scene(new_pair, order)
        journal = fast_path / f"{at}.db" if with_journal else None
        reached = points(path, a, b, journal, at, monkeypatch)
        if at != NEVER:
            assert reached == at
            done = Link([path], a, b, journal=journal, options=QUICK).until_idle()
            assert done.given_up == {}
            assert done.refused == 0
        total = 4 if order == Order.UNORDERED else 3
        assert ended(a) == list(range(1, total + 1)), at
        assert ended(b) == [1, 2], at
        assert received(b) == ([1, 2, 4] if order == Order.UNORDERED else [1, 2, 3]), at
        assert received(a) == [1, 2], at
        for chain in (a, b):
            prefix = keys.packet_commitment_prefix("port", CHANNEL)
            assert not [key for key in chain.store if key.startswith(prefix)]
        return reached

    every = lived(NEVER)
    assert every > 100
    for at in sample(range(1, every + 1), 30, f"{order} {with_journal}"):
        lived(at)


def test_killed_again_and_again(new_pair, fast_path, monkeypatch) -> None:
    """A relayer that gets only a few calls further each time completes the packets too."""
    a, b, path = scene(new_pair, Order.UNORDERED)
    for lives in range(200):
        at = 30 + lives
        if points(path, a, b, fast_path / "j.db", at, monkeypatch) < at:
            break
    assert 0 < lives < 60
    assert ended(a) == [1, 2, 3, 4]
    assert ended(b) == [1, 2]
    assert received(b) == [1, 2, 4]
