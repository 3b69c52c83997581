"""What a run refuses, fills a block with, complains of."""

import pytest
from click.testing import CliRunner

from conformance.fuzz import command, full_block, memory_growth
from conformance.fuzz.case import Case, open_attack
from conformance.fuzz.count import Growth
from conformance.fuzz.measure import Row, Run
from pyibc.chain.bank.send import encode_send
from pyibc.core.coin import coin


def case(name, run, *, executed=False):
    return Case(name, lambda size: open_attack(size, run), executed)


def test_refused_transactions_change_nothing(made):
    app, address = made.last.chain.app, made.last.chain.app.addresses.decode(made.last.addresses[0], "a")
    before = app.pending_account(address.raw)

    memory_growth.refuse(made, 3)

    assert app.pending_account(address.raw) == before
    assert app.info().height == made.last.height - 1


def test_a_transaction_that_is_taken_ends_the_run(made, monkeypatch):
    sign = made.last.signed

    def rightly(*given, chain_id, **more):
        assert chain_id != made.last.chain.chain_id
        return sign(*given, **more)

    monkeypatch.setattr(made.last, "signed", rightly)
    monkeypatch.setattr(memory_growth, "encode_send", lambda a, b, _: _payment(a, b))
    with pytest.raises(AssertionError):
        memory_growth.refuse(made, 1)


def _payment(sender, receiver):
    return encode_send(sender, receiver, (coin("stake", 1),))


@pytest.fixture
def run(made, monkeypatch):
    """Runs the command over planted cases, after which so many MB stay."""

    def go(*cases, left=63.0, executed=lambda _: iter(())):
        monkeypatch.setattr(command, "worlds", lambda: made)
        monkeypatch.setattr(command, "all_cases", lambda _: cases)
        monkeypatch.setattr(memory_growth, "memory_left", lambda _: memory_growth.Left(10_000, left))
        monkeypatch.setattr(command, "_executed", executed)
        told = CliRunner().invoke(command.command, [])
        assert (told.exit_code == 1) is ("FAULT" in told.output)
        return told.output

    return go


def bug():
    raise KeyError("surprise")


def test_a_bug_and_what_is_known_and_clean_fail_the_run(run, monkeypatch):
    clean, buggy = case("a case", lambda: "ok", executed=True), case("a case", bug)
    assert "FAULT" not in run(clean)
    assert "FAULT a case: bug: KeyError: 'surprise'" in run(buggy)
    monkeypatch.setattr(command, "KNOWN", {"a case": "planted"})
    assert "FAULT" not in run(buggy)
    assert "FAULT a case: clean, and in the table of what is known" in run(clean)
    assert "FAULT 65 MB are not released, more than 64" in run(left=65.0)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({}, None),
        ({"seconds": 10.1}, "FAULT a block takes 10.1 s, more than 10.0"),
        ({"agrees": False}, "FAULT a transaction has another verdict in the block than alone"),
    ],
)
def test_a_block_that_takes_too_long_or_disagrees_fails_the_run(run, made, monkeypatch, change, fault):
    block = full_block.Block(22_020_097, 5.0, ("a case",), ("ok",), agrees=True)._replace(**change)
    monkeypatch.setattr(command, "pending", lambda: made)
    monkeypatch.setattr(command, "block_cases", lambda _: [case("a case", lambda: "ok", executed=True)])
    monkeypatch.setattr(full_block, "full_block", lambda *_: block)

    told = run(executed=command._executed)
    assert f"FinalizeBlock of 22020097 bytes, 1 transactions: {block.seconds:.1f} s\n  a case" in told
    assert (fault or "a case") in told
    assert ("FAULT" in told) is (fault is not None)


def test_a_slope_that_stands_out_is_measured_again_and_counted(monkeypatch):
    asked = []
    steep = Row("a case", 1.2, (Run(1_000_000, 0.0, 0.01, "ok"),))
    monkeypatch.setattr(command, "sweep", lambda _: steep)
    monkeypatch.setattr(command, "again", lambda _, row: asked.append("again") or row)
    monkeypatch.setattr(command, "grown", lambda _, sizes: Growth("a case", {"lines": 1.0}, "ok"))
    assert command._swept(case("a case", lambda: "ok")) == steep._replace(counted=1.0)
    assert asked == ["again", "again"]
