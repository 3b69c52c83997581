"""Progress on stderr of a command that would otherwise be silent for more than two seconds."""

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from os import environ
from threading import Event, Lock, Thread
from typing import TextIO

import click

SILENT_S = 2.0
"""Silence after which progress is shown."""
_LINES_S = 30.0
"""Time between two lines where stderr is not a terminal."""
_TICK_S = 0.5
_CLEAR = "\r\x1b[K"


class Progress:
    """The step that a command is at: one changing line on a terminal, and now and then a line elsewhere.

    A call begins the next step. Nothing is shown of steps that take less than two seconds, unless `eager`:
    then each but the first is shown at once.
    """

    def __init__(
        self,
        what: str,
        stream: TextIO,
        clock: Callable[[], float] = time.monotonic,
        *,
        eager: bool = False,
        hidden: bool = False,
    ) -> None:
        """Begin the first step, which is never shown at once; if `hidden`, only lines of `say` are shown."""
        self._stream, self._clock = stream, clock
        self._eager, self._hidden = eager, hidden
        self._is_terminal = stream.isatty() and environ.get("TERM") != "dumb"
        self._lock = Lock()
        self._shown = False  # a line that is to be cleared
        self._began = self._heard = clock()
        self._wait, self._what = SILENT_S, what

    def __call__(self, what: str) -> None:
        """Begin the next step."""
        if self._hidden:
            return
        with self._lock:
            is_new, self._what = what != self._what, what
            self._rest()
            if is_new:
                self._began = self._clock()
            if is_new and self._eager:
                self._show(what)

    def say(self, text: str) -> None:
        """Write a line to stderr; the step goes on."""
        self.aside(lambda: self._write(f"{text}\n"))

    def aside(self, write: Callable[[], object]) -> None:
        """Let a function write to the terminal; the step goes on."""
        with self._lock:
            self._rest()
            write()

    def tick(self) -> None:
        """Show the step if nothing was shown for long enough."""
        with self._lock:
            now = self._clock()
            if now - self._heard < self._wait:
                return
            self._heard, self._wait = now, _TICK_S if self._is_terminal else _LINES_S
            self._show(f"{self._what}: {now - self._began:.0f} s")

    def close(self) -> None:
        """Clear the line."""
        with self._lock:
            self._clear()

    def _rest(self) -> None:
        """Begin another silence."""
        self._clear()
        self._heard = self._clock()
        self._wait = _LINES_S if self._eager and not self._is_terminal else SILENT_S

    def _show(self, text: str) -> None:
        line = one_line(text)
        if self._is_terminal:
            self._write(_CLEAR + line[: shutil.get_terminal_size().columns - 1])
        else:
            self._write(f"{line}\n")
        self._shown = self._is_terminal

    def _clear(self) -> None:
        if self._shown:
            self._write(_CLEAR)
        self._shown = False

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):  # stderr was closed: the command goes on without
            self._stream.write(text)
            self._stream.flush()


@contextmanager
def progress(what: str, *, eager: bool = False, shows: bool = True) -> Iterator[Progress]:
    """Show progress while the `with` block works; yield a function that names its next step.

    Nothing is shown with --json. On a terminal the block must not write anything, except by `say`.

    Args:
        what: the first step.
        eager: show each later step at once, not only after two seconds.
        shows: False: nothing is shown either.
    """
    context = click.get_current_context(silent=True)
    hidden = not shows or bool(context and context.params.get("as_json"))
    shown, done = Progress(what, sys.stderr, eager=eager, hidden=hidden), Event()
    if hidden:
        yield shown
        return
    thread = Thread(target=_tick, args=(shown, done), name="progress", daemon=True)
    thread.start()
    try:
        yield shown
    finally:
        done.set()
        thread.join()
        shown.close()


def _tick(shown: Progress, done: Event) -> None:
    while not done.wait(_TICK_S):
        shown.tick()


def one_line(text: str) -> str:
    """Return a text in one printable line: names of files and chains may contain any characters."""
    line = " ".join(text.splitlines())
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in line)
