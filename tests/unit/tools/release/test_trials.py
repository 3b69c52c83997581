"""Extras are tried on the Pythons that run here, and pyibc alone stays small."""

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tools.release import trials
from tools.release.commands import run
from tools.release.errors import ReleaseError, TrialFailed
from tools.release.inventory import write_sums
from tools.release.trials import USES, find_pythons, shown, try_extra

ROOT = Path(__file__).resolve().parents[4]
NOT_FOR_USERS = {"dev"}
TRIED_ELSEWHERE = {"native"}


def test_every_extra_has_a_trial():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert USES.keys() - {""} == project["optional-dependencies"].keys() - NOT_FOR_USERS - TRIED_ELSEWHERE


def test_a_shim_that_runs_nothing_or_another_version_is_no_python(tmp_path, monkeypatch):
    for name, text in {"python3.11": "exit 127", "python3.12": "echo False /usr/bin/python3.9"}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "python3.13").write_text("#!/bin/sh\necho True /opt/python3.13\n")
    (tmp_path / "python3.13").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert find_pythons(("3.11", "3.12", "3.13")) == {"3.13": Path("/opt/python3.13")}


@pytest.fixture
def installing(monkeypatch, tmp_path):
    """Commands that install so many packages of so many bytes, and those that were run."""

    def make(packages, size):
        ran = []

        def record(*command, **options):
            ran.append(" ".join(map(str, command)))
            return "3.12.1\n"

        site = tmp_path / "lib" / "python3.12" / "site-packages"
        for number in range(packages):
            (site / f"p{number}.dist-info").mkdir(parents=True)
        (site / "content").write_bytes(bytes(size))
        monkeypatch.setattr(trials, "run", record)
        return ran

    return make


def test_an_extra_is_installed_checked_and_used(installing, tmp_path):
    ran = installing(3, 5)
    trial = try_extra(tmp_path / "w.whl", Path("python3.12"), ("relayer",), tmp_path)
    assert shown(trial) == "Python 3.12.1: pyibc[relayer]: 3 packages, 0 MB"
    assert any(line.endswith(" check") for line in ran)
    assert any(re.search(r"need\('relayer'\)", line) for line in ran)
    assert any(line.endswith("w.whl[relayer]") for line in ran)


@pytest.mark.parametrize(("packages", "size"), [(4, 10), (3, 11)])
def test_a_core_that_grows_is_refused(installing, tmp_path, monkeypatch, packages, size):
    monkeypatch.setattr(trials, "CORE_PACKAGES", 3)
    monkeypatch.setattr(trials, "CORE_BYTES", 10)
    installing(packages, size)
    with pytest.raises(TrialFailed, match=f"installs {packages} packages of {size} bytes"):
        try_extra(tmp_path / "w.whl", Path("python3.12"), ("",), tmp_path)


def test_a_command_that_fails_says_why():
    with pytest.raises(TrialFailed, match=r"ended with status 3:\nwhy"):
        run("sh", "-c", "echo why; exit 3", error=TrialFailed)
    with pytest.raises(ReleaseError, match="no-such-program"):
        run("no-such-program")


def test_checksums_are_read_by_the_usual_program(tmp_path):
    (tmp_path / "about").mkdir()
    files = [tmp_path / "b", tmp_path / "about" / "a"]
    for file in files:
        file.write_text(file.name)
    write_sums(files, tmp_path / "SHA256SUMS")
    check = ["sha256sum", "--check", "--strict", "SHA256SUMS"]
    assert subprocess.run(check, cwd=tmp_path, check=False, capture_output=True).returncode == 0
    files[0].write_text("spoilt")
    assert subprocess.run(check, cwd=tmp_path, check=False, capture_output=True).returncode == 1
