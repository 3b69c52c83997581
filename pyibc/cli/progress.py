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

    A call begins the next step. Nothing is shown of steps that take less than two seconds.
    """

    def __init__(self, what: str, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin the first step."""
        self._stream, self._clock = stream, clock
        self._is_terminal = stream.isatty() and environ.get("TERM") != "dumb"
        self._lock = Lock()
        self._shown = False  # a line that is to be cleared
        self._began = self._heard = clock()
        self._wait, self._what = SILENT_S, what

    def __call__(self, what: str) -> None:
        """Begin the next step."""
        with self._lock:
            self._clear()
            self._began = self._heard = self._clock()
            self._wait, self._what = SILENT_S, what

    def tick(self) -> None:
        """Show the step if nothing was shown for long enough."""
        with self._lock:
            now = self._clock()
            if now - self._heard < self._wait:
                return
            self._heard, self._wait = now, _TICK_S if self._is_terminal else _LINES_S
            text = _printable(f"{self._what}: {now - self._began:.0f} s")
            if self._is_terminal:
                width = shutil.get_terminal_size().columns - 1
                self._write(_CLEAR + text[:width])
            else:
                self._write(f"{text}\n")
            self._shown = self._is_terminal

    def close(self) -> None:
        """Clear the line."""
        with self._lock:
            self._clear()

    def _clear(self) -> None:
        if self._shown:
            self._write(_CLEAR)
        self._shown = False

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):  # stderr was closed: the command goes on without
            self._stream.write(text)
            self._stream.flush()


@contextmanager
def progress(what: str) -> Iterator[Callable[[str], None]]:
    """Show progress while the `with` block is silent; yield a function that names its next step.

    Nothing is shown with --json. The block must not write to a terminal itself.
    """
    context = click.get_current_context(silent=True)
    if context is not None and context.params.get("as_json"):
        yield _ignored
        return
    shown, done = Progress(what, sys.stderr), Event()
    thread = Thread(target=_show, args=(shown, done), name="progress", daemon=True)
    thread.start()
    try:
        yield shown
    finally:
        done.set()
        thread.join()
        shown.close()


def _show(shown: Progress, done: Event) -> None:
    while not done.wait(_TICK_S):
        shown.tick()


def _ignored(_what: str) -> None:
    """Ignore a step."""


def _printable(text: str) -> str:
    """Return a text fit for one line: chains and files chose parts of it."""
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)
