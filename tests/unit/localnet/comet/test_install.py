"""CometBFT as Go builds it: the checksum, what is left behind, time, and other processes."""

import fcntl
import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from localnet.comet import install as module
from localnet.comet.install import SUM, VERSION, Deadline, find_go, install
from localnet.errors import GoFailed, GoTooSlow, NoGo, WrongSource
from localnet.process.startup import exclusive
from tests.waiting import runs, until

ROOT = Path(__file__).resolve().parents[4]
GO = """#!/bin/sh
echo "$*" >> {log}
case "$1" in
env) echo ${{GO_SAYS:-go1.26.8}} ;;
mod) test -z "$GO_MOD_FAILS" || {{ echo '{{"Error": "'"$GO_MOD_FAILS"'"}}'; exit 1; }}
     echo '{module}' ;;
install) pwd > {log}.cwd; env > {log}.env; test -z "$GO_INSTALL" || eval "$GO_INSTALL"
     printf '#!/bin/sh\\necho ${{SAYS:-{version}}}\\n' > $GOBIN/cometbft; chmod +x $GOBIN/cometbft ;;
esac
"""
STUBBORN = "sh -c 'trap \"\" INT; echo $$ > {}; sleep 600' & wait"
"""A compiler that does not end at an interrupt."""


@pytest.fixture
def go(tmp_path, monkeypatch):
    """A go that behaves as the environment says; return the file with its commands."""
    folder, source, log = tmp_path / "go-bin", tmp_path / "source", tmp_path / "go.log"
    folder.mkdir()
    source.mkdir()
    answer = json.dumps({"Dir": str(source), "Sum": os.environ.get("GO_SUM", SUM)})
    (folder / "go").write_text(GO.format(log=log, module=answer, version=VERSION))
    (folder / "go").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return log


@pytest.fixture
def target(tmp_path):
    return tmp_path / "home" / ".pyibc" / "bin" / "cometbft"


def steps(_what):
    """Ignore a step."""


def left(target):
    """What is in the folder beside the lock."""
    return sorted(each.name for each in target.parent.iterdir() if each.name != ".lock")


def test_it_is_fetched_built_in_its_source_and_put_in_place(go, target, tmp_path, monkeypatch):
    monkeypatch.setenv("GOOS", "plan9")
    monkeypatch.setenv("GOFLAGS", "-mod=mod")
    told = []
    assert install(Deadline(60), told.append, target) == target
    assert subprocess.check_output([target]) == f"{VERSION}\n".encode()
    assert left(target) == ["cometbft"]
    assert go.read_text().splitlines() == [
        "env GOVERSION",
        f"mod download -json github.com/cometbft/cometbft@v{VERSION}",
        "install -trimpath ./cmd/cometbft",
    ]
    assert Path(f"{go}.cwd").read_text() == f"{tmp_path / 'source'}\n"
    environment = Path(f"{go}.env").read_text().splitlines()
    assert "GOFLAGS=-mod=readonly -buildvcs=false" in environment
    assert [each for each in environment if each.startswith("GOOS=")] == []
    assert [each.partition(" ")[0] for each in told] == ["waiting", "fetching", "building"]


def test_a_source_of_another_checksum_is_not_built(go, target):
    program = Path(os.environ["PATH"].partition(":")[0]) / "go"
    program.write_text(program.read_text().replace(SUM, "h1:other="))
    with pytest.raises(WrongSource) as wrong:
        install(Deadline(60), steps, target)
    assert (wrong.value.found, wrong.value.expected) == ("h1:other=", SUM)
    assert "install" not in go.read_text()
    assert left(target) == []


@pytest.mark.parametrize(
    ("variable", "value", "reason"),
    [
        ("GO_MOD_FAILS", "no such host", "Go could not fetch CometBFT: no such host"),
        (
            "GO_INSTALL",
            "echo '# x'; echo 'no space left on device' >&2; exit 1",
            "Go could not build CometBFT: no space left on device",
        ),
        ("GO_INSTALL", "exit 3", "Go could not build CometBFT: exit code 3"),
        ("GO_INSTALL", "exit 0", "Go could not build CometBFT: go install left no cometbft of this version"),
        ("SAYS", "0.38.1", "Go could not build CometBFT: go install left no cometbft of this version"),
    ],
)
def test_a_failure_of_go_is_told_and_leaves_nothing(go, target, monkeypatch, variable, value, reason):
    monkeypatch.setenv(variable, value)
    with pytest.raises(GoFailed) as failed:
        install(Deadline(60), steps, target)
    assert str(failed.value) == reason
    assert left(target) == []


def test_an_answer_without_a_checksum_is_refused(go, target):
    program = Path(os.environ["PATH"].partition(":")[0]) / "go"
    program.write_text(program.read_text().replace('"Sum"', '"Other"'))
    with pytest.raises(GoFailed, match="unexpected answer of go mod download"):
        install(Deadline(60), steps, target)


def test_after_the_time_limit_go_and_its_children_are_ended(go, target, tmp_path, monkeypatch):
    child = tmp_path / "child"
    monkeypatch.setenv("GO_INSTALL", STUBBORN.format(child))

    class Passed(Deadline):
        asked = 0

        def left(self):
            self.asked += 1
            if self.asked > 1:  # of go install
                until(lambda: child.exists() and child.read_text())
            return 60 if self.asked == 1 else 0

    with pytest.raises(GoTooSlow, match="go install did not finish within 9 seconds: run"):
        install(Passed(9), steps, target)
    assert left(target) == []
    until(lambda: not runs(int(child.read_text())))


def test_one_process_at_a_time_builds(go, target, monkeypatch):
    build = module._build

    def locked(*arguments):
        with (target.parent / ".lock").open("ab") as file, pytest.raises(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return build(*arguments)

    monkeypatch.setattr(module, "_build", locked)
    install(Deadline(60), steps, target)
    assert target.is_file()


def test_what_another_process_installed_meanwhile_is_not_built_again(go, target, monkeypatch):
    @contextmanager
    def waited(folder):
        with exclusive(folder):
            target.write_text(f"#!/bin/sh\necho {VERSION}\n")
            target.chmod(0o755)
            yield

    monkeypatch.setattr(module, "exclusive", waited)
    assert install(Deadline(60), steps, target) == target
    assert go.read_text() == "env GOVERSION\n"


def test_what_a_killed_process_left_is_removed_and_a_broken_binary_replaced(go, target):
    (target.parent / ".building-old").mkdir(parents=True)
    (target.parent / ".building-old" / "cometbft").write_text("half")
    target.write_text("not a program")
    target.chmod(0o755)
    install(Deadline(60), steps, target)
    assert left(target) == ["cometbft"]
    assert subprocess.check_output([target]) == f"{VERSION}\n".encode()


@pytest.mark.parametrize("said", ["go1.20.14", "", "devel"])
def test_without_a_go_that_is_new_enough_it_says_so(go, target, monkeypatch, said):
    monkeypatch.setenv("GO_SAYS", said or " ")
    with pytest.raises(NoGo, match=r"Go 1\.22 or later, and .*/go is .*: install Go \(https://go\.dev/dl\)"):
        install(Deadline(60), steps, target)
    assert not target.parent.exists()


def test_go_is_looked_for_where_its_installer_puts_it(go, monkeypatch, tmp_path):
    program = Path(os.environ["PATH"].partition(":")[0]) / "go"
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setattr(module, "_GO", program)
    assert find_go() == program
    monkeypatch.setattr(module, "_GO", tmp_path / "absent")
    with pytest.raises(NoGo, match="there is no `go` here: install Go"):
        find_go()


def test_an_interrupt_ends_go_and_leaves_nothing(go, target, tmp_path):
    ready = tmp_path / "child"
    environment = {
        **os.environ,
        "HOME": str(tmp_path / "home"),
        "GO_INSTALL": STUBBORN.format(ready),
        "PYTHONPATH": str(ROOT),
    }
    environment.pop("COMETBFT", None)
    code = "from localnet.comet import homes; homes._CACHES = ()\n"
    code += "import sys; from pyibc.__main__ import main; sys.argv = ['pyibc', 'cometbft', 'install']; main()"
    with subprocess.Popen([sys.executable, "-c", code], env=environment, stderr=subprocess.PIPE) as process:
        until(lambda: ready.exists() and ready.read_text())
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 1
    assert said.endswith(b"Aborted!\n")
    assert left(target) == []
    until(lambda: not runs(int(ready.read_text())))
