"""Data model of a transcript: initial chains, blocks, and CheckTx results.

None means that the file omits a value, which is then not compared; an empty value is compared.
"""

from collections.abc import Mapping
from typing import NamedTuple

from conformance.transcripts.fields import Fields
from pyibc.core.host.block import Event

Events = tuple[Event, ...]
GAS_LIMIT = 50_000_000
"""Gas limit of a transaction without one of its own."""


class Message(NamedTuple):
    """A message or response, as packed in an Any."""

    type_url: str
    value: bytes


class Write(NamedTuple):
    """A store entry or a change of one; a value of None deletes."""

    key: bytes
    value: bytes | None


class Balance(NamedTuple):
    """Balance of an account in one denomination."""

    address: str
    denom: str
    amount: int


class Supply(NamedTuple):
    """Supply of a denomination."""

    denom: str
    amount: int


class Account(NamedTuple):
    """An account as first stored."""

    address: str
    number: int
    packed: Message  # the Any: BaseAccount, ModuleAccount, InterchainAccount


class Store(NamedTuple):
    """The recorded entries of a store."""

    entries: tuple[Write, ...]
    root: str | None  # hexadecimal
    version: int | None


class Commit(NamedTuple):
    """Hashes that a block committed to, in upper-case hexadecimal; None was not recorded."""

    roots: Mapping[str, str] | None  # in a step: stores whose root it changed; in a start: all stores
    app_hash: str | None


class ChainStart(NamedTuple):
    """A chain before its first step; stores that are not recorded start from a new chain's genesis."""

    chain_id: str
    height: int
    time_ns: int
    stores: Mapping[str, Store]
    balances: tuple[Balance, ...]
    supply: tuple[Supply, ...] = ()
    accounts: tuple[Account, ...] = ()
    validators: frozenset[bytes] = frozenset()  # addresses; empty: unknown
    commit: Commit | None = None


class Refusal(NamedTuple):
    """A failure; an empty codespace matches any failure."""

    codespace: str
    code: int
    text: str | None  # None: not recorded


class Tx(NamedTuple):
    """A transaction and its result."""

    note: str
    messages: tuple[Message, ...]
    refusal: Refusal | None
    responses: tuple[Message, ...] | None
    events: Events | None
    gas_limit: int = GAS_LIMIT
    label: str = ""  # label under which its cost is counted, in cost measurements


class Action(NamedTuple):
    """An action outside of a transaction."""

    name: str
    args: Fields
    refusal: Refusal | None
    sequence: int | None  # of the packet sent
    events: Events | None


class Check(NamedTuple):
    """A CheckTx call and its result."""

    after_step: int
    chain: str
    note: str
    messages: tuple[Message, ...]
    recheck: bool
    refusal: Refusal | None


class Step(NamedTuple):
    """One block of one chain: actions, begin block, transactions."""

    number: int
    chain: str
    height: int
    time_ns: int
    next_validators_hash: bytes
    actions: tuple[Action, ...]
    txs: tuple[Tx, ...]
    is_complete: bool  # True if all writes are recorded, including those of unchanged values
    changes: Mapping[str, tuple[Write, ...]]  # by store, if recorded
    root: str | None  # of the ibc store, hexadecimal
    version: int  # of the ibc store's tree
    balances: tuple[Balance, ...]
    events: Events | None  # of the begin block
    app_hash: bytes = b""  # app hash of the previous block, from this block's header; empty: unknown
    supply: tuple[Supply, ...] = ()  # balances after the block that it changed
    accounts: tuple[Account, ...] | None = None  # accounts created by the block
    commit: Commit | None = None


class Transcript(NamedTuple):
    """The contents of one file."""

    app: str  # "": ibc-go's testing application
    authority: str
    chains: tuple[ChainStart, ...]
    steps: tuple[Step, ...]
    checks: tuple[Check, ...]
