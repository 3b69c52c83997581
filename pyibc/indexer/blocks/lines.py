r"""Block lines: encoding of one block as one line of text.

    pyibc1 <crc32> <chain id> <height> <digest> <full|part> <JSON>\n

`crc32` (8 hex digits) covers everything after it up to the newline, so truncated and modified lines are
detected without parsing. `digest` (16 hex digits) covers the results of the block: two records of a block
agree if their digests are equal, even if other fields differ. The JSON contains no raw newline. It is
strictly validated, because the files may come from untrusted sources.
"""

import re
import sys
from binascii import unhexlify
from hashlib import blake2b
from io import BytesIO
from itertools import chain
from typing import Annotated, Any, NamedTuple
from zlib import crc32

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from pyibc.core.host.block import CommittedBlock, Event
from pyibc.core.numbers import MAX_I64
from pyibc.indexer.blocks.block import (
    Ack,
    Block,
    ChainKey,
    Document,
    Tx,
    TxContent,
    from_committed,
    from_document,
    to_committed,
    to_document,
)
from pyibc.indexer.errors import MalformedLine

MAX_CODE = 2**32 - 1  # of a result code, which has 32 bits in ABCI

_Natural = Annotated[int, Meta(ge=0, le=MAX_I64)]
_Positive = Annotated[int, Meta(ge=1, le=MAX_I64)]
_Code = Annotated[int, Meta(ge=0, le=MAX_CODE)]
_INCARNATION_DIGEST = re.compile(r"[0-9a-f]{16}")
_Digest = Annotated[str, Meta(pattern=r"\A([0-9a-f]{16})?\Z")]
_Ack = tuple[str, str, _Natural, str]

MAGIC = b"pyibc1 "
MAX_CHAIN_ID = 128  # bytes; CometBFT allows 50
MAX_LINE = 512 << 20  # bytes; blocks with their results are far smaller

_encode = msgspec.json.encode
_CHAIN = re.compile(rb"[^\x00-\x20\x7f]{1,128}")
_HEIGHT = re.compile(rb"[1-9][0-9]{0,18}")
_INCARNATION = b'{"incarnation":"'
_TIME = rb'[{,]"chain_id":"[^"\\]*","height":[0-9]+,"time_ns":([0-9]{1,19})(?![0-9])'
_HEAD = re.compile(
    rb"(%s) (%s) ([0-9a-f]{16}) (full|part) (?:%s([0-9a-f]{16})\")?(?:%s)?"
    % (_CHAIN.pattern, _HEIGHT.pattern, re.escape(_INCARNATION), _TIME)
)
_HEIGHT_ODD = "the height is not a number in 1..2^63-1"
_DIGITS = 19  # of the highest height


class _TxBody(Struct, forbid_unknown_fields=True, gc=False, omit_defaults=True):
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
class _BlockBody(Struct, forbid_unknown_fields=True, gc=False, omit_defaults=True, kw_only=True):
    incarnation: _Digest = ""
    chain_id: str
    height: _Positive
    time_ns: _Natural | None
    app_hash: str
    txs: tuple[_TxBody, ...]
    block_events: tuple[Event, ...]
    origin: str = ""
    partial: bool = False


_decode = msgspec.json.Decoder(_BlockBody).decode


def document_of(block: Block) -> _BlockBody:
    """Build the JSON document of `block`; the incarnation is first, so that readers find it without parsing.

    Raises:
        MalformedLine: a number is out of range, or the incarnation is malformed.
    """
    if block.incarnation and not _INCARNATION_DIGEST.fullmatch(block.incarnation):
        raise MalformedLine(f"incarnation {block.incarnation[:32]!r} does not have 16 hex digits")
    return _BlockBody(
        incarnation=block.incarnation,
        chain_id=block.chain_id,
        height=_in_range("height", block.height, 1),
        time_ns=None if block.time_ns is None else _in_range("time_ns", block.time_ns),
        app_hash=block.app_hash.hex(),
        txs=tuple(map(_tx_body, block.txs)),
        block_events=block.block_events,
        origin=block.origin,
        partial=block.partial,
    )


def body_of(block: Block) -> bytes:
    """Encode the JSON of `block`; the result is checked to be readable by `read_body`.

    Raises:
        MalformedLine: a value has a wrong type, is out of range, or is not Unicode (a lone surrogate).
    """
    try:
        document = document_of(block)
        body = msgspec.json.encode(document)
        # Events that are certainly valid are not checked by decoding, which is expensive.
        is_plain = _are_plain(block.block_events) and all(_are_plain(tx.events) for tx in block.txs)
        _decode(msgspec.json.encode(_without_events(document)) if is_plain else body)
    except UnicodeEncodeError:
        raise MalformedLine("a text in the block is not Unicode") from None
    except (msgspec.DecodeError, TypeError, OverflowError, RecursionError) as error:
        raise MalformedLine(f"not a block: {str(error)[:200]}") from None
    return body


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


def _without_events(document: _BlockBody) -> _BlockBody:
    txs = tuple(replace(tx, events=()) for tx in document.txs)
    return replace(document, txs=txs, block_events=())


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


def _tx_body(tx: Tx) -> _TxBody:
    name, code, events, wanted, used, codespace, log, data, raw = tx[:9]
    acks = tuple([(*ack[:3], ack.acknowledgement.hex()) for ack in tx.acks])
    content = to_document(tx.content) if tx.content else None
    return _TxBody(name, code, codespace, events, wanted, used, log, data, raw, acks, tx.signer, content)


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


class LineHead(NamedTuple):
    """Fields of a line before the JSON, the incarnation of its chain, and the block time."""

    chain_id: str
    height: int
    digest: str
    partial: bool
    incarnation: str = ""  # "": not known
    time_ns: int | None = None  # None: not known, or not where `encode_line` writes it

    @property
    def chain(self) -> ChainKey:
        """Chain id with the incarnation."""
        return ChainKey(self.chain_id, self.incarnation)


def encode_line(block: Block) -> bytes:
    """Encode `block` as a line with a newline.

    Raises:
        MalformedLine: the chain id is not allowed in a line, a value has a wrong type or is out of range, or
            a text is not Unicode (a lone surrogate).
    """
    body, digest = body_of(block), content_digest(block).encode()
    chain = block.chain_id.encode()
    if not _CHAIN.fullmatch(chain):
        raise MalformedLine(f"chain id {block.chain_id[:64]!r} is empty, too long or contains white space")
    mode = b"part" if block.partial else b"full"
    rest = b"%s %d %s %s %s" % (chain, block.height, digest, mode, body)
    return b"%s%08x %s\n" % (MAGIC, crc32(rest), rest)


def content_digest(block: Block) -> str:
    """Return the digest of a block's results (codes and events in order), 16 hex digits."""
    content = [[(t.code, t.events if t.code == 0 else ()) for t in block.txs], block.block_events]
    return blake2b(_encode(content), digest_size=8).hexdigest()


def incarnation_of(first: Block) -> str:
    """Return the digest of a chain's first block, 16 hex digits; it distinguishes chains with the same id."""
    content = [first.chain_id, first.height, first.time_ns, first.app_hash.hex(), content_digest(first)]
    return blake2b(_encode(content), digest_size=8).hexdigest()


def parse_head(line: bytes) -> LineHead:
    """Check a line (with its newline) and parse the fields before its JSON.

    Raises:
        MalformedLine: the newline or the magic word is missing, the checksum is wrong, or the head is
            malformed.
    """
    if not line.endswith(b"\n"):
        raise MalformedLine("it ends without a newline (truncated or partially written)")
    if not line.startswith(MAGIC):
        raise MalformedLine("it does not begin with pyibc1")
    checksum, _, rest = line[len(MAGIC) : -1].partition(b" ")
    if checksum != b"%08x" % crc32(rest):
        raise MalformedLine("the checksum does not match")
    found = _HEAD.match(rest)
    if found is None:
        raise MalformedLine(_oddity(rest))
    chain, height, digest, mode, incarnation, time = found.groups()
    if len(height) == _DIGITS and int(height) > MAX_I64:
        raise MalformedLine(_HEIGHT_ODD)
    try:
        name = sys.intern(chain.decode())
    except UnicodeDecodeError:
        raise MalformedLine("the chain id is not UTF-8") from None
    which = "" if incarnation is None else sys.intern(incarnation.decode())
    time_ns = None if time is None else int(time)
    return LineHead(name, int(height), digest.decode(), mode == b"part", which, time_ns)


def checksum_in(line: bytes) -> str:
    """Return the checksum in a line whose head `parse_head` accepted, 8 hex digits."""
    return line[len(MAGIC) : len(MAGIC) + 8].decode()


def _oddity(rest: bytes) -> str:
    """Describe the defect of a malformed head."""
    parts = rest.split(b" ", 4)
    if len(parts) != 5 or parts[3] not in {b"full", b"part"}:
        return "the head does not have five fields"
    if not _CHAIN.fullmatch(parts[0]):
        return "the chain id is empty, too long or contains white space"
    return _HEIGHT_ODD if not _HEIGHT.fullmatch(parts[1]) else "the digest does not have 16 hex digits"


def decode_line(line: bytes) -> Block:
    """Decode the block of a line whose head `parse_head` accepted.

    Raises:
        MalformedLine: the JSON is not a block, or contradicts the head.
    """
    parts = line.rstrip(b"\n").split(b" ", 6)
    if len(parts) != 7:
        raise MalformedLine("the head does not have five fields")
    _, _, chain, height, _, mode, body = parts
    block = read_body(body)
    if block.chain_id.encode() != chain:
        raise MalformedLine("the JSON has another chain id than the head - at `$.chain_id`")
    # guard: h90-a-json-of-another-height-is-believed test_h90_a_field_of_a_wrong_kind_is_named
    if b"%d" % block.height != height:
        raise MalformedLine("the JSON has another height than the head - at `$.height`")
    if block.partial is not (mode == b"part"):
        raise MalformedLine("the JSON and the head differ in whether the block is partial - at `$.partial`")
    if block.incarnation and not body.startswith(_INCARNATION):
        raise MalformedLine("the incarnation is not the first field - at `$.incarnation`")
    return block


def encode_committed(block: CommittedBlock) -> bytes:
    """Encode a block as a line without an incarnation; raise the errors of `encode_line`."""
    return encode_line(from_committed(block))


def decode_committed(line: bytes) -> CommittedBlock:
    """Decode a line of `encode_committed`; header hashes are not restored.

    Raises:
        MalformedLine: the line is malformed.
    """
    parse_head(line)
    return to_committed(decode_line(line))


def split_lines(data: bytes) -> list[bytes]:
    """Split `data` into lines with their newlines; carriage returns, as in JSON, do not end lines."""
    return BytesIO(data).readlines()
