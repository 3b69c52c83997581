"""Java as Spark finds it (`JAVA_HOME`, or `java` on the path), and what it prints while Spark starts."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import NamedTuple

NEEDED = 17
FIX = f"install a Java {NEEDED}+ runtime (Debian: apt-get install default-jre-headless) or set JAVA_HOME"
_VERSION_S = 60.0

MAX_HELD = 1 << 20  # bytes; of more, the last ones are kept
_READ = 1 << 16
_END = b"\0end of the start\0"
_PATIENCE_S = 5.0  # until the reader has seen what was printed before


class Java(NamedTuple):
    """A Java runtime."""

    place: str  # "": none
    version: int  # 0: it does not tell one

    @property
    def problem(self) -> str:
        """Reason why Spark cannot use it; "": it can."""
        if not self.place:
            return "no Java was found"
        if self.version < NEEDED:
            return f"{self.place} is {f'Java {self.version}' if self.version else 'no Java that runs'}"
        return ""


def find_java() -> Java:
    """Return the Java runtime that Spark will start."""
    home = os.environ.get("JAVA_HOME")
    place = str(Path(home) / "bin" / "java") if home else shutil.which("java") or ""
    if not place:
        return Java("", 0)
    try:
        said = subprocess.run(  # noqa: S603 - the program that Spark runs
            [place, "-version"],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=_VERSION_S,
        ).stderr
    except (OSError, subprocess.TimeoutExpired):
        return Java(place, 0)
    version = re.search(r'version "(?:1\.)?(\d{1,4})', said)
    return Java(place, int(version[1]) if version else 0)


@contextmanager
def held_back() -> Iterator[None]:
    """Hold back what processes that are started in the context print to standard error.

    It is printed if the context ends with an exception. What they print later is passed on. What this process
    prints itself is held back, too, so a library must not use it without being asked to.
    """
    try:
        real = os.dup(2)
    except OSError:  # this process has no standard error
        yield
        return
    read, write = os.pipe()
    os.dup2(write, 2)
    output = _Output(read, real)
    is_shown = True
    try:
        yield
        is_shown = False
    finally:
        os.dup2(real, 2)
        os.write(write, _END)
        os.close(write)
        output.end(is_shown=is_shown)


class _Output:
    """Reader of a pipe, in a thread that ends with the processes that write to it."""

    def __init__(self, pipe: int, real: int) -> None:
        self._pipe, self._real = pipe, real
        self._held = b""
        self._ended = Event()
        Thread(target=self._run, daemon=True).start()

    def end(self, *, is_shown: bool) -> None:
        """Wait until the mark of the end is read, and print what was held back if `is_shown`."""
        self._ended.wait(_PATIENCE_S)
        if is_shown:
            self._print(self._held)
        self._held = b""

    def _run(self) -> None:
        while data := os.read(self._pipe, _READ):
            if self._ended.is_set():
                self._print(data)
                continue
            held, mark, rest = (self._held + data).partition(_END)
            self._held = held[-MAX_HELD:]
            if mark:
                self._ended.set()
                self._print(rest)
        os.close(self._pipe)
        os.close(self._real)

    def _print(self, data: bytes) -> None:
        with suppress(OSError):  # nobody reads it any more
            os.write(self._real, data)
