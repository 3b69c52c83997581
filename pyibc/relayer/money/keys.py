"""Sources of a relayer's keys: a private file, an environment variable, a command that prints the key.

Each source has 64 hex digits or a mnemonic, which are never part of an error. Commands read keys from
password stores and keyrings of operating systems: `pass show`, `secret-tool lookup`, `keyring get`.
"""

import errno
import os
import re
import select
import shlex
import signal
import stat
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkstemp

from pyibc.core.crypto import secp256k1
from pyibc.relayer.errors import KeyExposed, KeyRefused
from pyibc.relayer.money.hd_keys import mnemonic_key
from pyibc.relayer.money.wallet import SECP256K1, KeyType, Wallet

# -- output of commands that print a key. A command that must end is killed with its children

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


# -- sources of a relayer's keys: a private file, an environment variable, a command that prints the key

ENV = "env:"
"""Prefix of the name of an environment variable."""
COMMAND = "command:"
"""Prefix of a command that prints a key, split like in a shell; no shell runs it."""
COMMAND_S = 60.0
"""Time limit of a command, in seconds; it may ask the user to unlock a keyring."""
OTHERS = stat.S_IRWXG | stat.S_IRWXO
"""Mode bits that a key file must not have."""

_HEX = re.compile("(0x)?[0-9a-fA-F]{64}", re.ASCII)


def read_wallet(
    where: str | Path,
    prefix: str,
    *,
    key_type: KeyType = SECP256K1,
    hd_path: str | None = None,
    environ: Mapping[str, str] = os.environ,
    pause: Pause = time.sleep,
) -> Wallet:
    """Return the wallet of the key at `where`; `prefix` is that of the chain's bech32 addresses.

    Other arguments and errors as for `read_key`.
    """
    return Wallet(read_key(where, key_type, hd_path, environ, pause=pause), prefix, key_type)


def read_key(
    where: str | Path,
    key_type: KeyType = SECP256K1,
    hd_path: str | None = None,
    environ: Mapping[str, str] = os.environ,
    *,
    pause: Pause = time.sleep,
) -> bytes:
    """Return the private key, 32 bytes, from a file, an environment variable or a command.

    Args:
        where: A file of mode 0600 or stricter, `env:NAME`, or `command:WORDS`.
        key_type: The account type.
        hd_path: Path of the key if a mnemonic is given; None: that of `key_type`.
        environ: The environment.
        pause: Pauses while a command runs; what it raises ends the command.

    Raises:
        KeyExposed: the file's mode gives other users access.
        KeyRefused: there is no key.
        OSError: the file cannot be read, or the command cannot be run.
    """
    return parse_key(read_secret(where, environ, pause=pause), str(where), key_type, hd_path)


def read_secret(
    where: str | Path, environ: Mapping[str, str] = os.environ, *, pause: Pause = time.sleep
) -> str:
    """Return the text of a private file, an environment variable or a command; as for `read_key`."""
    name = str(where)
    if name.startswith(ENV):
        return _from_environment(name, environ)
    if name.startswith(COMMAND):
        return _from_command(name, pause)
    return read_private_file(Path(where))


def parse_key(text: str, where: str, key_type: KeyType = SECP256K1, hd_path: str | None = None) -> bytes:
    """Return the private key, 32 bytes, given by 64 hex digits or a mnemonic.

    Raises:
        KeyRefused: the text is neither; the error contains `where` instead of the text.
    """
    text = text.strip()
    if text.startswith("{"):
        raise KeyRefused(where, "an encrypted key: set its `passphrase`, or add it with `pyibc keys import`")
    try:
        if len(text.split()) < 2:
            return _scalar(text, hd_path)
        return mnemonic_key(text, hd_path or key_type.hd_path)
    except ValueError as error:
        # guard: h150-an-error-holds-what-was-read {=> raise KeyRefused(where, str(error)) from error}
        #   test_h150_what_is_no_key_is_refused_without_being_repeated
        reason = str(error)
    raise KeyRefused(where, reason)  # outside: the context of an error would contain the text


def read_private_file(file: Path) -> str:
    """Return the text of a file that only its owner can read and write.

    Raises:
        KeyExposed: group or others have a permission.
        KeyRefused: it is not a regular file, belongs to another user, is not ASCII, or is too long.
        OSError: it cannot be read.
    """
    descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # a pipe would block for ever
    try:
        _require_private(file, os.fstat(descriptor))  # by descriptor: the name may have been replaced
        raw = os.read(descriptor, MAX_BYTES + 1)
    finally:
        os.close(descriptor)
    if len(raw) > MAX_BYTES or not raw.isascii():
        raise KeyRefused(str(file), f"not up to {MAX_BYTES} bytes of ASCII")
    return raw.decode("ascii")


def write_private_file(file: Path, text: str) -> None:
    """Create a file of mode 0600 with `text`; an existing file is left as it is.

    The file is complete and synced to disk, or does not exist: a kill or a full disk leaves no partial key.

    Raises:
        FileExistsError: there is such a file.
        OSError: it cannot be written.
    """
    descriptor, fresh = mkstemp(prefix=".", dir=file.parent)  # of mode 0600
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as opened:
            opened.write(text)
            opened.flush()
            os.fsync(opened.fileno())
        _link(fresh, file)
    except FileExistsError:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(file)) from None
    finally:
        Path(fresh).unlink(missing_ok=True)
    _sync_folder(file.parent)


def _link(fresh: str, file: Path) -> None:
    """Give a file its name, which must be free; raise FileExistsError or OSError."""
    try:
        os.link(fresh, file)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # An empty file reserves the name first. After a kill here it is found and reported as no key.
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
        try:
            Path(fresh).replace(file)
        except BaseException:
            file.unlink()
            raise


_NO_LINKS = frozenset({errno.EPERM, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP})
"""Errors of file systems without hard links (FAT, many network and FUSE mounts)."""


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _require_private(file: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise KeyRefused(str(file), "not a file: name one with 64 hex digits or a mnemonic")
    # guard: h150-others-may-read-a-key test_h150_a_key_that_others_can_reach_is_not_read
    if found.st_mode & OTHERS:
        raise KeyExposed(str(file), f"{stat.S_IMODE(found.st_mode):04o}")
    if found.st_uid not in {os.geteuid(), 0}:
        raise KeyRefused(str(file), f"belongs to the user with id {found.st_uid}")


def _from_environment(where: str, environ: Mapping[str, str]) -> str:
    name = where.removeprefix(ENV)
    if not environ.get(name):
        raise KeyRefused(where, "the environment variable is not set")
    return environ[name]


def _from_command(where: str, pause: Pause) -> str:
    """Return the output of the command; its stderr is shown, since it may ask to unlock a keyring."""
    try:
        words = shlex.split(where.removeprefix(COMMAND))
    except ValueError as error:
        raise KeyRefused(where, str(error)) from error
    if not words:
        raise KeyRefused(where, "no command")
    try:
        code, printed = output_of(words, COMMAND_S, pause)
    except CommandTimedOut:
        reason = f"no answer within {COMMAND_S:g} s"
    else:
        # guard: h193-a-key-of-a-failure drop:code
        #   test_h193_a_command_that_prints_no_key_is_refused_without_what_it_printed
        if not code and len(printed) <= MAX_BYTES and printed.isascii():
            return printed.decode("ascii")
        reason = f"ended with {code}" if code else f"does not print up to {MAX_BYTES} bytes of ASCII"
    raise KeyRefused(where, reason)  # outside: the context of an error would contain the output


def _scalar(text: str, hd_path: str | None) -> bytes:
    if not _HEX.fullmatch(text):
        raise ValueError("not 64 hex digits, nor a mnemonic")
    if hd_path is not None:
        raise ValueError("an HD path belongs to a mnemonic, not to a key in hex")
    key = bytes.fromhex(text.removeprefix("0x"))
    if not 0 < int.from_bytes(key, "big") < secp256k1.ORDER:
        raise ValueError("not a key of secp256k1: zero, or not below the order of its group")
    return key
