"""Chains that use a key, which give its address a prefix and a type."""

import os.path
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple

import click

from pyibc.cli.files import read_relayer_config
from pyibc.cli.reporting import with_all
from pyibc.relayer.config.model import ChainConfig, KeyConfig, SecretConfig
from pyibc.relayer.daemon.connecting import wallet_of
from pyibc.relayer.money.wallet import KEY_TYPES, Wallet

CONFIG = Path("relayer.toml")
"""Configuration that is read if it exists and no other is named."""
_PREFIX, _KIND = "cosmos", "secp256k1"


class KeyUse(NamedTuple):
    """Address that a key has on a chain."""

    chain: str | None  # None: no chain of the configuration has the key
    prefix: str
    kind: str
    hd_path: str | None = None
    passphrase: SecretConfig | None = None

    def wallet(self, file: Path) -> Wallet:
        """Return the wallet of the key in a file.

        Raises:
            KeyRefused, KeyExposed: as for `wallet_of`.
        """
        kind: Any = self.kind
        key = KeyConfig(file=str(file), type=kind, hd_path=self.hd_path, passphrase=self.passphrase)
        return wallet_of(key, self.prefix)


class KeyUses(NamedTuple):
    """Options by which a key's addresses are found."""

    config: Path | None
    chain: str | None
    prefix: str | None
    kind: str | None

    def of(self, file: Path) -> list[KeyUse]:
        """Return one use for each chain that has the key file; one without a chain if none has it.

        Raises:
            WrongConfiguration: the configuration is wrong, or does not have the named chain.
        """
        if self.prefix is not None:
            return [KeyUse(None, self.prefix, self.kind or _KIND)]
        found = [use for chain in self._chains() for use in self._on(chain, file)]
        return found or [KeyUse(None, _PREFIX, self.kind or _KIND)]

    def _chains(self) -> list[ChainConfig]:
        file = self.config or CONFIG
        if self.config is None and self.chain is None and not file.exists():
            return []
        chains = list(read_relayer_config(file).chains)
        if self.chain is None:
            return chains
        named = [chain for chain in chains if chain.id == self.chain]
        if not named:
            known = ", ".join(chain.id for chain in chains) or "none"
            raise click.UsageError(f"{file} has no chain {self.chain!r}; it has: {known}")
        return named

    def _on(self, chain: ChainConfig, file: Path) -> list[KeyUse]:
        path = os.path.realpath(file)
        keys = [key for key in chain.signers if key.file is not None and os.path.realpath(key.file) == path]
        if keys or self.chain is None:
            return [
                KeyUse(chain.id, chain.prefix, self.kind or key.type, key.hd_path, key.passphrase)
                for key in keys
            ]
        kinds: set[str] = {self.kind} if self.kind else {key.type for key in chain.signers}
        if len(kinds) > 1:
            raise click.UsageError(f"{chain.id} has keys of several types: choose one with --type")
        return [KeyUse(chain.id, chain.prefix, kinds.pop())]


_OPTIONS = (
    click.option(
        "--config",
        type=click.Path(path_type=Path),
        help=f"Configuration whose chains use the keys.  [default: {CONFIG}, if it exists]",
    ),
    click.option("--chain", metavar="ID", help="Chain of the configuration: its prefix and type of keys."),
    click.option(
        "--prefix",
        help="Bech32 prefix of addresses, without a configuration.  [default: of the chains that use the key,"
        f" else {_PREFIX}]",
    ),
    click.option(
        "--type",
        "kind",
        type=click.Choice(list(KEY_TYPES)),
        help=f"Account type.  [default: of the chains that use the key, else {_KIND}]",
    ),
)


def with_uses(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of the chains that use a key; the command receives them as `uses`."""

    @wraps(command)
    def run(
        *args: Any, config: Path | None, chain: str | None, prefix: str | None, kind: str | None, **more: Any
    ) -> None:
        if prefix is not None and (chain is not None or config is not None):
            raise click.UsageError("--prefix cannot be combined with --chain and --config")
        command(*args, uses=KeyUses(config, chain, prefix, kind), **more)

    return with_all(run, _OPTIONS)
