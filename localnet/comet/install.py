"""CometBFT as Go builds it: one version, whose checksum is known here.

`go mod download` fetches the released source, and its checksum is compared with the one below. It is built in
the module cache, where Go compares every dependency with the `go.sum` of that source. So neither a proxy nor
a switched-off checksum database can put other code into the binary.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple

from iavl.disk.database.data_file import sync_folder
from localnet.comet.homes import own_folder, version_of
from localnet.errors import GoFailed, GoTooSlow, NoGo, WrongCometBft, WrongSource
from localnet.process.startup import exclusive

VERSION = "0.38.26"
MODULE = "github.com/cometbft/cometbft"
SUM = "h1:MIPYgOSvyyiN1jo3SZljKy4ZXqs896aQnj3pQFfUmaE="
"""Checksum of the source's files, as in a go.sum."""
_GO = Path("/usr/local/go/bin/go")
"""The path of Go's own installer, which is not on every PATH."""
_OLDEST = 1, 21
"""Oldest Go that fetches a newer one if the source needs it."""
_GRACE_S = 10.0
_TAIL = 16_384
_STAGING = ".building-"


class Deadline:
    """Time that is left for all programs together."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Return the seconds that are left, at least 0."""
        return max(0.0, self._end - time.monotonic())


def install(deadline: Deadline, step: Callable[[str], None], target: Path | None = None) -> Path:
    """Build CometBFT and put it where `cometbft()` finds it; return its path.

    The file appears at once and complete, or not at all. Another process that installs is waited for.

    Args:
        deadline: When to give up.
        step: Called with what is done next.
        target: The binary; None for `~/.pyibc/bin/cometbft`.

    Raises:
        NoGo: there is no Go, or it is too old.
        WrongSource: the source is not the one that was released.
        GoFailed: it cannot be fetched or built.
        GoTooSlow: it took too long.
        OSError: the folder is not writable.
    """
    path = target or own_folder() / "cometbft"
    go = find_go()
    step("waiting for another installation")
    with exclusive(path.parent):
        for left in path.parent.glob(f"{_STAGING}*"):  # of a process that was killed
            shutil.rmtree(left, ignore_errors=True)
        if not _is_there(path):
            with tempfile.TemporaryDirectory(prefix=_STAGING, dir=path.parent) as folder:
                _build(_Build(go, Path(folder), deadline), step).replace(path)
            sync_folder(path.parent)
    return path


def _is_there(path: Path) -> bool:
    """Return whether another process has installed it in the meantime."""
    try:
        return path.is_file() and version_of(path) == VERSION
    except WrongCometBft:
        return False


def find_go() -> Path:
    """Return the path of Go; raise NoGo."""
    found = shutil.which("go") or (str(_GO) if os.access(_GO, os.X_OK) else None)
    if found is None:
        raise NoGo("there is no `go` here")
    try:
        done = subprocess.run(  # noqa: S603 - the program that is to run, no shell
            [found, "env", "GOVERSION"], cwd="/", capture_output=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoGo(f"{found} does not run ({error})") from error
    said = done.stdout.decode(errors="replace").strip()
    version = re.match(r"go([0-9]{1,4})\.([0-9]{1,4})", said)
    if version is None or (int(version[1]), int(version[2])) < _OLDEST:
        raise NoGo(f"{found} is {said[:80] or 'of an unknown version'}")
    return Path(found)


class _Build(NamedTuple):
    """One installation: the program, a folder for its files, and the time for it."""

    go: Path
    folder: Path
    deadline: Deadline

    @property
    def environment(self) -> Mapping[str, str]:
        """Variables of Go. Its settings of the user remain, except those that could change what is built."""
        kept = {key: value for key, value in os.environ.items() if key not in {"GOOS", "GOARCH"}}
        folder = str(self.folder)
        flags = "-mod=readonly -buildvcs=false"
        ours = {"GOBIN": folder, "GOTMPDIR": folder, "GOFLAGS": flags, "GOWORK": "off", "CGO_ENABLED": "0"}
        return {**kept, **ours, "GO111MODULE": "on"}


def _build(build: _Build, step: Callable[[str], None]) -> Path:
    """Fetch, check and build the source; return the binary."""
    step(f"fetching {MODULE}@v{VERSION}")
    said = _run(build, ("mod", "download", "-json", f"{MODULE}@v{VERSION}"), Path("/"))
    try:
        module = json.loads(said)
        source, found = Path(module["Dir"]), str(module["Sum"])
    except (ValueError, KeyError, TypeError) as error:
        raise GoFailed("fetch", f"unexpected answer of go mod download: {said[:200]!r}") from error
    # guard: cometbft-of-another-checksum test_a_source_of_another_checksum_is_not_built
    if found != SUM:
        raise WrongSource(VERSION, found[:100], SUM)
    step(f"building CometBFT {VERSION}, a few minutes the first time")
    _run(build, ("install", "-trimpath", "./cmd/cometbft"), source)
    binary = build.folder / "cometbft"
    if not binary.is_file() or version_of(binary) != VERSION:
        raise GoFailed("build", "go install left no cometbft of this version")
    with binary.open("rb") as file:
        os.fsync(file.fileno())
    return binary


# -- programs


def _run(build: _Build, arguments: Sequence[str], cwd: Path) -> str:
    """Run Go within the deadline; return what it printed.

    It has a session of its own: Ctrl-C reaches this process, which ends Go and its compilers with it.

    Raises:
        GoFailed, GoTooSlow, OSError.
    """
    with (build.folder / "stdout").open("w+b") as out, (build.folder / "stderr").open("w+b") as errors:
        process = subprocess.Popen(  # noqa: S603 - Go, no shell
            [str(build.go), *arguments],
            cwd=cwd,
            env=build.environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=errors,
            start_new_session=True,
        )
        try:
            code = process.wait(build.deadline.left())
        except subprocess.TimeoutExpired:
            raise GoTooSlow(arguments[0], build.deadline.seconds) from None
        finally:
            _end(process)
        said, told = _tail(out), _tail(errors)
    if code:
        raise GoFailed("fetch" if arguments[0] == "mod" else "build", _reason(said, told, code))
    return said


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End a program that still runs, and its children; Go removes its own files on SIGINT."""
    if process.poll() is not None:
        return
    try:
        os.killpg(process.pid, signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_S)
    finally:
        with suppress(ProcessLookupError, PermissionError):  # no member is left, or (macOS) none that lives
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _tail(file: IO[bytes]) -> str:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _TAIL))
    return file.read().decode(errors="replace")


def _reason(said: str, told: str, code: int) -> str:
    """Return the line in which Go says why: `mod download -json` says it in JSON."""
    with suppress(ValueError, KeyError, TypeError):
        told = str(json.loads(said)["Error"])
    lines = [each.strip() for each in told.splitlines() if each.strip()]
    return lines[-1][:500] if lines else f"exit code {code}"
