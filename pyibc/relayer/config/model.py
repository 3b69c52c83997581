"""Configuration of a daemon: chains, and the paths between them.

`pyibc.relayer.config.file` reads it from a file in TOML.
"""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from fractions import Fraction
from typing import Literal

import msgspec

from pyibc.queues.types import End, parse_end
from pyibc.relayer.clients.attestations.service import Quorum, read_attestor
from pyibc.relayer.packets.policy import MAX_SEQUENCES, Sequences, read_sequences


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Table of the file; tables are equal if their values are."""


class SecretConfig(_Table, frozen=True, kw_only=True):
    """Source of a secret: exactly one of file, env and command."""

    file: str | None = None  # readable by its owner alone
    env: str | None = None  # variable
    command: tuple[str, ...] | None = None  # words of a command that prints it, e.g. of a password store


class KeyConfig(SecretConfig, frozen=True, kw_only=True):
    """Source of a chain's key: 64 hex digits, or a mnemonic."""

    passphrase: SecretConfig | None = None  # of a file that `pyibc keys export` wrote
    signer: str | None = None  # `unix:/PATH` or URL of a program that has the key; instead of a source
    name: str = ""  # of the key that the signer has
    hd_path: str | None = None  # of a mnemonic; None: that of the type
    type: Literal["secp256k1", "ethsecp256k1", "cosmos-evm", "injective"] = "secp256k1"


class BudgetConfig(_Table, frozen=True, kw_only=True):
    """Fees per day (UTC), in units of `denom`; messages beyond wait for the next day (`money.budgets`)."""

    chain: int | None = None
    path: int | None = None  # of each channel or pair of clients
    sender: int | None = None  # of each sender of ICS-20 transfers on a path


class FeeConfig(_Table, frozen=True, kw_only=True):
    """Gas price, gas limit and fee limit of a chain's transactions."""

    denom: str = "stake"
    price: Fraction = Fraction(0)  # of one unit of gas
    market: Literal["", "feemarket", "osmosis", "injective"] = ""  # source; `price` is its fallback
    market_multiplier: Fraction = Fraction(11, 10)  # of the market's price
    max_price: Fraction = Fraction(1)  # limit of the multiplied price
    multiplier: Fraction = Fraction(6, 5)  # of the gas that a simulation used
    max_gas: int = 100_000_000  # of one transaction
    max_fee: int | None = None  # per packet, units of `denom`; more expensive messages wait
    budget: BudgetConfig = BudgetConfig()
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
    fees: FeeConfig | tuple[FeeConfig, ...] = FeeConfig()  # several: the first in which the account can pay
    attestors: AttestorsConfig | None = None
    consumer: str = ""  # consumer id on its provider (interchain security), to which misbehaviour is reported
    provider: str = ""  # of the chains here; "": any that has a client of it and knows the consumer id

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
    def all_fees(self) -> tuple[FeeConfig, ...]:
        """Fees in all denominations, the preferred one first."""
        return self.fees if isinstance(self.fees, tuple) else (self.fees,)

    @property
    def signers(self) -> tuple[KeyConfig, ...]:
        """Keys of the chain, one or several."""
        return self.keys if self.key is None else (self.key,)


class RuleConfig(_Table, frozen=True, kw_only=True):
    """Patterns with `*`. A text passes if it is not denied, and allowed if `allow` is not empty."""

    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


class FilterConfig(_Table, frozen=True, kw_only=True):
    """Packets to relay (`pyibc.relayer.packets.policy`); sizes in bytes."""

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

    `channels` use one client on each chain, unless one is a pattern; so do `ends` of queues. `client` is one
    of a pair (IBC v2).
    """

    a: str
    b: str
    protocol: Literal["channel", "v2", "queue"] = "channel"
    name: str = ""
    port: str = "transfer"
    channels: tuple[str, ...] = ()
    excepted: tuple[str, ...] = msgspec.field(default=(), name="except")  # patterns of channels
    max_channels: int = 256  # of a path with patterns
    client: str = ""
    ends: tuple[tuple[str, str], ...] = ()
    accept: tuple[str, ...] = ()  # terms that may differ from `pyibc.relayer.paths.channel_policy`
    filter: FilterConfig = FilterConfig()
    exclude_sequences: Mapping[str, tuple[int | str, ...]] = msgspec.field(default_factory=dict)
    """Packets that wait, by the `CHANNEL` of `a`, or `CHAIN/CHANNEL`, that sends them (`read_sequences`)."""

    def sender(self, text: str) -> tuple[str, str]:
        """Return the chain and the channel, or client, that `CHANNEL` or `CHAIN/CHANNEL` stands for."""
        chain, _, name = text.rpartition("/")
        return chain or self.a, name

    @property
    def excluded(self) -> Sequences:
        """Sequences of packets that wait.

        Raises:
            ValueError: a sequence is malformed, or there are too many.
        """
        found = {self.sender(text): read_sequences(parts) for text, parts in self.exclude_sequences.items()}
        if sum(map(len, found.values())) > MAX_SEQUENCES:
            raise ValueError(f"more than {MAX_SEQUENCES} sequences")
        return found

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


def is_pattern(config: PathConfig) -> bool:
    """Return whether a configured path stands for the channels that match it."""
    texts = (config.port, *config.channels) if config.protocol == "channel" else ()
    return any(sign in text for text in texts for sign in "*?")


def covers(config: PathConfig, port: str, channel: str) -> bool:
    """Return whether a path with patterns stands for a channel of its first chain."""
    return (
        _fits(port, config.port)
        and any(_fits(channel, pattern) for pattern in config.channels)
        and not any(_fits(channel, pattern) for pattern in config.excepted)
    )


def may_send(config: PathConfig, chain_id: str, name: str) -> bool:
    """Return whether a channel, or client, of a chain may be an end of a path; those on `b` are not known."""
    if chain_id != config.a:
        return chain_id == config.b
    texts = (config.client,) if config.protocol == "v2" else config.channels
    return any(_fits(name, pattern) for pattern in texts)


def _fits(text: str, pattern: str) -> bool:
    return fnmatchcase(text, pattern.replace("[", "[[]"))  # identifiers may contain brackets


class DaemonConfig(_Table, frozen=True, kw_only=True):
    """Options of the daemon; times in seconds."""

    journal: str = "relayer.db"  # relative to the configuration; may be deleted
    ledger: str = "fees.db"  # relative to the configuration; fees of all transactions
    locks: str = ""  # folder of the keys' locks, relative to the configuration; "": that of the user
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
        """Return the chain with that id, which the reader of the file has checked to exist."""
        return next(chain for chain in self.chains if chain.id == chain_id)
