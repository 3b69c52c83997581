"""Where a relayer's keys come from: a file of its owner alone, the environment, a command that prints them.

Each gives 64 hex digits or a mnemonic. What is read is never part of an error. Commands are how keys are had
from password stores and keyrings of operating systems: `pass show`, `secret-tool lookup`, `keyring get`.
"""

import errno
import os
import re
import shlex
import stat
import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import mkstemp

from ibc_core.crypto import secp256k1
from ibc_relayer.hd_keys import mnemonic_key
from ibc_relayer.key_types import SECP256K1, KeyType
from ibc_relayer.money_errors import KeyExposed, KeyRefused
from ibc_relayer.wallet import Wallet

ENV = "env:"
"""What begins the name of an environment variable in place of a file."""
COMMAND = "command:"
"""What begins a command, in the shell's words, that prints a key; no shell runs it."""
COMMAND_S = 60.0
"""A command may ask somebody to unlock a keyring, for so long."""
MAX_BYTES = 4096
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
) -> Wallet:
    """The wallet whose key is at a place; `prefix` is of the chain's bech32 addresses.

    The rest, and what it raises, as `read_key`.
    """
    return Wallet(read_key(where, key_type, hd_path, environ), prefix, key_type)


def read_key(
    where: str | Path,
    key_type: KeyType = SECP256K1,
    hd_path: str | None = None,
    environ: Mapping[str, str] = os.environ,
) -> bytes:
    """The private key, 32 bytes, that is in a file or an environment variable, or is printed by a command.

    Args:
        where: A file of mode 0600 or stricter, `env:NAME`, or `command:WORDS`.
        key_type: The kind of account.
        hd_path: Of the key, where a mnemonic is given; None: `key_type`'s own.
        environ: The environment.

    Raises:
        KeyExposed: the file's mode lets others at it.
        KeyRefused: there is no key there.
        OSError: the file cannot be read, or the command not be run.
    """
    name = str(where)
    if name.startswith(ENV):
        text = _from_environment(name, environ)
    elif name.startswith(COMMAND):
        text = _from_command(name)
    else:
        text = read_private_file(Path(where))
    return parse_key(text, name, key_type, hd_path)


def parse_key(text: str, where: str, key_type: KeyType = SECP256K1, hd_path: str | None = None) -> bytes:
    """The private key, 32 bytes, that 64 hex digits or a mnemonic say.

    Raises:
        KeyRefused: they say none; `where` names what was read.
    """
    text = text.strip()
    try:
        if len(text.split()) < 2:
            return _scalar(text, hd_path)
        return mnemonic_key(text, hd_path or key_type.hd_path)
    except ValueError as error:
        # guard: h150-an-error-holds-what-was-read {=> raise KeyRefused(where, str(error)) from error}
        #   test_h150_what_is_no_key_is_refused_without_being_repeated
        reason = str(error)
    raise KeyRefused(where, reason)  # outside: the context of an error may hold what was read


def read_private_file(file: Path) -> str:
    """The text of a file that nobody but its owner can read or write.

    Raises:
        KeyExposed: group or others have a permission.
        KeyRefused: it is no file, belongs to another user, is no ASCII or too long.
        OSError: it cannot be read.
    """
    descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # a pipe would wait for ever
    try:
        _require_private(
            file, os.fstat(descriptor)
        )  # of what is read: the name may mean something else by now
        raw = os.read(descriptor, MAX_BYTES + 1)
    finally:
        os.close(descriptor)
    if len(raw) > MAX_BYTES or not raw.isascii():
        raise KeyRefused(str(file), f"not up to {MAX_BYTES} bytes of ASCII")
    return raw.decode("ascii")


def write_private_file(file: Path, text: str) -> None:
    """Makes a file of mode 0600 with `text`; one that exists is left as it is.

    It is there whole, and on the disk, or not at all: a kill or a full disk leaves no partial key.

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
        _name(fresh, file)
    except FileExistsError:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(file)) from None
    finally:
        Path(fresh).unlink(missing_ok=True)
    _sync_folder(file.parent)


def _name(fresh: str, file: Path) -> None:
    """Gives a file its name, which nobody may have taken; raises FileExistsError, OSError."""
    try:
        os.link(fresh, file)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # The name is taken first, by a file without a key: who is killed here finds that one, and is told.
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
        try:
            Path(fresh).replace(file)
        except BaseException:
            file.unlink()
            raise


_NO_LINKS = frozenset({errno.EPERM, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP})
"""What file systems say that have no hard links (FAT, many network and FUSE mounts)."""


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _require_private(file: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise KeyRefused(str(file), "not a regular file")
    # guard: h150-others-may-read-a-key test_h150_a_key_that_others_can_reach_is_not_read
    if found.st_mode & OTHERS:
        raise KeyExposed(str(file), f"{stat.S_IMODE(found.st_mode):04o}")
    if found.st_uid not in {os.geteuid(), 0}:
        raise KeyRefused(str(file), f"belongs to the user of id {found.st_uid}")


def _from_environment(where: str, environ: Mapping[str, str]) -> str:
    name = where.removeprefix(ENV)
    if not environ.get(name):
        raise KeyRefused(where, "the environment variable is not set")
    return environ[name]


def _from_command(where: str) -> str:
    """What the command prints; what it says on stderr goes to ours, for whoever is to unlock something."""
    try:
        words = shlex.split(where.removeprefix(COMMAND))
    except ValueError as error:
        raise KeyRefused(where, str(error)) from error
    if not words:
        raise KeyRefused(where, "no command")
    reason = f"no answer within {COMMAND_S:g} s"
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=COMMAND_S)  # noqa: PLW1510, S603 - the owner's own words
    except subprocess.TimeoutExpired:
        done = None
    if done is not None:
        # guard: h193-a-key-of-a-failure drop:returncode
        #   test_h193_a_command_that_prints_no_key_is_refused_without_what_it_printed
        if not done.returncode and len(done.stdout) <= MAX_BYTES and done.stdout.isascii():
            return done.stdout.decode("ascii")
        ended = f"ended with {done.returncode}"
        reason = ended if done.returncode else f"does not print up to {MAX_BYTES} bytes of ASCII"
    raise KeyRefused(where, reason)  # outside: the context of an error may hold what was printed


def _scalar(text: str, hd_path: str | None) -> bytes:
    if not _HEX.fullmatch(text):
        raise ValueError("not 64 hex digits, nor a mnemonic")
    if hd_path is not None:
        raise ValueError("an HD path belongs to a mnemonic, not to a key in hex")
    key = bytes.fromhex(text.removeprefix("0x"))
    if not 0 < int.from_bytes(key, "big") < secp256k1.ORDER:
        raise ValueError("not a key of secp256k1: zero, or not below the order of its group")
    return key
