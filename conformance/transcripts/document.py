"""A transcript: chains at their start, blocks, and what was asked between them.

What a file leaves out is None here, and is not compared; what is empty says that there was nothing.
"""

from collections.abc import Mapping
from typing import NamedTuple

from conformance.transcripts.fields import Fields
from ibc_core.host.events import Event

Events = tuple[Event, ...]


class Message(NamedTuple):
    """A message, or a response to one, as an Any packs it."""

    type_url: str
    value: bytes


class Write(NamedTuple):
    """One entry of a store, or a change of one; no value is a delete."""

    key: bytes
    value: bytes | None


class Balance(NamedTuple):
    """What an account holds of one denomination."""

    address: str
    denom: str
    amount: int


class Store(NamedTuple):
    """A store that was saved once."""

    entries: tuple[Write, ...]
    root: str | None  # hexadecimal
    version: int | None


class ChainStart(NamedTuple):
    """A chain before its first step; a store that is not here starts from the genesis of a new chain."""

    chain_id: str
    height: int
    time_ns: int
    stores: Mapping[str, Store]
    balances: tuple[Balance, ...]


class Refusal(NamedTuple):
    """How something failed; without a codespace, any failure will do."""

    codespace: str
    code: int
    text: str | None  # None: not told


class Tx(NamedTuple):
    """One transaction and what came of it."""

    note: str
    messages: tuple[Message, ...]
    refusal: Refusal | None
    responses: tuple[Message, ...] | None
    events: Events | None


class Action(NamedTuple):
    """Something that was done without a transaction."""

    name: str
    args: Fields
    refusal: Refusal | None
    sequence: int | None  # of the packet sent
    events: Events | None


class Check(NamedTuple):
    """A question to the mempool, and its answer."""

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
    is_complete: bool  # every write is told, also those of a value that was there
    changes: Mapping[str, tuple[Write, ...]]  # of stores whose changes are told
    root: str | None  # of the ibc store, hexadecimal
    version: int  # of the ibc store's tree
    balances: tuple[Balance, ...]
    events: Events | None  # of the begin block


class Transcript(NamedTuple):
    """What one file tells."""

    authority: str
    chains: tuple[ChainStart, ...]
    steps: tuple[Step, ...]
    checks: tuple[Check, ...]
