"""Completion in shells: the scripts, where they are installed, and what they complete."""

import json
import os
import shutil
import subprocess
import sys

import click
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

import pyibc.cli as module
from pyibc.cli import COMMANDS, main
from pyibc.cli.completion import FILE, table_of
from tests.unit.pyibc.cli.golden_text import ROOT

PLACES = {
    "bash": ".local/share/bash-completion/completions/pyibc",
    "zsh": ".zfunc/_pyibc",
    "fish": ".config/fish/completions/pyibc.fish",
}


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "BASH_COMPLETION_USER_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def run(*words):
    return CliRunner().invoke(main, ["completion", *words])


def completed(*words):
    *before, last = words
    found = ShellComplete(main, {}, "pyibc", "_PYIBC_COMPLETE").get_completions(before, last)
    return [each.value for each in found]


@pytest.mark.parametrize("shell", PLACES)
def test_a_script_is_printed_or_installed_where_its_shell_looks(home, shell):
    printed = run(shell)
    assert printed.exit_code == 0
    assert f"_PYIBC_COMPLETE={shell}_complete" in printed.stdout
    assert list(home.iterdir()) == []
    done = run(shell, "--install")
    assert done.exit_code == 0
    file = home / PLACES[shell]
    assert file.read_text() == printed.stdout
    assert done.stdout.startswith(f"wrote {file}; open a new {shell}\n")
    assert ("fpath+=" in done.stdout) is (shell == "zsh")


def test_other_places_are_those_of_the_environment(home, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    monkeypatch.setenv("BASH_COMPLETION_USER_DIR", str(home / "bash"))
    assert {run(shell, "--install").exit_code for shell in ("bash", "fish")} == {0}
    assert (home / "bash/completions/pyibc").is_file()
    assert (home / "config/fish/completions/pyibc.fish").is_file()


def test_a_place_that_cannot_be_written_is_one_line(home):
    (home / ".zfunc").touch()
    done = run("zsh", "--install")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == f"error: {home / '.zfunc'}: exists already: choose another name, or move it\n"


def test_commands_are_completed_without_importing_them(monkeypatch):
    monkeypatch.setattr(module, "import_module", None)
    assert completed("") == [*COMMANDS, "conformance"]
    assert completed("loc") == ["localnet"]
    assert completed("--v") == ["--version"]


def test_the_table_of_completions_is_that_of_the_commands():
    context = click.Context(main, info_name="pyibc", **main.context_settings)
    table = table_of({name: main.get_command(context, name) for name in COMMANDS}, context)
    lines = (f'"{name}": {json.dumps(entry, ensure_ascii=False)}' for name, entry in table.items())
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    if os.environ.get("UPDATE_GOLDEN"):
        FILE.write_text(text, encoding="utf-8")
    assert FILE.read_text(encoding="utf-8") == text, "renew it: UPDATE_GOLDEN=1"


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["relay", "s"], ["start", "status"]),
        (["relay", "create", "path", "--ord"], ["--order"]),
        (["relay", "create", "path", "--order", ""], ["unordered", "ordered"]),
        (["relay", "--account-type", "cosmos-evm", "inj"], ["injective"]),
        (["query", "bank", "b"], ["balance", "balances"]),
        (["tx", "gmp", "call", "client", "f"], ["f"]),  # a file: the shell looks for it
        (["init", "--ex"], ["--example"]),
        (["index", "--fail-on", ""], []),
    ],
)
def test_no_command_is_imported_for_what_is_below_it(monkeypatch, words, found):
    monkeypatch.setattr(module, "import_module", None)
    assert completed(*words) == found


def test_subcommands_options_and_values_are_completed(home, monkeypatch):
    monkeypatch.chdir(home)
    (home / "localnet.toml").write_text("broken [")
    assert completed("localnet", "st") == ["start", "status", "stop"]
    assert completed("localnet", "up", "--ab") == ["--abci"]
    assert completed("localnet", "up", "--abci", "") == ["socket", "grpc"]


def test_what_cannot_be_loaded_completes_to_nothing(monkeypatch):
    monkeypatch.setattr(module, "lacking", lambda _extra: ["duckdb"])
    assert completed("index", "--f") == []
    assert completed("nothing", "--f") == []


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash_completes_with_the_installed_script(home):
    program = home / "bin" / "pyibc"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m pyibc "$@"\n')
    program.chmod(0o755)
    assert run("bash", "--install").exit_code == 0
    script = f"PATH={program.parent}:$PATH; . {home / PLACES['bash']}; COMP_WORDS=(pyibc loc); COMP_CWORD=1; "
    done = subprocess.run(
        ["bash", "-c", script + "_pyibc_completion pyibc; echo ${COMPREPLY[@]}"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == ("localnet\n", "")
