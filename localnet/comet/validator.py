"""Recovery from a state sync that was interrupted by a crash.

CometBFT 0.38 stores its state when the application has restored the snapshot, and its first block shortly
after. If it is killed in between, it panics on every start (blocksync.NewReactor). It has no block yet and
has signed nothing, so it can safely start from scratch; the application then restores another snapshot.
"""

import logging
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from localnet.comet.application import LISTENING
from localnet.errors import LocalnetError, ValidatorFailed
from localnet.process.lifecycle import child_environment

_PANIC = re.compile(r"^panic: state \([0-9]+\) and store \(0\) height mismatch", re.MULTILINE)


def reset_interrupted_sync(home: Path, said: str) -> bool:
    """Delete the databases of a CometBFT that failed in this way, but not its last signed state.

    Args:
        home: Home of the CometBFT.
        said: Its log output since it started.

    Returns:
        True if this was the failure.

    Raises:
        OSError: a file cannot be removed.
    """
    if not _PANIC.search(said):
        return False
    for folder in (home / "data").iterdir():
        if folder.is_dir():  # all but priv_validator_state.json
            shutil.rmtree(folder)
    return True


# -- analysis of a process's log: output since its start, reason of its exit, and consensus failures

_MOST = 1 << 16
_HALT = "CONSENSUS FAILURE!!!"
_REASON = re.compile(
    rf"^(?:(?:panic|ERROR|fatal error): .*|.*{_HALT} .{{0,300}})", re.MULTILINE
)  # messages of Go, and of CometBFT itself


def log_since(log: Path, start: int) -> str:
    """Return the end of a log, from byte `start` at the earliest; raise OSError."""
    with log.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(start if start <= size else 0, size - _MOST))
        return file.read().decode(errors="replace").rstrip()


def exit_reason(said: str) -> str:
    """Return the line that explains an exit: a panic, error or consensus failure, else the last line."""
    found = _REASON.search(said)
    return found[0] if found else said.rpartition("\n")[2]


class HaltDetector:
    """Detects a CometBFT that keeps running after its consensus has failed, for example on a full disk.

    Such a node makes no more blocks.

    Args:
        log: Log file of the process.
        start: Offset at which its output begins, in bytes.
    """

    def __init__(self, log: Path, start: int) -> None:
        self._log = log
        self._start = self._seen = start

    def halted(self) -> bool:
        """Return whether a consensus failure was logged since the last call; raise OSError."""
        size = self._log.stat().st_size
        if size == self._seen:
            return False
        said = log_since(self._log, max(self._start, self._seen - len(_HALT)))
        self._seen = size
        return _HALT in said


# -- the two processes of one validator: started and stopped together, restarted after a crash
#
# Over the socket CometBFT exits when its application is gone; over gRPC it waits for one, and is stopped
# here. The application survives CometBFT and serves the next one.

log = logging.getLogger("localnet")

_STOP_S = 10.0
_ORPHAN_S = 1.0
"""Grace period for a CometBFT without its application, which over gRPC ignores SIGTERM."""
_PAUSES_S = (0.2, 1.0, 5.0)
_STEADY_S = 30.0
_LOG_TAIL = 2_000
APP, COMET = "app", "comet"

Process = subprocess.Popen[bytes]


class ValidatorProcesses:
    """One validator's application and CometBFT processes.

    Args:
        home: Home of the validator, also for its logs (`app.log`, `comet.log`) and pid files.
        binary: Path of the cometbft binary.
        module: Module of the application; tests may run a different one.
    """

    def __init__(self, home: Path, binary: Path, module: str = "localnet.comet.application") -> None:
        self.home = home
        self._binary = binary
        self._module = module
        self._processes: dict[str, Process] = {}
        self._logged: dict[str, int] = {}  # size of each log when its process was started
        self._halt: HaltDetector | None = None  # of the running CometBFT
        self._listens = False
        self._crashes = 0
        self._next_start = 0.0
        self._started = 0.0

    def launch(self) -> None:
        """Start the application without waiting, so that several start in parallel. Raises OSError."""
        if APP not in self._processes:
            self._listens = False
            command = [sys.executable, "-m", self._module, str(self.home), "--until-eof"]
            self._spawn(APP, command, subprocess.PIPE, subprocess.PIPE)

    def start(self) -> None:
        """Start the processes that are not running: the application, then CometBFT.

        Raises:
            ValidatorFailed: the application does not start listening; includes the end of its log.
            OSError: a process cannot be started.
        """
        self.launch()
        if not self._listens:
            self._await_application()
        if COMET not in self._processes:
            command = [str(self._binary), "node", "--home", "."]
            self._spawn(COMET, command, subprocess.DEVNULL, None, cwd=self.home)
            self._halt = HaltDetector(self._log(COMET), self._logged[COMET])
        self._started = time.monotonic()

    def restart_exited(self) -> None:
        """Restart processes that have exited: immediately the first time, then with growing delays.

        Does not block other validators. A CometBFT that still runs although its consensus has failed is
        stopped first.
        """
        if self._halt is not None and self._halt.halted():
            log.warning("%s: consensus has failed, restarting CometBFT", self.home.name)
            self._ended(COMET, self._end(COMET, _STOP_S))
            self._plan_restart()
        ended = [name for name, process in self._processes.items() if process.poll() is not None]
        for name in ended:
            self._ended(name, self._forget(name))
        if ended:
            self._plan_restart()
        if len(self._processes) < 2 and time.monotonic() >= self._next_start:
            self._restart()

    def _ended(self, name: str, code: int | None) -> None:
        said = log_since(self._log(name), self._logged[name])
        log.warning("%s: %s ended with exit code %s: %s", self.home.name, name, code, exit_reason(said))
        if name == COMET and reset_interrupted_sync(self.home, said):
            log.warning("%s: its state sync was interrupted, starting over", self.home.name)

    def _restart(self) -> None:
        if APP not in self._processes:
            self._end(COMET, _ORPHAN_S)
        try:
            self.start()
        except (LocalnetError, OSError) as error:
            self.delay_restart(error)

    def delay_restart(self, error: Exception) -> None:
        """Log why a start failed; `restart_exited` tries again later."""
        log.warning("%s: %s", self.home.name, exit_reason(str(error)))
        self._plan_restart()

    def _plan_restart(self) -> None:
        now = time.monotonic()
        if now - self._started > _STEADY_S:
            self._crashes = 0
        self._next_start = now + _PAUSES_S[min(self._crashes, len(_PAUSES_S) - 1)]
        self._crashes += 1

    def terminate_comet(self) -> None:
        """Send SIGTERM to CometBFT, so that several validators stop in parallel."""
        process = self._processes.get(COMET)
        if process is not None:
            process.terminate()

    def stop(self) -> None:
        """Stop CometBFT, then the application; kill a process that does not exit."""
        for name in (COMET, APP):
            self._end(name, _STOP_S)

    # -- internals

    def _await_application(self) -> None:
        stream = self._processes[APP].stdout
        self._listens = stream is not None and stream.readline().strip() == LISTENING.encode()
        if not self._listens:
            code = self._end(APP, _STOP_S)
            said = log_since(self._log(APP), self._logged[APP])[-_LOG_TAIL:]
            raise ValidatorFailed(self.home.name, code, said)

    def _log(self, name: str) -> Path:
        return self.home / f"{name}.log"

    def _spawn(
        self, name: str, command: list[str], stdin: int, stdout: int | None, cwd: Path | None = None
    ) -> Process:
        with self._log(name).open("ab") as into:
            self._logged[name] = into.tell()
            process = subprocess.Popen(  # noqa: S603 - our own module and CometBFT, no shell
                command,
                stdin=stdin,
                stdout=into if stdout is None else stdout,
                stderr=into,
                cwd=cwd,
                env=child_environment(),
            )
        (self.home / f"{name}.pid").write_text(str(process.pid), encoding="ascii")
        self._processes[name] = process
        return process

    def _end(self, name: str, timeout_s: float) -> int | None:
        process = self._processes.get(name)
        if process is None:
            return None
        process.terminate()
        try:
            process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            log.warning("%s: %s: no exit after SIGTERM, killing it", self.home.name, name)
            process.send_signal(signal.SIGKILL)
            process.wait()
        return self._forget(name)

    def _forget(self, name: str) -> int | None:
        process = self._processes.pop(name)
        if name == COMET:
            self._halt = None
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
        (self.home / f"{name}.pid").unlink(missing_ok=True)
        return process.returncode
