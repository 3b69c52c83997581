"""External programs: start, output, stop."""

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

STOP_S = 15.0
POLL_S = 0.05


class PeerFailed(Exception):
    """An external program failed or timed out; the message includes its output."""


def run(command: Sequence[str | Path], *, timeout: float = 60.0, stdin: str = "") -> str:
    """Run a program and return its standard output.

    Raises:
        PeerFailed: its exit code is not 0, or it takes longer than `timeout` seconds.
    """
    words = [str(word) for word in command]
    try:
        done = subprocess.run(  # noqa: S603 - a program that the test names
            words, input=stdin, capture_output=True, text=True, timeout=timeout, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise PeerFailed(f"{' '.join(words)}: not within {timeout:g} s\n{error.output}") from error
    if done.returncode:
        raise PeerFailed(f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def until(
    true: Callable[[], object], what: str, seconds: float = 60.0, more: Callable[[], str] = lambda: ""
) -> None:
    """Wait until `true()` holds; after `seconds` raise PeerFailed with `what` and the text of `more()`."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            raise PeerFailed(f"not within {seconds:g} s: {what}\n{more()}".rstrip())
        time.sleep(POLL_S)


def free_ports(count: int) -> list[int]:
    """Return unused ports of the loopback interface."""
    with contextlib.ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [int(probe.getsockname()[1]) for probe in probes]


class PeerProcess:
    """A program in its own session, with output to a file."""

    def __init__(
        self, command: Sequence[str | Path], log: Path, env: Mapping[str, str] | None = None
    ) -> None:
        """Start the program."""
        self.log = log
        with log.open("ab") as out:
            self._process = subprocess.Popen(  # noqa: S603 - as above
                [str(word) for word in command],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
                env={**os.environ, **(env or {})},
            )

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def runs(self) -> bool:
        """True while the process is running."""
        return self._process.poll() is None

    def words(self) -> str:
        """Return all output so far."""
        return self.log.read_text(errors="replace")

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Stop the process, by SIGKILL if necessary; return its exit code."""
        if self.runs:
            self._process.send_signal(number)
        try:
            return self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait(STOP_S)
