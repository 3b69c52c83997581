"""JSON document of a block line, strictly validated because the files may come from untrusted sources."""

import re
from base64 import b64encode
from binascii import unhexlify
from itertools import chain
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from pyibc.core.host.block import Event
from pyibc.core.numbers import MAX_I64
from pyibc.indexer.blocks import Ack, Block, Tx
from pyibc.indexer.errors import MalformedLine
from pyibc.indexer.transactions.content import Document, TxContent, from_document, to_document

MAX_CODE = 2**32 - 1  # of a result code, which has 32 bits in ABCI

_Natural = Annotated[int, Meta(ge=0, le=MAX_I64)]
_Positive = Annotated[int, Meta(ge=1, le=MAX_I64)]
_Code = Annotated[int, Meta(ge=0, le=MAX_CODE)]
_INCARNATION = re.compile(r"[0-9a-f]{16}")
_Digest = Annotated[str, Meta(pattern=r"\A([0-9a-f]{16})?\Z")]
_Ack = tuple[str, str, _Natural, str]


class _TxBody(Struct, forbid_unknown_fields=True, gc=False):
    hash: str
    code: _Code
    codespace: str
    events: tuple[Event, ...]
    gas_wanted: _Natural
    gas_used: _Natural
    log: str
    data: bytes
    tx: bytes
    acks: tuple[_Ack, ...] = ()
    signer: str = ""
    content: Document | None = None


# guard: h90-fields-that-nobody-knows-are-passed-over drop:forbid_unknown_fields
#   test_h90_a_field_of_a_wrong_kind_is_named
class _BlockBody(Struct, forbid_unknown_fields=True, gc=False):
    chain_id: str
    height: _Positive
    time_ns: _Natural | None
    app_hash: str
    txs: tuple[_TxBody, ...]
    block_events: tuple[Event, ...]
    incarnation: _Digest = ""
    origin: str = ""
    partial: bool = False


_decode = msgspec.json.Decoder(_BlockBody).decode


def document_of(block: Block) -> dict[str, Any]:
    """Build the JSON document of `block`; the incarnation is first, so that readers find it without parsing.

    Raises:
        MalformedLine: a number is out of range, or the incarnation is malformed.
    """
    if block.incarnation and not _INCARNATION.fullmatch(block.incarnation):
        raise MalformedLine(f"incarnation {block.incarnation[:32]!r} does not have 16 hex digits")
    document: dict[str, Any] = {"incarnation": block.incarnation} if block.incarnation else {}
    document |= {
        "chain_id": block.chain_id,
        "height": _in_range("height", block.height, 1),
        "time_ns": None if block.time_ns is None else _in_range("time_ns", block.time_ns),
        "app_hash": block.app_hash.hex(),
        "txs": [_tx_document(tx) for tx in block.txs],
        "block_events": block.block_events,
    }
    if block.origin:
        document["origin"] = block.origin
    if block.partial:
        document["partial"] = True
    return document


def body_of(block: Block) -> bytes:
    """Encode the JSON of `block`; the result is checked to be readable by `read_body`.

    Raises:
        MalformedLine: a value has a wrong type, is out of range, or is not Unicode (a lone surrogate).
    """
    try:
        document = document_of(block)
        body = msgspec.json.encode(document)
        _decode(body if not _has_plain_events(block) else msgspec.json.encode(_without_events(document)))
    except UnicodeEncodeError:
        raise MalformedLine("a text in the block is not Unicode") from None
    except (msgspec.DecodeError, TypeError, OverflowError, RecursionError) as error:
        raise MalformedLine(f"not a block: {str(error)[:200]}") from None
    return body


def _has_plain_events(block: Block) -> bool:
    """Return whether the events are certainly valid, which avoids the expensive check by decoding."""
    return _are_plain(block.block_events) and all(_are_plain(tx.events) for tx in block.txs)


def _are_plain(events: Any) -> bool:
    """Return whether events are tuples of a type and string pairs; avoids a Python loop over the values."""
    if type(events) is not tuple or not _are_pairs(events):
        return False
    attributes = [pairs for _, pairs in events]
    if not set(map(type, attributes)) <= {tuple}:
        return False
    pairs = list(chain.from_iterable(attributes))
    texts = chain((kind for kind, _ in events), chain.from_iterable(pairs))
    return _are_pairs(pairs) and set(map(type, texts)) <= {str}


def _are_pairs(found: Any) -> bool:
    return set(map(type, found)) <= {tuple} and set(map(len, found)) <= {2}


def _without_events(document: dict[str, Any]) -> dict[str, Any]:
    return {**document, "txs": [{**tx, "events": ()} for tx in document["txs"]], "block_events": ()}


def read_body(body: bytes) -> Block:
    """Decode the JSON document of a line.

    Raises:
        MalformedLine: the document is malformed; the reason names the field.
    """
    try:
        found = _decode(body)
    # guard: h90-bytes-that-are-no-text-are-raised drop:UnicodeDecodeError
    #   test_h90_bytes_that_are_no_text_in_the_json_are_named
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise MalformedLine(f"the JSON is not a block: {str(error)[:200]}") from None
    return Block(
        found.chain_id,
        found.height,
        found.time_ns,
        tuple([_tx(tx, index) for index, tx in enumerate(found.txs)]),
        found.block_events,
        _octets(found.app_hash, "app_hash"),
        found.origin,
        found.partial,
        found.incarnation,
    )


def _tx_document(tx: Tx) -> dict[str, Any]:
    document: dict[str, Any] = {
        "hash": tx.hash,
        "code": tx.code,
        "codespace": tx.codespace,
        "events": tx.events,
        "gas_wanted": tx.gas_wanted,
        "gas_used": tx.gas_used,
        "log": tx.log,
        "data": b64encode(tx.data).decode(),
        "tx": b64encode(tx.raw).decode(),
    }
    if tx.acks:
        document["acks"] = [(a.src_port, a.src_channel, a.sequence, a.acknowledgement.hex()) for a in tx.acks]
    if tx.signer:
        document["signer"] = tx.signer
    if tx.content:
        document["content"] = to_document(tx.content)
    return document


def _in_range(field: str, number: int, first: int = 0) -> int:
    if not first <= number <= MAX_I64:
        raise MalformedLine(f"{field} {number} is outside {first}..2^63-1")
    return number


def _tx(found: _TxBody, index: int) -> Tx:
    return Tx(
        found.hash,
        found.code,
        found.events,
        found.gas_wanted,
        found.gas_used,
        found.codespace,
        found.log,
        found.data,
        found.tx,
        tuple([Ack(*ack[:3], _octets(ack[3], f"txs[{index}].acks")) for ack in found.acks]),
        found.signer,
        None if found.content is None else _content(found.content, index),
    )


def _content(found: Document, index: int) -> TxContent:
    try:
        return from_document(found)
    except ValueError as error:
        raise MalformedLine(f"the JSON is not a block: {error} - at `$.txs[{index}].content`") from None


def _octets(digits: str, field: str) -> bytes:
    try:
        return unhexlify(digits)
    except ValueError:
        raise MalformedLine(f"the JSON is not a block: not hexadecimal - at `$.{field}`") from None
