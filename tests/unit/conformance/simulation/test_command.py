"""`make simulate`: what it prints, what it remembers, how it ends."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from click.testing import CliRunner

from conformance.simulation import command
from conformance.simulation.run import INDEXED, STEPS, Outcome

FAULT = "sim-a-1: 3 packets are still pending"


@pytest.fixture
def told(monkeypatch):
    """Runs the command in this process; the seeds in `bad` fail by their steps 3 and 7 together."""
    ran = []

    def run(without, seed, only=None):
        assert without is None
        ran.append(seed)
        guilty = seed in told.bad and {3, 7} <= set(range(STEPS) if only is None else only)
        return Outcome((FAULT.replace("3", str(seed)),) if guilty else (), "d" * 64)

    def told(*words, bad=()):
        told.bad = bad
        ran.clear()
        done = CliRunner().invoke(command.command, words)
        return done.exit_code, done.output.splitlines(), sorted(set(ran))

    monkeypatch.setattr(command, "run_without", run)
    monkeypatch.setattr(command, "processes", lambda _: ThreadPoolExecutor(1))
    return told


def test_a_fault_is_printed_as_the_command_of_its_fewest_steps(told):
    status, lines, _ = told("--seeds", "4", bad={2})
    assert status == 1
    assert (
        lines[1] == f"FAULT python -m conformance.simulation --seed 2 --only 3,7: {FAULT.replace('3', '2')}"
    )
    assert lines[-1] == "3 passed, 1 failed"


def test_what_passed_is_not_run_again_and_what_failed_is(told, tmp_path):
    words = ("--first", "10", "--seeds", "5", "--done", str(tmp_path / "done"))
    assert told(*words, bad={12})[0] == 1
    assert told(*words) == (0, [f"1 seeds of {STEPS} steps", "1 passed, 0 failed"], [12])
    assert told(*words)[2] == []


def test_one_seed_tells_its_steps_its_faults_and_what_came_of_it(told):
    status, lines, ran = told("--seed", "5", "--only", "3,7", bad={5})
    assert (status, ran) == (1, [5])
    assert [line.split()[0] for line in lines[:2]] == ["3", "7"]
    assert lines[2:] == [f"FAULT {FAULT.replace('3', '5')}", "d" * 64]
    assert told("--seed", "5")[0] == 0


def test_channels_and_ibc_v2_are_indexed_in_turn():
    assert {seed % 2 for seed in range(0, 200, INDEXED)} == {0, 1}
