"""The file a daemon is started from: chains, and the paths between them, in TOML.

Everything is strict: an unknown word, a wrong type, a chain that no table describes are refused with their
place, so that a mistyped option is never one that has no effect.
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec
from msgspec.structs import replace

from ibc_core.address import is_prefix
from ibc_core.queue.types import End, parse_end
from ibc_relayer.attestations.driver import AttestationsDriver
from ibc_relayer.attestations.quorum import Quorum
from ibc_relayer.attestations.service import read_attestor
from ibc_relayer.errors import WrongConfiguration

_LONGEST = 1 << 20  # bytes of a file
_LISTEN = re.compile(r"[\w.:\[\]-]*:(\d{1,4}|[1-5]\d{4}|6[0-4]\d{3})", re.ASCII)  # ports below 65,000
MAX_CHAINS, MAX_PATHS, MAX_KEYS = 256, 1024, 64


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of the file; values are equal if their words are."""


class KeyConfig(_Table, frozen=True, kw_only=True):
    """Where a chain's key is: exactly one place."""

    file: str | None = None  # 64 hex digits, or the words of a mnemonic; readable by its owner alone
    env: str | None = None  # the variable that has either
    command: tuple[str, ...] | None = None  # that prints either, word by word: of a password store, a keyring
    hd_path: str | None = None  # of a mnemonic; None: the type's own
    type: Literal["secp256k1", "ethsecp256k1", "cosmos-evm", "injective"] = "secp256k1"


class FeeConfig(_Table, frozen=True, kw_only=True):
    """How transactions are paid for."""

    denom: str = "stake"
    price: str = "0"  # of one unit of gas, decimal
    market: Literal["", "feemarket", "osmosis"] = ""  # who tells the price; `price` is for where it does not
    market_multiplier: str = "1.1"  # of what it tells
    max_price: str = "1"  # whatever it tells
    multiplier: str = "1.2"  # of what a simulation used
    max_gas: int = 100_000_000  # of one transaction
    max_fee: int | None = None  # of each packet, units of `denom`: what is dearer waits
    granter: str = ""
    memo: str = ""


class AttestorsConfig(_Table, frozen=True, kw_only=True):
    """By whose word clients of type `attestations` follow a chain."""

    listed: tuple[str, ...]  # each 0xADDRESS@URL
    threshold: int  # how many of them must sign


class ChainConfig(_Table, frozen=True, kw_only=True):
    """A chain: who serves it, who signs there."""

    id: str
    rpc: tuple[str, ...]
    prefix: str = "cosmos"
    key: KeyConfig | None = None  # or several in `keys`
    keys: tuple[KeyConfig, ...] = ()  # in turn; the first signs what one account alone may send
    fees: FeeConfig = FeeConfig()
    attestors: AttestorsConfig | None = None

    @property
    def quorum(self) -> Quorum | None:
        """Its attestors, if it has any.

        Raises:
            ValueError: one is malformed.
        """
        if self.attestors is None:
            return None
        listed = tuple(read_attestor(text) for text in self.attestors.listed)
        return Quorum(self.id, listed, self.attestors.threshold)

    @property
    def signers(self) -> tuple[KeyConfig, ...]:
        """Its keys, one or several."""
        return self.keys if self.key is None else (self.key,)


class RuleConfig(_Table, frozen=True, kw_only=True):
    """Patterns with `*`: what is denied does not pass, nor what is not among those allowed, if any are."""

    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


class FilterConfig(_Table, frozen=True, kw_only=True):
    """Which packets are delivered (`ibc_relayer.policy`); sizes in bytes."""

    source: RuleConfig = RuleConfig()  # ends, as `transfer/channel-0`
    destination: RuleConfig = RuleConfig()
    sender: RuleConfig = RuleConfig()
    receiver: RuleConfig = RuleConfig()
    denom: RuleConfig = RuleConfig()
    max_memo: int | None = None
    max_receiver: int | None = None
    max_data: int | None = None


class PathConfig(_Table, frozen=True, kw_only=True):
    """A path between two chains, by identifiers on the first one.

    `channels` go over one client each way; so do `ends` of queues. A `client` is one of a pair of IBC v2.
    """

    a: str
    b: str
    protocol: Literal["channel", "v2", "queue"] = "channel"
    name: str = ""
    port: str = "transfer"
    channels: tuple[str, ...] = ()
    client: str = ""
    ends: tuple[tuple[str, str], ...] = ()
    accept: tuple[str, ...] = ()  # terms that may differ from ours (`ibc_relayer.terms`)
    filter: FilterConfig = FilterConfig()

    @property
    def label(self) -> str:
        """What logs and metrics call it."""
        which = {"channel": ",".join(self.channels), "v2": self.client, "queue": "queue"}[self.protocol]
        return self.name or f"{self.a}/{which}/{self.b}"

    @property
    def queue_ends(self) -> list[tuple[End, End]]:
        """The ends of a queue path; none: the chains' own.

        Raises:
            ValueError: one is malformed.
        """
        found = []
        for texts in self.ends:
            a, b = (parse_end(text) for text in texts)
            if a is None or b is None:
                raise ValueError(f"{' '.join(texts)}: an end is CHAIN or CHAIN/CONNECTION/CHANNEL")
            found.append((a, b))
        return found


class DaemonConfig(_Table, frozen=True, kw_only=True):
    """What concerns all paths; times in seconds."""

    journal: str = "relayer.db"  # beside the file, unless absolute; every row can be found again
    ledger: str = "fees.db"  # beside the file; what every transaction cost
    listen: str = ""  # HOST:PORT of /metrics and /health; "": nowhere
    log: Literal["debug", "info", "warning", "error"] = "info"
    interval: float = 0.5  # between two looks at a path with nothing to do
    watch: bool = (
        True  # compare headers given to light clients with their chains, submit evidence, follow upgrades
    )


class Config(_Table, frozen=True, kw_only=True):
    """The whole file."""

    relayer: DaemonConfig = DaemonConfig()
    chains: tuple[ChainConfig, ...]
    paths: tuple[PathConfig, ...]

    def chain(self, chain_id: str) -> ChainConfig:
        """The chain of that id; it is there, `read_config` has looked."""
        return next(chain for chain in self.chains if chain.id == chain_id)


def read_config(file: Path) -> Config:
    """Reads and checks a configuration.

    Raises:
        WrongConfiguration: the file cannot be read, or is not a configuration; says where.
    """
    try:
        found = _beside(file.parent, msgspec.convert(tomllib.loads(_text(file)), Config))
        wrong = next(_mistakes(found), None)
    except OSError as error:
        raise WrongConfiguration(str(file), error.strerror or str(error)) from error
    except (ValueError, RecursionError) as error:  # msgspec's, tomllib's and Unicode's errors are ValueErrors
        raise WrongConfiguration(str(file), str(error)) from error
    if wrong is not None:
        raise WrongConfiguration(str(file), wrong)
    return found


def _beside(folder: Path, config: Config) -> Config:
    """Files are relative to the configuration, wherever the daemon is started."""
    chains = [
        replace(
            chain,
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


def _mistakes(config: Config) -> Iterator[str]:
    """What types do not say."""
    if len(config.chains) > MAX_CHAINS or len(config.paths) > MAX_PATHS:
        yield f"at most {MAX_CHAINS} chains and {MAX_PATHS} paths"
    yield from _doubled("chain", [chain.id for chain in config.chains])
    yield from _doubled("path", [path.label for path in config.paths])
    if not 0.01 <= config.relayer.interval <= 3600:
        yield "relayer.interval is between 0.01 and 3600 seconds"
    if config.relayer.listen and not is_listen(config.relayer.listen):
        yield f"relayer.listen is HOST:PORT, not {config.relayer.listen!r}"
    yield from _of_files(config)
    for chain in config.chains:
        if not chain.rpc or len(chain.rpc) > 16:
            yield f"chain {chain.id}: rpc has one to 16 URLs"
        yield from _of_money(chain)
    try:
        AttestationsDriver(*(each for chain in config.chains if (each := chain.quorum) is not None))
    except ValueError as error:
        yield f"attestors: {error}"
    for path in config.paths:
        yield from _of_path(path, {chain.id for chain in config.chains})


def is_listen(text: str) -> bool:
    """Whether a text is HOST:PORT, as `relayer.listen` has it: the host may be left out."""
    return _LISTEN.fullmatch(text) is not None


def _of_files(config: Config) -> Iterator[str]:
    keys = [(f"chain {chain.id}: key", key) for chain in config.chains for key in chain.signers]
    named = [("relayer.journal", config.relayer.journal), ("relayer.ledger", config.relayer.ledger)]
    named += [(place, word) for place, key in keys for word in (key.file or "", *(key.command or ()))]
    yield from (f"{place}: {name!r} has a zero byte" for place, name in named if "\0" in name)


def _of_money(chain: ChainConfig) -> Iterator[str]:
    if not is_prefix(chain.prefix):
        yield f"chain {chain.id}: no address begins with {chain.prefix[:64]!a}"
    if (chain.key is None) == (not chain.keys) or len(chain.keys) > MAX_KEYS:
        yield f"chain {chain.id}: either key, or keys with one to {MAX_KEYS}"
    if len(set(chain.signers)) < len(chain.signers):
        yield f"chain {chain.id}: a key is there twice"
    if any([key.file, key.env, key.command or None].count(None) != 2 for key in chain.signers):
        yield f"chain {chain.id}: a key is in a file, in the environment or of a command, in one of them"
    if chain.fees.max_fee is not None and chain.fees.max_fee < 0:
        yield f"chain {chain.id}: max_fee is not negative"


def _of_path(path: PathConfig, known: set[str]) -> Iterator[str]:
    for end in (path.a, path.b):
        if end not in known:
            yield f"path {path.label}: no chain is called {end!r}"
    if path.a == path.b:
        yield f"path {path.label}: both ends are on {path.a!r}"
    named = {"channel": bool(path.channels), "v2": bool(path.client), "queue": bool(path.ends)}
    if path.protocol != "queue" and not named[path.protocol]:
        yield f"path {path.label}: which {'channels' if path.protocol == 'channel' else 'client'}?"
    if any(given for protocol, given in named.items() if protocol != path.protocol):
        yield f"path {path.label}: channels, client and ends are of different protocols"
    try:
        path.queue_ends  # noqa: B018 - it is checked here
    except ValueError as error:
        yield f"path {path.label}: {error}"


def _doubled(what: str, names: list[str]) -> Iterator[str]:
    for name in dict.fromkeys(names):
        if not name or not name.isprintable() or len(name) > 256:
            yield f"a {what} is called {name!r}"
        if names.count(name) > 1:
            yield f"two {what}s are called {name}"
