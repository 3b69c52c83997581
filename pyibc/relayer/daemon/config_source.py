"""Configuration that a daemon runs with, and its next one: checked as a whole, with its keys."""

import os
from collections.abc import Iterator
from itertools import chain as chained
from pathlib import Path

from pyibc.relayer.daemon.config import ChainConfig, Config
from pyibc.relayer.daemon.config_file import read_config
from pyibc.relayer.daemon.config_rules import Mistake, signers_at
from pyibc.relayer.daemon.connecting import add_wallet, wallets_of, where_is
from pyibc.relayer.daemon.key_locks import KeyLocks
from pyibc.relayer.errors import DaemonRunning, KeyExposed, KeyRefused
from pyibc.relayer.money.wallet import Wallet

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
