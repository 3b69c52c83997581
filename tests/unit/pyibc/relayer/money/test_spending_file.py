"""Spending of the day in a file: restarts, kills, damage."""

import sqlite3

import pytest

from pyibc.relayer.money import budgets, spending_file
from pyibc.relayer.money.budgets import DAY_S, Budget, Budgets
from pyibc.relayer.money.spending_file import Part, SpendingFile
from tests.unit.pyibc.relayer.money.test_budgets import transfer

LIMITS = Budget(chain=100, path=50, sender=20)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "relayer.db.spending"


@pytest.fixture
def start(file):
    """Return a function that starts as a daemon does; the ones before are killed, not closed."""
    opened = []

    def start(chain="a-1", denom="stake", day=7, budget=LIMITS):
        opened.append(SpendingFile(file))
        return Budgets(budget, denom, lambda: day * DAY_S, opened[-1].of_chain(chain, denom))

    yield start
    for each in opened:
        each.close()


@pytest.fixture
def logged(monkeypatch):
    lines = []
    monkeypatch.setattr(spending_file.log, "error", lambda event, extra: lines.append((event, extra)))
    return lines


def spend(found, fee, sender="bob"):
    refusal = found.reserve([transfer(1, sender)], fee)
    return "" if refusal is None else refusal.log


def test_what_was_spent_before_a_kill_counts_for_the_same_day(start):
    assert spend(start(), 15) == ""
    assert "for the sender 'bob of transfer/channel-3>port-b/channel-8' has 5 left" in spend(start(), 6)
    assert spend(start(), 20, "eve") == ""
    assert "for the path 'transfer/channel-3>port-b/channel-8' has 15 left" in spend(start(), 16, "zed")
    before = start()
    before.give_back([transfer(1, "eve")], 20)
    assert start().spent == 15


def test_other_days_chains_and_denominations_are_not_counted(start):
    spend(start(), 15)
    assert [start(chain="b-2").spent, start(denom="atom").spent, start().spent] == [0, 0, 15]
    assert start(day=8).spent == 0
    assert start().spent == 0  # the other day was deleted


def test_amounts_beyond_int64_are_kept(start):
    spend(start(budget=Budget(chain=10**30)), 10**25)
    assert start().spent == 10**25


def test_a_part_that_is_dropped_is_dropped_in_the_file(start, file, monkeypatch):
    monkeypatch.setattr(budgets, "MAX_PARTS", 3)
    for number in range(9):
        spend(start(budget=Budget(chain=100, sender=100)), 1, f"s{number}")
    with sqlite3.connect(file) as db:
        names = [name for (name,) in db.execute("SELECT name FROM spent WHERE kind='sender' ORDER BY rowid")]
    assert [name[:2] for name in names] == ["s6", "s7", "s8"]


def replaced(file):
    file.write_bytes(b"x" * 5_000)


def broken(file):
    raw = file.read_bytes()
    file.write_bytes(raw[:4_096] + b"\x11" * (len(raw) - 4_096))


def wrong_amount(text):
    def change(file):
        with sqlite3.connect(file) as db:
            db.execute("UPDATE spent SET amount=?", (text,))

    return change


@pytest.mark.parametrize(
    "damage", [replaced, broken, *map(wrong_amount, ["-5", "9" * 81, "1e3", b"\xff", ""])]
)
def test_a_damaged_file_is_moved_aside_and_counts_as_nothing_spent(start, file, logged, damage):
    before = start()
    spend(before, 15)
    before._saved.file.close()
    damage(file)
    assert start().spent == 0
    assert [event for event, _ in logged] == ["spending of the day is lost: the file is damaged"]
    facts = logged[0][1]
    assert (facts["file"], facts["kept"]) == (str(file), f"{file}.damaged")
    assert file.with_name(file.name + ".damaged").exists()
    spend(start(), 4)
    assert start().spent == 4


def test_a_database_of_something_else_is_moved_aside_unchanged(start, file):
    with sqlite3.connect(file) as db:
        db.execute("CREATE TABLE spent (mine TEXT)")
    raw = file.read_bytes()
    assert spend(start(), 15) == ""
    aside = file.with_name(file.name + ".damaged")
    assert aside.exists()
    assert aside.read_bytes() == raw
    assert start().spent == 15


def test_while_the_file_cannot_be_used_spending_is_counted_in_memory(start, file, logged):
    file.mkdir()
    found = start()
    assert [spend(found, 15), spend(found, 5)] == ["", ""]
    assert "has 0 left" in spend(found, 1)
    assert [event for event, _ in logged] == ["spending not saved"]
    file.rmdir()
    spend(found, 2, "eve")
    assert start().spent == 22


# -- the daemon and `relay clear`


def test_processes_that_share_a_file_share_its_budgets_at_every_moment(start):
    """Regression: each process knew what the others had spent before its own start alone."""
    daemon, clear = start(), start()
    assert [spend(daemon, 15), spend(clear, 4)] == ["", ""]
    assert "for the sender 'bob of transfer/channel-3>port-b/channel-8' has 1 left" in spend(daemon, 2)
    assert "has 1 left" in spend(clear, 2)
    daemon.give_back([transfer(1, "bob")], 15)
    assert spend(clear, 16) == ""
    assert (clear.spent, start().spent) == (20, 20)
    assert "has 0 left" in spend(daemon, 1)


def test_what_could_not_be_saved_is_added_to_what_others_spent_meanwhile(start, monkeypatch, logged):
    daemon, clear = start(), start()
    spend(daemon, 1)

    def full(*_):
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(daemon._saved.file, "_end", full)
        assert spend(daemon, 10) == ""
    assert [event for event, _ in logged] == ["spending not saved"]
    assert spend(clear, 5) == ""
    assert "has 4 left" in spend(daemon, 5)
    assert spend(daemon, 2) == ""
    assert start().spent == 18


def test_nobody_else_changes_the_file_while_a_budget_is_judged(start, file):
    found = start()
    spend(found, 1)
    other = sqlite3.connect(file, timeout=0, isolation_level=None)

    def fails():
        with found._saved.shared(7, []) as rows:
            with pytest.raises(sqlite3.OperationalError, match="locked"):
                other.execute("BEGIN IMMEDIATE")
            rows.changed[Part("chain", "")] = 9
            raise KeyError("ours")

    with pytest.raises(KeyError, match="ours"):
        fails()
    other.execute("BEGIN IMMEDIATE")
    other.close()
    assert spend(found, 2) == ""
    assert start().spent == 3
