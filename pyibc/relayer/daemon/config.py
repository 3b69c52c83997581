"""Configuration file of a daemon in TOML: chains, and the paths between them.

Checks are strict: an unknown key, a wrong type, or a path to an unknown chain is refused with its place, so a
mistyped option never passes silently.
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec
from msgspec.structs import replace

from pyibc.core.address import is_prefix
from pyibc.queues.types import End, parse_end
from pyibc.relayer.clients.attestations.driver import AttestationsDriver
from pyibc.relayer.clients.attestations.service import Quorum, read_attestor
from pyibc.relayer.errors import WrongConfiguration
from pyibc.relayer.rpc.http_connect import tls_context

_LONGEST = 1 << 20  # bytes of a file
_LISTEN = re.compile(r"[\w.:\[\]-]*:(\d{1,4}|[1-5]\d{4}|6[0-4]\d{3})", re.ASCII)  # ports below 65,000
MAX_CHAINS, MAX_PATHS, MAX_KEYS = 256, 1024, 64


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Table of the file; tables are equal if their values are."""


class KeyConfig(_Table, frozen=True, kw_only=True):
    """Source of a chain's key: exactly one of file, env and command."""

    file: str | None = None  # 64 hex digits, or a mnemonic; readable by its owner alone
    env: str | None = None  # variable with either
    command: tuple[str, ...] | None = None  # words of a command that prints either, e.g. of a password store
    hd_path: str | None = None  # of a mnemonic; None: that of the type
    type: Literal["secp256k1", "ethsecp256k1", "cosmos-evm", "injective"] = "secp256k1"


class FeeConfig(_Table, frozen=True, kw_only=True):
    """Gas price, gas limit and fee limit of a chain's transactions."""

    denom: str = "stake"
    price: str = "0"  # of one unit of gas, decimal
    market: Literal["", "feemarket", "osmosis"] = ""  # source of the price; `price` is its fallback
    market_multiplier: str = "1.1"  # of the market's price
    max_price: str = "1"  # limit of the multiplied price
    multiplier: str = "1.2"  # of the gas that a simulation used
    max_gas: int = 100_000_000  # of one transaction
    max_fee: int | None = None  # per packet, units of `denom`; more expensive messages wait
    granter: str = ""
    memo: str = ""


class AttestorsConfig(_Table, frozen=True, kw_only=True):
    """Attestors whose signatures update clients of type `attestations` for a chain."""

    listed: tuple[str, ...]  # each 0xADDRESS@URL
    threshold: int  # number of them that must sign


class ChainConfig(_Table, frozen=True, kw_only=True):
    """Chain: its nodes, accounts and fees."""

    id: str
    rpc: tuple[str, ...]
    ca_file: str = ""  # certificates of the authorities of its nodes, PEM; "": those of the system
    prefix: str = "cosmos"
    key: KeyConfig | None = None  # or several in `keys`
    keys: tuple[KeyConfig, ...] = ()  # sign in turn; the first signs messages that depend on their signer
    fees: FeeConfig = FeeConfig()
    attestors: AttestorsConfig | None = None

    @property
    def quorum(self) -> Quorum | None:
        """Attestors of the chain, if it has any.

        Raises:
            ValueError: an attestor is malformed.
        """
        if self.attestors is None:
            return None
        listed = tuple(read_attestor(text) for text in self.attestors.listed)
        return Quorum(self.id, listed, self.attestors.threshold)

    @property
    def signers(self) -> tuple[KeyConfig, ...]:
        """Keys of the chain, one or several."""
        return self.keys if self.key is None else (self.key,)


class RuleConfig(_Table, frozen=True, kw_only=True):
    """Patterns with `*`. A text passes if it is not denied, and allowed if `allow` is not empty."""

    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


class FilterConfig(_Table, frozen=True, kw_only=True):
    """Packets to deliver (`pyibc.relayer.packets.policy`); sizes in bytes."""

    source: RuleConfig = RuleConfig()  # ends, e.g. `transfer/channel-0`
    destination: RuleConfig = RuleConfig()
    sender: RuleConfig = RuleConfig()
    receiver: RuleConfig = RuleConfig()
    denom: RuleConfig = RuleConfig()
    max_memo: int | None = None
    max_receiver: int | None = None
    max_data: int | None = None


class PathConfig(_Table, frozen=True, kw_only=True):
    """Path between two chains, by identifiers on the first one.

    `channels` use one client on each chain; so do `ends` of queues. `client` is one of a pair (IBC v2).
    """

    a: str
    b: str
    protocol: Literal["channel", "v2", "queue"] = "channel"
    name: str = ""
    port: str = "transfer"
    channels: tuple[str, ...] = ()
    client: str = ""
    ends: tuple[tuple[str, str], ...] = ()
    accept: tuple[str, ...] = ()  # terms that may differ from `pyibc.relayer.paths.channel_policy`
    filter: FilterConfig = FilterConfig()

    @property
    def label(self) -> str:
        """Name in logs and metrics."""
        subject = {"channel": ",".join(self.channels), "v2": self.client, "queue": "queue"}[self.protocol]
        return self.name or f"{self.a}/{subject}/{self.b}"

    @property
    def queue_ends(self) -> list[tuple[End, End]]:
        """Ends of a queue path; empty: the chains themselves.

        Raises:
            ValueError: an end is malformed.
        """
        found = []
        for texts in self.ends:
            a, b = (parse_end(text) for text in texts)
            if a is None or b is None:
                raise ValueError(f"{' '.join(texts)}: an end is CHAIN or CHAIN/CONNECTION/CHANNEL")
            found.append((a, b))
        return found


class DaemonConfig(_Table, frozen=True, kw_only=True):
    """Options of the daemon; times in seconds."""

    journal: str = "relayer.db"  # relative to the configuration; may be deleted
    ledger: str = "fees.db"  # relative to the configuration; fees of all transactions
    listen: str = ""  # HOST:PORT of /metrics and /health; "": none
    log: Literal["debug", "info", "warning", "error"] = "info"
    interval: float = 0.5  # between two rounds of an idle path
    watch: bool = True
    """Compare headers given to light clients with their chains, submit evidence, follow upgrades."""


class Config(_Table, frozen=True, kw_only=True):
    """Whole configuration."""

    relayer: DaemonConfig = DaemonConfig()
    chains: tuple[ChainConfig, ...]
    paths: tuple[PathConfig, ...]

    def chain(self, chain_id: str) -> ChainConfig:
        """Return the chain with that id, which `read_config` has checked to exist."""
        return next(chain for chain in self.chains if chain.id == chain_id)


def read_config(file: Path) -> Config:
    """Read and check a configuration.

    Raises:
        WrongConfiguration: the file cannot be read, or is not a valid configuration; the error has the place.
    """
    try:
        found = _beside(file.parent, msgspec.convert(tomllib.loads(_text(file)), Config))
        wrong = next(_errors(found), None)
    except OSError as error:
        raise WrongConfiguration(str(file), error.strerror or str(error)) from error
    except (ValueError, RecursionError) as error:  # msgspec's, tomllib's and Unicode's errors are ValueErrors
        raise WrongConfiguration(str(file), str(error)) from error
    if wrong is not None:
        raise WrongConfiguration(str(file), wrong)
    return found


def _beside(folder: Path, config: Config) -> Config:
    """Resolve file names relative to the configuration's folder."""
    chains = [
        replace(
            chain,
            ca_file=chain.ca_file and str(folder / chain.ca_file),
            key=None if chain.key is None else _key_beside(folder, chain.key),
            keys=tuple(_key_beside(folder, key) for key in chain.keys),
        )
        for chain in config.chains
    ]
    files = {name: str(folder / getattr(config.relayer, name)) for name in ("journal", "ledger")}
    return replace(config, chains=tuple(chains), relayer=replace(config.relayer, **files))


def _key_beside(folder: Path, key: KeyConfig) -> KeyConfig:
    return key if key.file is None else replace(key, file=str(folder / key.file))


def _text(file: Path) -> str:
    with file.open("rb") as opened:
        raw = opened.read(_LONGEST + 1)
    if len(raw) > _LONGEST:
        raise ValueError(f"has more than {_LONGEST} bytes")
    return raw.decode()


def _errors(config: Config) -> Iterator[str]:
    """Yield errors that types do not exclude."""
    if len(config.chains) > MAX_CHAINS or len(config.paths) > MAX_PATHS:
        yield f"at most {MAX_CHAINS} chains and {MAX_PATHS} paths"
    yield from _name_errors("chain", [chain.id for chain in config.chains])
    yield from _name_errors("path", [path.label for path in config.paths])
    if not 0.01 <= config.relayer.interval <= 3600:
        yield "relayer.interval is between 0.01 and 3600 seconds"
    if config.relayer.listen and not is_listen(config.relayer.listen):
        yield f"relayer.listen is HOST:PORT, not {config.relayer.listen!r}"
    yield from _file_errors(config)
    for chain in config.chains:
        if not chain.rpc or len(chain.rpc) > 16:
            yield f"chain {chain.id}: rpc has one to 16 URLs"
        yield from _authority_errors(chain)
        yield from _account_errors(chain)
    try:
        AttestationsDriver(*(each for chain in config.chains if (each := chain.quorum) is not None))
    except ValueError as error:
        yield f"attestors: {error}"
    for path in config.paths:
        yield from _path_errors(path, {chain.id for chain in config.chains})


def is_listen(text: str) -> bool:
    """Return whether a text is HOST:PORT, as in `relayer.listen`; the host may be omitted."""
    return _LISTEN.fullmatch(text) is not None


def _file_errors(config: Config) -> Iterator[str]:
    keys = [(f"chain {chain.id}: key", key) for chain in config.chains for key in chain.signers]
    named = [("relayer.journal", config.relayer.journal), ("relayer.ledger", config.relayer.ledger)]
    named += [(place, word) for place, key in keys for word in (key.file or "", *(key.command or ()))]
    yield from (f"{place}: {name!r} has a zero byte" for place, name in named if "\0" in name)


def _authority_errors(chain: ChainConfig) -> Iterator[str]:
    try:
        if chain.ca_file:
            tls_context(chain.ca_file)
    except ValueError as error:
        yield f"chain {chain.id}: ca_file: {error}"


def _account_errors(chain: ChainConfig) -> Iterator[str]:
    if not is_prefix(chain.prefix):
        yield f"chain {chain.id}: {chain.prefix[:64]!a} is not a bech32 prefix"
    if (chain.key is None) == (not chain.keys) or len(chain.keys) > MAX_KEYS:
        yield f"chain {chain.id}: needs either key, or keys with 1 to {MAX_KEYS} entries"
    if len(set(chain.signers)) < len(chain.signers):
        yield f"chain {chain.id}: a key is there twice"
    if any([key.file, key.env, key.command or None].count(None) != 2 for key in chain.signers):
        yield f"chain {chain.id}: a key needs exactly one of file, env and command"
    if chain.fees.max_fee is not None and chain.fees.max_fee < 0:
        yield f"chain {chain.id}: max_fee is negative"


def _path_errors(path: PathConfig, known: set[str]) -> Iterator[str]:
    for end in (path.a, path.b):
        if end not in known:
            yield f"path {path.label}: no chain is called {end!r}"
    if path.a == path.b:
        yield f"path {path.label}: both ends are on {path.a!r}"
    named = {"channel": bool(path.channels), "v2": bool(path.client), "queue": bool(path.ends)}
    if path.protocol != "queue" and not named[path.protocol]:
        yield f"path {path.label}: needs {'channels' if path.protocol == 'channel' else 'client'}"
    if any(given for protocol, given in named.items() if protocol != path.protocol):
        yield f"path {path.label}: has channels, client or ends of another protocol"
    try:
        path.queue_ends  # noqa: B018 - raises if an end is malformed
    except ValueError as error:
        yield f"path {path.label}: {error}"


def _name_errors(what: str, names: list[str]) -> Iterator[str]:
    for name in dict.fromkeys(names):
        if not name or not name.isprintable() or len(name) > 256:
            yield f"a {what} is called {name!r}"
        if names.count(name) > 1:
            yield f"two {what}s are called {name}"
