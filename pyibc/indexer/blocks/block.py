"""Block model that exports and recordings share, with the content of transactions."""

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from pyibc.codec.comet_json import write_hex
from pyibc.core.host.block import CommittedBlock, Event, TxOutcome, tx_hash
from pyibc.core.numbers import MAX_I64

MAX_DIGITS = 78  # of 2^256 - 1

MAX_MEMO = 1024
"""Maximum characters of a memo that are stored, for transactions and transfers."""

MAX_MESSAGES = 4096
"""Maximum messages of a transaction that are decoded; relayers use a few hundred."""

MAX_COINS = 64
"""Maximum coins of a fee that are decoded."""

MAX_NAME = 256
"""Maximum characters of an identifier or address; longer ones are malformed."""

UNKNOWN_CHAIN = "unknown"  # chain id of recordings without one


class ChainKey(NamedTuple):
    """Incarnation of a chain."""

    chain_id: str
    incarnation: str = ""  # "": not known

    def __str__(self) -> str:
        """Join both fields with a space, which no chain id contains."""
        return f"{self.chain_id} {self.incarnation}" if self.incarnation else self.chain_id

    @classmethod
    def parsed(cls, text: str) -> "ChainKey":
        """Parse the output of `str`."""
        chain_id, _, incarnation = text.partition(" ")
        return cls(chain_id, incarnation)


class MessageFacts(NamedTuple):
    """Fields of a message that the index uses; "" or 0 if the message does not have them."""

    type_url: str  # empty: the message could not be decoded
    signer: str = ""
    client_id: str = ""
    connection_id: str = ""
    port: str = ""  # of the channel end on the chain that executes the message
    channel: str = ""
    sequence: int = 0  # of the packet
    ordering: str = ""  # of a new channel: ORDER_ORDERED, ORDER_UNORDERED
    other_client: str = ""  # registered counterparty client
    chain_id: str = ""  # in a client state or header
    revision: int = 0  # revision number of `height`
    height: int = 0  # latest height of a client state, height of a header, or proof height
    time_ns: int = 0  # of the header or the first consensus state, unix nanoseconds
    trusting_ns: int = 0  # trusting period, nanoseconds


class TxContent(NamedTuple):
    """Content of a Cosmos SDK transaction."""

    memo: str = ""  # at most `MAX_MEMO` characters
    fee: tuple[tuple[str, str], ...] = ()  # denom, amount in decimal digits
    signer: str = ""  # fee payer, otherwise the first signer of an IBC message
    messages: tuple[MessageFacts, ...] = ()
    problems: tuple[str, ...] = ()  # with messages that could not be decoded


def first_signer(payer: str, messages: Iterable[MessageFacts]) -> str:
    """Return the fee payer if set, otherwise the first signer of a message."""
    return payer or next((message.signer for message in messages if message.signer), "")


class Document(msgspec.Struct, forbid_unknown_fields=True):
    """Form of `TxContent` in a block line; messages contain only the fields that they have."""

    memo: str = ""
    fee: list[tuple[str, str]] = []
    signer: str = ""
    messages: list[dict[str, str | int]] = []
    problems: list[str] = []


_TYPES = MessageFacts.__annotations__


def to_document(content: TxContent) -> Document:
    """Convert to the JSON object of a block line."""
    messages = [
        {name: found for name, found in message._asdict().items() if found} for message in content.messages
    ]
    return Document(content.memo, [*content.fee], content.signer, messages, [*content.problems])


def from_document(found: Document) -> TxContent:
    """Convert from the JSON object of a block line.

    Raises:
        ValueError: the document is malformed, or exceeds the limits of this module.
    """
    messages = tuple(_message(each) for each in found.messages)
    if len(messages) > MAX_MESSAGES or len(found.fee) > MAX_COINS or len(found.memo) > MAX_MEMO:
        raise ValueError("the content of a transaction is too large")
    return TxContent(found.memo, tuple(found.fee), found.signer, messages, tuple(found.problems))


def _message(found: dict[str, str | int]) -> MessageFacts:
    for name, value in found.items():
        if name not in _TYPES or type(value) is not _TYPES[name]:
            raise ValueError(f"a message with an invalid {name[:32]!r}")
        if isinstance(value, int) and not 0 <= value <= MAX_I64:
            raise ValueError(f"a message whose {name} is outside 0..2^63-1")
    return MessageFacts(**{"type_url": "", **found})  # type: ignore[arg-type]


def is_unknown(chain: str) -> bool:
    """Return whether `chain` is a placeholder for recordings without a header, possibly of several chains."""
    return chain == UNKNOWN_CHAIN or chain.startswith(f"{UNKNOWN_CHAIN}-")


class Ack(NamedTuple):
    """Acknowledgement in a relayer's `MsgAcknowledgement`."""

    src_port: str
    src_channel: str
    sequence: int
    acknowledgement: bytes


class Tx(NamedTuple):
    """Transaction and its result."""

    hash: str  # upper-case hex of the SHA-256 of the bytes; "" if the recording does not have it
    code: int  # 0: success
    events: tuple[Event, ...]
    gas_wanted: int = 0
    gas_used: int = 0
    codespace: str = ""
    log: str = ""
    data: bytes = b""
    raw: bytes = b""  # encoded transaction; b"" if only its result is known
    acks: tuple[Ack, ...] = ()  # set for a transaction recorded as JSON; otherwise decoded from `raw`
    signer: str = ""  # likewise
    content: TxContent | None = None  # likewise


class Block(NamedTuple):
    """Block of a chain, complete or partial."""

    chain_id: str
    height: int
    time_ns: int | None  # unix nanoseconds; None if no header was recorded
    txs: tuple[Tx, ...]
    block_events: tuple[Event, ...] = ()
    app_hash: bytes = b""
    origin: str = ""  # file the block was read from; "" in exports
    partial: bool = False  # only single transactions of the block are known
    incarnation: str = ""  # digest of the chain's first block (`lines.incarnation_of`); "": not known


def tx_hash_text(raw: bytes) -> str:
    """Return the hash of a transaction as nodes print it: upper-case hex of its SHA-256."""
    return write_hex(tx_hash(raw))


def from_committed(block: CommittedBlock) -> Block:
    """Convert a block that the host has committed."""
    txs = tuple(
        Tx(tx_hash_text(t.tx), t.code, t.events, t.gas_wanted, t.gas_used, t.codespace, t.log, t.data, t.tx)
        for t in block.txs
    )
    return Block(block.chain_id, block.height, block.time_ns, txs, block.block_events, block.app_hash)


def to_committed(block: Block) -> CommittedBlock:
    """Reverse `from_committed`; header hashes are not restored."""
    txs = tuple(
        TxOutcome(t.raw, t.code, t.codespace, t.events, t.gas_wanted, t.gas_used, t.data, t.log)
        for t in block.txs
    )
    return CommittedBlock(
        block.chain_id, block.height, block.time_ns or 0, block.app_hash, txs, block.block_events
    )
