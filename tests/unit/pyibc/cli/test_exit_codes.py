"""Every exit code that the help of a command names, with a test that reaches it."""

import ast
import re
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from localnet.demo.scenario import DemoResult
from pyibc.cli import demo, doctor, main
from pyibc.cli.doctor import Finding
from pyibc.cli.relay import clear
from pyibc.relayer.metrics import Metrics
from tests.unit.pyibc.cli.golden_text import ROOT, commands

CLI, ROAD = "tests/unit/pyibc/cli", "tests/road"
HERE = f"{CLI}/{Path(__file__).name}"
PACKETS, LISTED = f"{CLI}/query/test_packet.py", f"{CLI}/query/test_listed.py"
LINKS = "tests/unit/pyibc/relayer/links"
DAEMON, NETWORK = f"{ROAD}/test_relay_daemon.py", "tests/unit/localnet/test_network.py"
GOLDEN = f"{CLI}/test_golden.py::test_every_error_is_the_golden_one"
REACHED = {
    "pyibc": {
        0: f"{CLI}/test_files.py::test_a_reader_that_is_gone_is_no_error",
        1: f"{CLI}/test_interrupts.py::test_any_other_command_says_that_it_was_aborted",
        2: GOLDEN,
        3: f"{HERE}::test_packets_that_are_left_are_told_by_clear",
        4: f"{LISTED}::test_an_account_that_is_not_there_has_an_exit_code_of_its_own",
    },
    "pyibc demo": {1: f"{HERE}::test_a_demo_whose_spark_and_chains_disagree_fails"},
    "pyibc localnet list": {
        1: f"{NETWORK}::test_settings_that_somebody_broke_are_named_and_stand_in_nobody_s_way"
    },
    "pyibc localnet status": {1: f"{NETWORK}::test_command_line"},
    "pyibc localnet verify": {1: "tests/unit/localnet/test_verify.py::test_the_command"},
    "pyibc tx transfer": {
        0: f"{CLI}/test_tx_transfer.py::test_a_transfer_that_arrives_is_followed_to_its_end",
        1: f"{CLI}/test_tx_transfer.py::test_a_transfer_that_comes_back_is_told_as_a_failure",
        3: f"{CLI}/test_tx_transfer.py::test_a_transfer_that_nobody_relays_is_left",
    },
    "pyibc relay": {
        1: f"{ROAD}/test_relay_command.py::test_opens_a_channel_and_finds_it_again",
        2: f"{ROAD}/test_relay_command.py::test_wrong_use",
    },
    "pyibc relay start": {
        0: f"{DAEMON}::test_paths_of_one_process_until_a_signal",
        2: f"{DAEMON}::test_wrong_configurations_are_wrong_use",
        3: f"{DAEMON}::test_packets_that_are_left_at_the_end_are_told_by_the_exit_code",
    },
    "pyibc relay reload": {
        1: f"{DAEMON}::test_a_command_or_a_hangup_has_the_file_read_again_and_says_what_came_of_it",
        2: f"{DAEMON}::test_a_command_or_a_hangup_has_the_file_read_again_and_says_what_came_of_it",
    },
    "pyibc relay status": {
        1: f"{CLI}/test_relay_status.py::test_without_a_daemon_that_is_said",
        3: f"{CLI}/test_relay_status.py::test_paths_and_chains_are_shown_with_what_is_wrong",
    },
    "pyibc relay chains add": {
        1: f"{CLI}/test_relay_chains.py::test_nodes_that_answer_for_the_chain_are_taken",
        2: f"{CLI}/test_relay_chains.py::test_a_chain_is_added_to_what_is_there_and_once",
    },
    "pyibc relay check": {3: f"{DAEMON}::test_check_tries_everything_and_submits_nothing"},
    "pyibc relay clear": {
        2: f"{LINKS}/test_given_sequences.py::test_wrong_sequences_and_channels_are_wrong_use",
        3: f"{HERE}::test_packets_that_are_left_are_told_by_clear",
    },
    "pyibc relay upgrade": {
        2: f"{CLI}/test_relay_upgrade.py::test_what_cannot_be_examined_is_told",
        3: f"{CLI}/test_relay_upgrade.py::test_what_cannot_be_examined_is_told",
    },
    "pyibc relay keys": {
        1: f"{CLI}/test_relay_keys.py::test_a_name_that_is_taken_and_names_that_lead_away",
        2: f"{CLI}/test_relay_keys.py::test_h150_what_is_no_key_is_not_kept_nor_repeated",
    },
    "pyibc query account": {4: f"{LISTED}::test_an_account_that_is_not_there_has_an_exit_code_of_its_own"},
    "pyibc query client": {4: f"{LISTED}::test_what_is_not_there_has_an_exit_code_of_its_own"},
    "pyibc query connection": {4: f"{LISTED}::test_what_is_not_there_has_an_exit_code_of_its_own"},
    "pyibc query packet": {
        0: f"{PACKETS}::test_a_transfer_that_arrived",
        3: f"{PACKETS}::test_an_answer_that_has_not_come_back_is_left_to_relay",
        4: f"{PACKETS}::test_a_packet_that_was_not_sent_has_an_exit_code_of_its_own",
    },
    "pyibc query tx": {
        0: f"{CLI}/query/test_tx.py::test_a_failed_transaction_is_shown_with_its_error",
        4: f"{CLI}/query/test_tx.py::test_a_transaction_that_is_not_there_has_an_exit_code_of_its_own",
    },
    "pyibc watch": {
        1: GOLDEN,
        2: GOLDEN,
        3: f"{ROAD}/test_watch_command.py::test_a_lie_is_found_and_told",
    },
    "pyibc export": {
        1: f"{CLI}/test_export.py::test_blocks_that_are_not_there_yet_are_no_success",
        2: f"{CLI}/test_export.py::test_what_goes_wrong_is_one_line",
    },
    "pyibc index": {
        0: f"{CLI}/test_index.py::test_every_answer_as_text_and_as_json",
        2: f"{CLI}/test_index.py::test_wrong_use_is_status_2",
        3: f"{CLI}/test_index.py::test_every_answer_as_text_and_as_json",
    },
    "pyibc doctor": {1: f"{HERE}::test_a_doctor_that_finds_something_fails"},
}


def documented():
    """The exit codes in the help of each command."""
    found = {}
    for words, command, _ in commands():
        texts = [command.help or "", *(getattr(each, "help", None) or "" for each in command.params)]
        said = [
            part
            for text in texts
            for part in re.findall(r"[Ee]xit (?:codes?|with)\b.*?(?:\n\n|$)", text, re.DOTALL)
        ]
        codes = {int(code) for part in said for code in re.findall(r"\b[0-4]\b", part)}
        if codes:
            found[" ".join(["pyibc", *words])] = codes
    return found


def test_every_documented_exit_code_is_reached_by_a_test():
    assert documented() == {command: set(codes) for command, codes in REACHED.items()}
    tests = {test for codes in REACHED.values() for test in codes.values()}
    assert sorted(test for test in tests if not is_there(test)) == []


def is_there(test):
    path, _, name = test.partition("::")
    tree = ast.parse((ROOT / path).read_text())
    return name in {each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)}


def test_a_doctor_that_finds_something_fails(monkeypatch):
    checks = (lambda: Finding("one", True, "1", ""), lambda: Finding("two", False, "none", "install two"))
    monkeypatch.setattr(doctor, "CHECKS", checks)
    done = CliRunner().invoke(main, ["doctor"])
    assert (done.exit_code, done.stdout) == (1, "ok   one: 1\nBAD  two: none\n     fix: install two\n")


@pytest.mark.parametrize(("agreed", "code"), [(True, 0), (False, 1)])
def test_a_demo_whose_spark_and_chains_disagree_fails(monkeypatch, tmp_path, agreed, code):
    monkeypatch.setattr(demo, "require_java", lambda: None)
    monkeypatch.setitem(demo.SCENARIOS, "channel", lambda *_: DemoResult([], []))
    monkeypatch.setattr(demo, "_index", lambda *_: {})
    monkeypatch.setattr(demo, "compare_chains", lambda *_: agreed)
    done = CliRunner().invoke(main, ["demo", "--out", str(tmp_path)])
    assert (done.exit_code, "SPARK AND THE CHAINS DISAGREE" in done.stdout) == (code, not agreed)


@pytest.mark.parametrize(("left", "reason", "code"), [(0, "", 0), (2, "", 3), (0, "no answer", 3)])
def test_packets_that_are_left_are_told_by_clear(monkeypatch, tmp_path, left, reason, code):
    paths = SimpleNamespace(ledger=tmp_path / "fees.db", journal=str(tmp_path / "relayer.db"))
    config = SimpleNamespace(relayer=paths)
    monkeypatch.setattr(clear, "read_relayer_config", lambda _: config)
    monkeypatch.setattr(clear, "connected", lambda *_: nullcontext({}))
    monkeypatch.setattr(clear, "chosen", lambda *_: ["path"])
    monkeypatch.setattr(clear, "_clear_all", lambda *_: [clear._row("a <-> b", Metrics(), left, reason)])
    done = CliRunner().invoke(main, ["relay", "clear"])
    assert done.exit_code == code, done.output
    assert f"left {left}" in done.stdout
    assert done.stdout.endswith(f"{reason}\n")
