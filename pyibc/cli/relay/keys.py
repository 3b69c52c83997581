"""`pyibc relay keys`: manage a folder of keys, each in a file that only its owner can read.

A key is never an argument, which other users of the machine could read, and is never printed.
"""

import errno
import json
import os
import os.path
import re
import shlex
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple

import click
from click.core import ParameterSource

from pyibc.cli.reporting import read_relayer_config, reporting, wanted, with_all
from pyibc.core.errors import IbcError
from pyibc.relayer.config.model import ChainConfig, KeyConfig, SecretConfig
from pyibc.relayer.daemon.connecting import wallet_of
from pyibc.relayer.errors import KeyExposed, KeyRefused, WrongConfiguration
from pyibc.relayer.money.hd_keys import decrypt_key, encrypt_key, new_mnemonic
from pyibc.relayer.money.keyrings import FoundKey, hermes_keys, rly_keys
from pyibc.relayer.money.keys import parse_key, read_key, read_private_file, write_private_file
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


SUFFIX = ".key"
_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}", re.ASCII)
_FOLDER = click.option(
    "--dir",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("keys"),
    show_default=True,
    help="Folder of the keys.",
)
_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_reports = reporting((IbcError, OSError), wrong_use=(KeyRefused, KeyExposed, WrongConfiguration, ValueError))


@click.group("keys")
def command() -> None:
    """Manage keys in files of mode 0600, for `key.file` of a configuration or --key.

    Exit codes: 1 if a file cannot be read or written, 2 if the input is not a key or a file is not private.
    """


@command.command()
@click.argument("name")
@_FOLDER
@with_uses
@click.option("--hd-path", help="Path of a mnemonic's key.  [default: BIP-44's first of the type]")
@click.option("--new", is_flag=True, help="Generate a mnemonic and print it once.")
@_JSON
@_reports
def add(name: str, folder: Path, uses: KeyUses, hd_path: str | None, *, new: bool, as_json: bool) -> None:
    """Add a key: 64 hex digits or a mnemonic, from stdin or a hidden prompt.

    Of a mnemonic, only the key at --hd-path is stored, not the words. An existing name is refused.
    """
    file = _file(folder, name)
    on = [use._replace(hd_path=None) for use in uses.of(file)]
    if len({use.kind for use in on}) > 1:
        raise click.UsageError("the chains that use this file have different types of keys: use --type")
    text = new_mnemonic() if new else _secret()
    key_type = KEY_TYPES[on[0].kind]
    key = parse_key(text, "the input", key_type, hd_path)
    wallets = [Wallet(key, use.prefix, key_type) for use in on]
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_private_file(file, f"{key.hex()}\n")
    if new:
        click.echo(f"Write this down, it is not stored:\n{text}", err=True)
    _print([(name, use, wallet) for use, wallet in zip(on, wallets, strict=True)], as_json=as_json)


@command.command()
@click.argument("name")
@_FOLDER
@with_uses
@_JSON
@_reports
def show(name: str, folder: Path, uses: KeyUses, *, as_json: bool) -> None:
    """Show the addresses and the public key of a key, with the prefix of each chain that uses it."""
    _print(_read(_file(folder, name), uses), as_json=as_json)


@command.command("list")
@_FOLDER
@with_uses
@_JSON
@_reports
def list_keys(folder: Path, uses: KeyUses, *, as_json: bool) -> None:
    """List all keys with their addresses, on each chain that uses them."""
    files = sorted(folder.glob(f"*{SUFFIX}"))
    if not files:
        click.echo(f"no keys in {folder}: {_called('add NAME --new')} makes one", err=True)
    _print([row for file in files for row in _read(file, uses)], as_json=as_json)


@command.command()
@click.argument("name")
@_FOLDER
@click.option("--yes", is_flag=True, help="Do not ask.")
@_JSON
@_reports
def delete(name: str, folder: Path, *, yes: bool, as_json: bool) -> None:
    """Delete a key. Without its mnemonic or a copy it is lost."""
    file = _file(folder, name)
    with _named(file):
        file.lstat()
    if not yes:
        click.confirm(f"Delete {file}?", abort=True, err=as_json)
    file.unlink()
    if as_json:
        click.echo(json.dumps([{"name": name, "deleted": True}], indent=2))


@command.command("export")
@click.argument("name")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@_FOLDER
@_reports
def export_key(name: str, file: Path, folder: Path) -> None:
    """Write a key to FILE, encrypted with a passphrase from stdin or a hidden prompt."""
    stored = _file(folder, name)
    with _named(stored):
        key = read_key(str(stored))
    write_private_file(file, encrypt_key(key, _passphrase(confirm=True)))


@command.command("import")
@click.argument("name")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@_FOLDER
@with_uses
@_JSON
@_reports
def import_key(name: str, file: Path, folder: Path, uses: KeyUses, *, as_json: bool) -> None:
    """Add the key in FILE, which `export` wrote; `add` takes a mnemonic. An existing name is refused."""
    with wanted("`pyibc keys export NAME FILE` writes one"):
        text = read_private_file(file)
    key = decrypt_key(text, str(file), _passphrase(confirm=False))
    target = _file(folder, name)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_private_file(target, f"{key.hex()}\n")
    _print(_read(target, uses), as_json=as_json)


@command.command("import-hermes")
@click.argument(
    "source",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("~/.hermes/keys"),
    metavar="[DIR]",
)
@_FOLDER
@_JSON
@_reports
def import_hermes(source: Path, folder: Path, *, as_json: bool) -> None:
    """Add the keys of Hermes in DIR (~/.hermes/keys), and show their addresses.

    A name that several chains have becomes CHAIN-NAME, as `from-hermes` expects. An address that is not the
    key's is refused, and so is a name that another key has; then nothing is added.
    """
    _add_found(list(hermes_keys(source.expanduser())), folder, "", as_json=as_json)


@command.command("import-rly")
@click.argument(
    "source",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("~/.relayer/keys"),
    metavar="[DIR]",
)
@_FOLDER
@click.option("--prefix", default="cosmos", show_default=True, help="Bech32 prefix of the addresses shown.")
@_JSON
@_reports
def import_rly(source: Path, folder: Path, prefix: str, *, as_json: bool) -> None:
    """Add the keys of the Go relayer in DIR (~/.relayer/keys), or of a chain's program such as ~/.gaia.

    They are those of the keyring's `test` backend, which is encrypted with a known passphrase. Names and
    refusals are as for `import-hermes`.
    """

    def skipped(file: Path) -> None:
        click.echo(f"{file} is left out: it has no private key", err=True)

    _add_found(list(rly_keys(source.expanduser(), skipped)), folder, prefix, as_json=as_json)


def _add_found(found: list[FoundKey], folder: Path, prefix: str, *, as_json: bool) -> None:
    """Write keys of a keyring to files, if none of these has another key, and print them."""
    names: dict[str, bytes] = {}
    rows = []
    times = Counter(each.name for each in found)
    for each in found:
        name = each.name if times[each.name] == 1 else f"{each.chain}-{each.name}"
        file = _file(folder, name)
        # guard: a-key-that-is-there-is-lost drop test_a_name_that_another_key_has_is_refused
        if file.exists() and read_key(file) != each.private_key:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(file))
        names[name] = each.private_key
        use = KeyUse(each.chain, each.prefix or prefix, each.key_type.name)
        rows.append((name, use, Wallet(each.private_key, use.prefix, each.key_type)))
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name, key in names.items():
        if not _file(folder, name).exists():
            write_private_file(_file(folder, name), f"{key.hex()}\n")
    _print(rows, as_json=as_json)


def _passphrase(*, confirm: bool) -> str:
    if sys.stdin.isatty():
        return str(click.prompt("Passphrase", hide_input=True, confirmation_prompt=confirm, err=True))
    return sys.stdin.readline(4096).rstrip("\n")


def is_key_name(text: str) -> bool:
    """Return whether a text may be the name of a key."""
    return _NAME.fullmatch(text) is not None


def _file(folder: Path, name: str) -> Path:
    if not is_key_name(name):
        raise click.UsageError(f"{name!r}: a name has letters, digits, -, _ and dots, and no dot in front")
    return folder / f"{name}{SUFFIX}"


def _named(file: Path) -> AbstractContextManager[None]:
    """Say of a key that is not there how to make it."""
    listed, added = _called("list"), _called(f"add {file.stem} --new")
    return wanted(f"{listed} shows the names of keys, {added} makes a new one", "key")


def _called(words: str) -> str:
    """Return a command of this group with the running command's folder."""
    context = click.get_current_context()
    group = context.parent.command_path if context.parent else "pyibc keys"
    is_default = context.get_parameter_source("folder") is not ParameterSource.COMMANDLINE
    folder = "" if is_default else f" --dir {shlex.quote(str(context.params['folder']))}"
    return f"`{group} {words}{folder}`"


def _read(file: Path, uses: KeyUses) -> list[tuple[str, KeyUse, Wallet]]:
    with _named(file):
        return [(file.stem, use, use.wallet(file)) for use in uses.of(file)]


def _secret() -> str:
    if sys.stdin.isatty():
        return str(click.prompt("Key or mnemonic", hide_input=True))
    return sys.stdin.read(4096)


def _print(found: list[tuple[str, KeyUse, Wallet]], *, as_json: bool) -> None:
    rows = [
        {
            "name": name,
            "chain": use.chain,
            "address": wallet.address.text,
            "public_key": wallet.public_key.hex(),
            "type": wallet.key_type.name,
        }
        for name, use, wallet in found
    ]
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    for row in rows:
        chain = f"  {row['chain']}" if row["chain"] else ""
        click.echo(f"{row['name']}  {row['address']}  {row['type']}  {row['public_key']}{chain}")
