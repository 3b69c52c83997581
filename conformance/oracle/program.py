"""The Go program that runs cases: built locally, and used through pipes."""

import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import IO, NamedTuple

from conformance.walks.replay_program import Missing, find_go
from pyibc.proto.varint import encode_varint

SOURCES = Path(__file__).with_name("go")

_BATCH = 256


class Case(NamedTuple):
    """A case: its kind and arguments for the Go program."""

    kind: str  # one letter
    arguments: tuple[bytes, ...]


class Verdict(NamedTuple):
    """A result of the Go program."""

    error: str  # `codespace/code`; "": accepted
    read: bytes = b""  # decoded values, for kinds that report them


ACCEPTED = "ok"


class Oracle:
    """A running program."""

    def __init__(self, program: Path) -> None:
        self._process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603

    def __enter__(self) -> "Oracle":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def ask(self, cases: Iterable[Case]) -> Iterator[tuple[Case, Verdict]]:
        """Run the cases and yield each with its result, in order."""
        left = iter(cases)
        while batch := list(islice(left, _BATCH)):
            yield from zip(batch, self._answers(batch), strict=True)

    def _answers(self, batch: Sequence[Case]) -> list[Verdict]:
        writer = Thread(target=self._write, args=(b"".join(map(_encode, batch)),))
        writer.start()
        answers = [_verdict(_read(self._stdout)) for _ in batch]
        writer.join()
        return answers

    def _write(self, raw: bytes) -> None:
        self._stdin.write(raw)
        self._stdin.flush()

    @property
    def _stdin(self) -> IO[bytes]:
        return _open(self._process.stdin)

    @property
    def _stdout(self) -> IO[bytes]:
        return _open(self._process.stdout)


def build(cache: Path) -> Path:
    """Build the program into `cache`; return its path.

    Raises:
        Missing: Go is not installed, or the build failed (its modules may be unavailable).
    """
    cache.mkdir(parents=True, exist_ok=True)
    for source in SOURCES.iterdir():
        if source.name != "go.mod" or not (cache / "go.mod").exists():  # the build completes go.mod
            shutil.copyfile(source, cache / source.name)
    command = [find_go(), "build", "-mod=mod", "-buildvcs=false", "-o", "oracle", "."]
    if subprocess.run(command, cwd=cache, check=False).returncode:  # noqa: S603
        raise Missing(f"{SOURCES} does not build (its modules come from the Go module proxy)")
    return cache / "oracle"


def _open(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise Missing("the program has no pipes")
    return pipe


def _encode(case: Case) -> bytes:
    parts = [case.kind.encode(), encode_varint(len(case.arguments))]
    for each in case.arguments:
        parts += [encode_varint(len(each)), each]
    return b"".join(parts)


def _read(stream: IO[bytes]) -> bytes:
    size = shift = 0
    while True:
        byte = stream.read(1)
        if not byte:
            raise Missing("the program ended before it had answered all cases")
        size |= (byte[0] & 127) << shift
        shift += 7
        if byte[0] < 128:
            return stream.read(size)


def _verdict(raw: bytes) -> Verdict:
    if raw.startswith(ACCEPTED.encode()):
        return Verdict("", raw[len(ACCEPTED) :])
    return Verdict(raw.decode())
