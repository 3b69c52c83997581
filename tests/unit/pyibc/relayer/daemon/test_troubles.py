"""One model of trouble: what it is, since when, and what is serious."""

import pytest

from pyibc.relayer.daemon import troubles as module
from pyibc.relayer.daemon.chain_watch import ChainStatus
from pyibc.relayer.daemon.troubles import MAX_REASON, Trouble, TroubleKind, Troubles, troubles_of
from pyibc.relayer.daemon.worker import WorkerState, WorkerStatus, total
from pyibc.relayer.metrics import Metrics
from pyibc.relayer.rpc.pool_node import NodeState, NodeStatus

WELL = WorkerStatus("ab", WorkerState.RELAYING, "", 0, Metrics(), ())
WAITING = WELL._replace(state=WorkerState.WAITING, reason="why")
UP = ChainStatus("a-1", True, "")


@pytest.fixture
def told(monkeypatch):
    lines = []

    def tell(event, extra):
        lines.append((event, extra["kind"], extra["subject"], extra.get("seconds")))

    monkeypatch.setattr(module.log, "warning", tell)
    monkeypatch.setattr(module.log, "info", tell)
    return lines


@pytest.mark.parametrize(
    ("link", "kind", "reason"),
    [
        (WAITING._replace(failures=2), TroubleKind.PATH, "why"),
        (WAITING, TroubleKind.SIDE, "why"),
        (WELL._replace(metrics=Metrics(is_unsaved=True)), TroubleKind.DISK, "the journal cannot be saved"),
        (WELL._replace(metrics=Metrics(given_up={"recv 4": "no"})), TroubleKind.MESSAGE, "1 messages"),
    ],
)
def test_the_troubles_of_a_path(link, kind, reason):
    (found,) = troubles_of([link], [UP])
    assert (found.kind, found.subject, found.reason.startswith(reason)) == (kind, "ab", True)


def test_a_chain_is_in_trouble_once_it_was_asked():
    down = ChainStatus("c-3", False, "is down")
    assert [*troubles_of([WELL], [UP, down._replace(is_asked=False)])] == []
    assert [*troubles_of([], [down])] == [Trouble(TroubleKind.CHAIN, "c-3", "is down")]


def test_what_anybody_can_cause_is_not_serious():
    assert [each.value for each in TroubleKind if not each.is_serious] == ["node", "message"]


def test_a_trouble_has_its_begin_and_is_told_when_it_begins_and_ends(told):
    now, book = [100.0], Troubles(lambda: now[0])
    trouble = Trouble(TroubleKind.PATH, "ab", "one")
    assert book.update([trouble]) == [trouble._replace(since_s=100.0)]
    now[0] = 107.0
    other = Trouble(TroubleKind.DISK, "ab", "x" * 5_000)
    found = book.update([other, trouble._replace(reason="two")])
    assert [(each.kind, each.since_s) for each in found] == [
        (TroubleKind.PATH, 100.0),
        (TroubleKind.DISK, 107.0),
    ]
    assert (found[0].reason, found[1].reason) == ("two", "x" * MAX_REASON)
    assert book.update([other])[0].since_s == 107.0
    assert told == [
        ("trouble", "path", "ab", None),
        ("trouble", "disk", "ab", None),
        ("trouble is over", "path", "ab", 7.0),
    ]


def test_nodes_are_in_trouble_while_their_pool_does_not_use_them(told):
    states = {state: NodeStatus(state.name, state, 50.0, "why", 0, 0.0) for state in NodeState}
    found = Troubles(lambda: 100.0).update(troubles_of([], [UP._replace(nodes=tuple(states.values()))]))
    assert found == [
        Trouble(TroubleKind.NODE, f"a-1 {state.name}", "why", 50.0)
        for state in (NodeState.DOWN, NodeState.DROPPED)
    ]


def test_whether_the_journal_was_saved_is_that_of_the_last_link():
    assert total(Metrics(is_unsaved=True), Metrics()).is_unsaved is False
    assert total(Metrics(), Metrics(is_unsaved=True)).is_unsaved is True
