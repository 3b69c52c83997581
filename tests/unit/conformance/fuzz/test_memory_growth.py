"""What a run refuses, fills a block with, complains of."""

import pytest
from click.testing import CliRunner

from conformance.fuzz import command, full_block, memory_growth
from conformance.fuzz.case import Case, open_attack


def case(name, run, *, executed=False):
    return Case(name, lambda size: open_attack(size, run), executed)


def test_refused_transactions_change_nothing(made):
    app, address = made.last.chain.app, made.last.chain.app.addresses.decode(made.last.addresses[0], "a")
    before = app.pending_account(address.raw)

    memory_growth.refuse(made, 3)

    assert app.pending_account(address.raw) == before
    assert app.info().height == made.last.height - 1


@pytest.fixture
def run(made, monkeypatch):
    """Runs the command over planted cases."""

    def go(*cases):
        monkeypatch.setattr(command, "worlds", lambda: made)
        monkeypatch.setattr(command, "all_cases", lambda _: cases)
        monkeypatch.setattr(memory_growth, "memory_left", lambda _: memory_growth.Left(10_000, 63.0))
        monkeypatch.setattr(command, "_executed", lambda _: iter(()))
        return CliRunner().invoke(command.command, [])

    return go


def bug():
    raise KeyError("surprise")


def test_a_clean_run_ends_well(run):
    told = run(case("a case", lambda: "ok", executed=True))

    assert told.exit_code == 0
    assert "1 cases" in told.output
    assert "FAULT" not in told.output


def test_what_is_known_passes_until_it_is_clean(run, monkeypatch):
    monkeypatch.setattr(command, "KNOWN", {"a case": "planted"})

    assert run(case("a case", bug)).exit_code == 0
    told = run(case("a case", lambda: "ok"))
    assert told.exit_code == 1
    assert "FAULT a case: clean, and in the table of what is known" in told.output


def test_memory_that_stays_fails_the_run(made, monkeypatch):
    monkeypatch.setattr(command, "worlds", lambda: made)
    monkeypatch.setattr(command, "all_cases", lambda _: [])
    monkeypatch.setattr(memory_growth, "memory_left", lambda _: memory_growth.Left(10_000, 65.0))
    monkeypatch.setattr(command, "_executed", lambda _: iter(()))

    told = CliRunner().invoke(command.command, [])

    assert told.exit_code == 1
    assert "FAULT 65 MB are not released, more than 64" in told.output


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({}, None),
        ({"seconds": 10.1}, "FAULT a block takes 10.1 s, more than 10.0"),
        ({"agrees": False}, "FAULT a transaction has another verdict in the block than alone"),
    ],
)
def test_a_block_that_takes_too_long_or_disagrees_fails_the_run(made, monkeypatch, change, fault):
    block = full_block.Block(22_020_097, 5.0, ("a case",), ("ok",), agrees=True)._replace(**change)
    monkeypatch.setattr(command, "worlds", lambda: made)
    monkeypatch.setattr(command, "pending", lambda: made)
    monkeypatch.setattr(command, "all_cases", lambda _: [])
    monkeypatch.setattr(command, "block_cases", lambda _: [case("a case", lambda: "ok", executed=True)])
    monkeypatch.setattr(memory_growth, "memory_left", lambda _: memory_growth.Left(10_000, 1.0))
    monkeypatch.setattr(full_block, "full_block", lambda *_: block)

    told = CliRunner().invoke(command.command, [])

    assert told.exit_code == (0 if fault is None else 1)
    assert f"FinalizeBlock of 22020097 bytes, 1 transactions: {block.seconds:.1f} s\n  a case" in told.output
    assert (fault or "a case") in told.output
    assert ("FAULT" in told.output) is (fault is not None)
