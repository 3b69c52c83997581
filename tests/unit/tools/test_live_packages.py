"""`make live` names the system packages before it builds anything, and installs them where it may."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
BASICS = (
    "bash",
    "awk",
    "sort",
    "paste",
    "grep",
    "cut",
    "cat",
    "ls",
    "dirname",
    "mkdir",
    "touch",
    "chmod",
    "env",
    "mktemp",
    "rm",
)
WHOLE = ("clang", "protoc", "pkg-config")


@pytest.fixture
def machine(tmp_path):
    """A machine with these commands alone; `root` says who runs there."""
    bins = tmp_path / "bin"
    bins.mkdir()
    for name in BASICS:
        (bins / name).symlink_to(shutil.which(name))

    def command(name, text="true"):
        (bins / name).write_text(f"#!/bin/bash\n{text}\n")
        (bins / name).chmod(0o755)

    def run(script, *words, root=True):
        command("id", f"echo {0 if root else 1000}")
        environment = {"PATH": str(bins), "HOME": str(tmp_path), "IBC_LIVE_DIR": str(tmp_path)}
        return subprocess.run(
            [ROOT / "tools" / script, *words], env=environment, capture_output=True, text=True, check=False
        )

    run.command, run.bins = command, bins
    command("ldconfig", "echo")
    return run


def test_what_lacks_is_named_with_its_packages(machine):
    done = machine("live_packages.sh", root=False)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "Hermes cannot be built here, these lack: libclang clang protoc timestamp.proto pkg-config",
        "  Debian, Ubuntu: apt-get install clang libclang-dev libprotobuf-dev pkg-config protobuf-compiler",
        "  Fedora:         dnf install clang clang-devel pkgconf-pkg-config protobuf-compiler protobuf-devel",
        "  macOS:          brew install llvm pkgconf protobuf",
    ]


def test_what_is_there_is_not_mentioned(machine):
    for name in WHOLE:
        machine.command(name)
    machine.command("ldconfig", "echo '	libclang-14.so.13 (libc6) => /lib/libclang-14.so.13'")
    done = machine("live_packages.sh")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(("root", "status"), [(True, 0), (False, 1)])
def test_it_installs_what_lacks_and_no_more_where_it_may(machine, tmp_path, root, status):
    machine.command("clang")
    machine.command("ldconfig", "echo libclang.so.1")
    makes = "; ".join(
        f"echo '#!/bin/bash' > {machine.bins}/{name}; chmod +x {machine.bins}/{name}" for name in WHOLE
    )
    machine.command("apt-get", f'echo "$@" >> {tmp_path}/told; [ "$1" = update ] || {{ {makes}; }}')
    done = machine("live_packages.sh", root=root)
    assert done.returncode == status
    told = (tmp_path / "told").read_text().splitlines() if root else []
    lacking = "libprotobuf-dev pkg-config protobuf-compiler"
    assert told == (["update -qq", f"install -qq -y --no-install-recommends {lacking}"] if root else [])


def test_protoc_without_its_own_files_lacks_them(machine):
    for name in WHOLE:
        machine.command(name)
    machine.command("ldconfig", "echo libclang.so.1")
    machine.command("protoc", 'echo "google/protobuf/timestamp.proto: File not found." >&2; exit 1')
    done = machine("live_packages.sh", root=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[:2] == [
        "Hermes cannot be built here, these lack: timestamp.proto",
        "  Debian, Ubuntu: apt-get install libprotobuf-dev",
    ]


def test_hermes_is_not_begun_without_them(machine, tmp_path):
    (tmp_path / "build.sh").write_text(f"#!/bin/bash\ntouch {tmp_path}/begun\n")
    (tmp_path / "build.sh").chmod(0o755)
    machine.command("cargo")
    clone = tmp_path / "clone"
    (clone / "tools").mkdir(parents=True)
    for name in ("live.sh", "live_packages.sh"):
        shutil.copy(ROOT / "tools" / name, clone / "tools" / name)
    environment = {"PATH": str(machine.bins), "HOME": str(tmp_path), "IBC_LIVE_DIR": str(tmp_path)}
    machine.command("id", "echo 1000")
    done = subprocess.run(
        [clone / "tools" / "live.sh", "cometbft", "hermes"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "apt-get install clang libclang-dev" in done.stderr
    assert not (tmp_path / "begun").exists()
    assert [each.name for each in clone.iterdir()] == ["tools"]
