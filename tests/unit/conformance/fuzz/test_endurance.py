"""What a run refuses, fills a block with, complains of."""

import pytest
from click.testing import CliRunner

from conformance.fuzz import command, endurance
from conformance.fuzz.case import Case, open_attack
from ibc_core.coin import coin
from localnet.host.bank_send import encode_send


def case(name, run, *, executed=False):
    return Case(name, lambda size: open_attack(size, run), executed)


def test_refused_transactions_change_nothing(made):
    app, address = made.last.chain.app, made.last.chain.app.addresses.decode(made.last.addresses[0], "a")
    before = app.pending_account(address.raw)

    endurance.refuse(made, 3)

    assert app.pending_account(address.raw) == before
    assert app.info().height == made.last.height - 1


def test_a_transaction_that_is_taken_ends_the_run(made, monkeypatch):
    sign = made.last.signed

    def rightly(*given, chain_id, **more):
        assert chain_id != made.last.chain.chain_id
        return sign(*given, **more)

    monkeypatch.setattr(made.last, "signed", rightly)
    monkeypatch.setattr(endurance, "encode_send", lambda a, b, _: _payment(a, b))
    with pytest.raises(AssertionError):
        endurance.refuse(made, 1)


def _payment(sender, receiver):
    return encode_send(sender, receiver, (coin("stake", 1),))


def test_a_block_is_filled_with_the_cases_in_turn():
    read = []
    cases = [case("one", lambda: read.append(1) or "ok"), case("two", lambda: read.append(2) or "ok")]

    found = endurance.block(cases, 2_500_000)

    assert read == [1, 2, 1]
    assert found.size == 3_000_003


@pytest.fixture
def run(made, monkeypatch):
    """Runs the command over planted cases."""

    def go(*cases):
        monkeypatch.setattr(command, "worlds", lambda: made)
        monkeypatch.setattr(command, "all_cases", lambda _: cases)
        monkeypatch.setattr(endurance, "memory_left", lambda _: endurance.Left(10_000, 63.0))
        monkeypatch.setattr(endurance, "BLOCK_BYTES", 1)
        return CliRunner().invoke(command.command, [])

    return go


def bug():
    raise KeyError("surprise")


def test_a_clean_run_ends_well(run):
    told = run(case("a case", lambda: "ok", executed=True))

    assert told.exit_code == 0
    assert "1 cases" in told.output
    assert "FAULT" not in told.output


def test_a_bug_fails_the_run(run):
    told = run(case("a case", bug))

    assert told.exit_code == 1
    assert "FAULT a case: bug: KeyError: 'surprise'" in told.output


def test_what_is_known_passes_until_it_is_clean(run, monkeypatch):
    monkeypatch.setattr(command, "KNOWN", {"a case": "planted"})

    assert run(case("a case", bug)).exit_code == 0
    told = run(case("a case", lambda: "ok"))
    assert told.exit_code == 1
    assert "FAULT a case: clean, and in the table of what is known" in told.output


def test_memory_that_stays_fails_the_run(made, monkeypatch):
    monkeypatch.setattr(command, "worlds", lambda: made)
    monkeypatch.setattr(command, "all_cases", lambda _: [])
    monkeypatch.setattr(endurance, "memory_left", lambda _: endurance.Left(10_000, 65.0))

    told = CliRunner().invoke(command.command, [])

    assert told.exit_code == 1
    assert "FAULT 65 MB stay, more than 64" in told.output
