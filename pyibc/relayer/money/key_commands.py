"""Output of commands that print a key. A command that must end is killed with its children."""

import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

MAX_BYTES = 4096
TICK_S = 0.05
"""Maximum seconds between two looks at a command."""
KILLED_S = 1.0
"""Seconds until a killed command is left to the system: it may be stuck in a call of the kernel."""

Pause = Callable[[float], None]
"""Pauses for some seconds, or raises what ends the command too."""


class CommandTimedOut(Exception):
    """A command has not ended in time; it was killed."""


def output_of(words: Sequence[str], timeout_s: float, pause: Pause = time.sleep) -> tuple[int, bytes]:
    """Return the exit code of a command and its output, cut off after `MAX_BYTES` + 1 bytes.

    Its stderr is that of this process, and it has the terminal if this process has it: it may ask the user to
    unlock a keyring.

    Raises:
        CommandTimedOut: it has not ended in time.
        OSError: it cannot be run.
    """
    until_s, found = time.monotonic() + timeout_s, b""
    with (
        _terminal() as give,
        subprocess.Popen(  # noqa: S603 - the owner's own words
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, bufsize=0, process_group=0
        ) as process,
        _killed(process),
    ):
        give(process.pid)
        assert process.stdout is not None  # noqa: S101 - a pipe was asked for
        reading = True
        while reading and len(found) <= MAX_BYTES:
            ended = process.poll() is not None
            if select.select([process.stdout], [], [], 0 if ended else TICK_S)[0]:
                more = os.read(process.stdout.fileno(), MAX_BYTES + 1)
                found, reading = found + more, bool(more)
            elif ended:  # children may hold the pipe open
                reading = False
            _check(until_s, pause)
        while process.poll() is None and len(found) <= MAX_BYTES:
            pause(TICK_S)
            _check(until_s, pause)
        return process.returncode or 0, found[: MAX_BYTES + 1]


def _check(until_s: float, pause: Pause) -> None:
    pause(0)
    if time.monotonic() >= until_s:
        raise CommandTimedOut


@contextmanager
def _killed(process: "subprocess.Popen[bytes]") -> Iterator[None]:
    """Kill the process group of a command that runs at the end; its number is not reused until then."""
    try:
        yield
    finally:
        if process.poll() is None:
            # guard: children-of-a-key-command-stay {os.killpg(process.pid, signal.SIGKILL) => process.kill()}
            #   test_a_command_is_killed_with_its_children
            os.killpg(process.pid, signal.SIGKILL)
            with suppress(subprocess.TimeoutExpired):
                process.wait(KILLED_S)


@contextmanager
def _terminal() -> Iterator[Callable[[int], None]]:
    """Yield a function that gives the terminal to a process group until the end, if this process has it."""
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        yield lambda _: None
        return
    own = os.getpgrp()
    given = os.tcgetpgrp(terminal) == own

    def give(group: int) -> None:
        if given:
            with suppress(OSError):  # the command has ended already
                os.tcsetpgrp(terminal, group)
                os.killpg(group, signal.SIGCONT)  # it may have asked before

    try:
        yield give
    finally:
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})  # it would stop this process
        with suppress(OSError):
            if given:
                os.tcsetpgrp(terminal, own)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.close(terminal)
