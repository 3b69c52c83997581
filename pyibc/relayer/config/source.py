"""Configuration that a daemon runs with, and its next one: checked as a whole, with its keys."""

import os
import stat
import tempfile
from collections.abc import Collection, Iterator
from hashlib import sha256
from io import FileIO
from itertools import chain as chained
from pathlib import Path

from pyibc.relayer.config.file import read_config
from pyibc.relayer.config.model import ChainConfig, Config
from pyibc.relayer.config.rules import Mistake, signers_at
from pyibc.relayer.daemon.connecting import add_wallet, wallets_of, where_is
from pyibc.relayer.daemon.status_file import DaemonStatus, lock_file, namespace, write_status
from pyibc.relayer.daemon.supervisor import log
from pyibc.relayer.errors import DaemonRunning, KeyExposed, KeyRefused
from pyibc.relayer.money.wallet import Wallet

# -- locks of keys: two daemons with one account on one chain would spend each other's sequences

KeyName = tuple[str, bytes]
"""Chain id and address."""


class KeyLocks:
    """Locked files of a daemon's keys, in a folder that all daemons of this user and machine share.

    A process that has ended, however it ended, has no locks. Without such a folder, keys are not locked.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Lock nothing yet."""
        self.folder = folder
        """Folder of the locks; None: that of the user."""
        self._files: dict[KeyName, FileIO | None] = {}

    def take(self, name: KeyName, what: str) -> None:
        """Lock a key, unless it is locked by this object; `what` is its name for people.

        Raises:
            DaemonRunning: another daemon has it.
        """
        if name not in self._files:
            try:
                self._files[name] = self._locked(name, what)
            except OSError as error:
                log.warning("key not locked", extra={"key": what, "reason": str(error)})
                self._files[name] = None

    def keep(self, names: Collection[KeyName]) -> None:
        """Release all other keys."""
        for name in self._files.keys() - names:
            file = self._files.pop(name)
            if file is not None:
                file.close()

    def _locked(self, name: KeyName, what: str) -> FileIO:
        folder = _folder_of_user() if self.folder is None else self.folder
        chain_id, address = name
        digest = sha256(b"%d:%s%s" % (len(chain_id), chain_id.encode(), address)).hexdigest()
        file = lock_file(folder / f"{digest}.lock", what)
        try:
            write_status(file, DaemonStatus(os.getpid(), namespace()))
        except OSError as error:  # a full disk: the lock holds all the same
            log.warning("key locked without a name", extra={"key": what, "reason": str(error)})
        return file


def _folder_of_user() -> Path:
    """Return the folder of this user's locks, made if necessary.

    Raises:
        OSError: it cannot be made, or belongs to somebody else, who could keep us from starting.
    """
    shared = Path("/run/lock")
    parent = shared if os.access(shared, os.W_OK | os.X_OK) else Path(tempfile.gettempdir())
    folder = parent / f"pyibc-relayer-{os.geteuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    # guard: locks-in-a-strangers-folder
    #   test_a_folder_of_somebody_else_is_not_used
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
        raise PermissionError(f"{folder} is not this user's own folder")
    return folder


# -- configuration that a daemon runs with, and its next one: checked as a whole, with its keys

_FIXED = ("journal", "ledger", "locks", "listen", "log", "watch")
"""Options of `[relayer]` that a running daemon cannot change."""


class ConfigSource:
    """File of a daemon's configuration. Keys are read and locked when it is checked."""

    def __init__(self, file: Path) -> None:
        """Read nothing yet."""
        self._file = file
        self._running: Config | None = None
        self._wallets: dict[ChainConfig, list[Wallet]] = {}
        self._locks = KeyLocks()

    def read(self) -> Config:
        """Return the file's configuration, which is the running one from now on.

        Raises:
            WrongConfiguration: the file has mistakes; the running configuration stays.
        """
        try:
            self._running = read_config(self._file, self._mistakes)
        finally:
            self._keep(() if self._running is None else self._running.chains)
        return self._running

    def close(self) -> None:
        """Release all keys."""
        self._keep(())

    def _keep(self, chains: tuple[ChainConfig, ...]) -> None:
        """Forget and release the keys of other chains: those of a refused configuration are read again."""
        self._wallets = {chain: each for chain, each in self._wallets.items() if chain in chains}
        self._locks.keep({(c.id, w.address.raw) for c, wallets in self._wallets.items() for w in wallets})

    def wallets(self, chain: ChainConfig) -> list[Wallet]:
        """Return the wallets of a chain.

        Raises:
            KeyExposed, KeyRefused, OSError: it is not of the running configuration, and a key cannot be read.
        """
        return self._wallets.get(chain) or wallets_of(chain)

    def _mistakes(self, config: Config) -> Iterator[Mistake]:
        yield from chained(self._fixed_mistakes(config), _file_mistakes(config))
        self._locks.folder = Path(config.relayer.locks) if config.relayer.locks else None
        for number, chain in enumerate(config.chains):
            if chain not in self._wallets:
                yield from self._read_keys(chain, number)

    def _fixed_mistakes(self, config: Config) -> Iterator[Mistake]:
        before = config if self._running is None else self._running
        for name in _FIXED:
            was = getattr(before.relayer, name)
            if was != getattr(config.relayer, name):
                text = f"was {was!r} at the start: change it back, or restart the daemon"
                yield Mistake(("relayer", name), text)

    def _read_keys(self, chain: ChainConfig, number: int) -> Iterator[Mistake]:
        found: dict[str, Wallet] = {}
        for at, key in signers_at(chain, ("chains", number)):
            try:
                wallet = add_wallet(found, key, chain.prefix)
                self._locks.take((chain.id, wallet.address.raw), f"{wallet.address.text} of {chain.id}")
            except (KeyExposed, KeyRefused, DaemonRunning) as error:
                yield Mistake(at, str(error))
            except OSError as error:
                where = error.filename or where_is(key)
                yield Mistake(at, f"{where}: {error.strerror}: name a key that is there and readable")
        self._wallets[chain] = list(found.values())


def _file_mistakes(config: Config) -> Iterator[Mistake]:
    relayer = config.relayer
    folders = {"journal": Path(relayer.journal).parent, "ledger": Path(relayer.ledger).parent}
    if relayer.locks:
        folders["locks"] = Path(relayer.locks)
    for name, folder in folders.items():
        if not os.access(folder, os.W_OK | os.X_OK):
            text = f"{folder}: no folder that can be written: create it, or name another"
            yield Mistake(("relayer", name), text)
