r"""One block, one line.

    pyibc1 <crc32> <chain id> <height> <digest> <full|part> <JSON>\n

`crc32` (eight hex digits) is that of everything after it up to the newline, so that a cut or edited line
shows without parsing. `digest` (sixteen hex digits) is that of the block's results: two records of a block
agree if their digests do, whatever else they know of it. JSON never holds a raw newline.
"""

from base64 import b64decode, b64encode
from hashlib import blake2b
from typing import Any, NamedTuple
from zlib import crc32

import msgspec

from ibc_core.host.events import Event
from ibc_core.numbers import MAX_I64, parse_u64
from ibc_indexer.blocks import Ack, Block, Tx
from ibc_indexer.errors import MalformedLine
from ibc_indexer.transactions.content import from_document, to_document

MAGIC = b"pyibc1 "
MAX_CHAIN_ID = 128  # bytes; CometBFT allows 50

_encode = msgspec.json.encode
_decode = msgspec.json.decode


class LineHead(NamedTuple):
    """What a line says before its JSON."""

    chain_id: str
    height: int
    digest: str
    partial: bool


def encode_line(block: Block) -> bytes:
    """The line of `block`, newline included.

    Raises:
        MalformedLine: the chain id cannot stand in a line, a number is out of range, or an event's text is
            no Unicode (a lone surrogate).
    """
    chain = block.chain_id.encode()
    if not chain or len(chain) > MAX_CHAIN_ID or chain.split() != [chain]:
        raise MalformedLine(f"chain id {block.chain_id[:64]!r} is empty, too long or has white space")
    if not 0 < block.height <= MAX_I64:
        raise MalformedLine(f"height {block.height} is outside 1..2^63-1")
    if block.time_ns is not None and not 0 <= block.time_ns <= MAX_I64:
        raise MalformedLine(f"time {block.time_ns} is outside 0..2^63-1 nanoseconds")
    try:
        body, digest = _encode(_document(block)), content_digest(block).encode()
    except UnicodeEncodeError:
        raise MalformedLine("a text in it is no Unicode") from None
    mode = b"part" if block.partial else b"full"
    rest = b"%s %d %s %s %s" % (chain, block.height, digest, mode, body)
    return b"%s%08x %s\n" % (MAGIC, crc32(rest), rest)


def content_digest(block: Block) -> str:
    """Sixteen hex digits over what the block did: codes and events, in order."""
    content = [[(t.code, t.events if t.code == 0 else ()) for t in block.txs], block.block_events]
    return blake2b(_encode(content), digest_size=8).hexdigest()


def parse_head(line: bytes) -> LineHead:
    """Checks a line (newline included) and reads what stands before its JSON.

    Raises:
        MalformedLine: it has no newline, no magic word, a wrong checksum or a malformed head.
    """
    if not line.endswith(b"\n"):
        raise MalformedLine("it ends without a newline (cut or half written)")
    if not line.startswith(MAGIC):
        raise MalformedLine("it does not begin with pyibc1")
    checksum, _, rest = line[len(MAGIC) : -1].partition(b" ")
    if checksum != b"%08x" % crc32(rest):
        raise MalformedLine("its checksum does not match")
    parts = rest.split(b" ", 4)
    if len(parts) != 5 or parts[3] not in {b"full", b"part"}:
        raise MalformedLine("its head has not five fields")
    height = parse_u64(parts[1].decode("ascii", "replace"))
    if height is None or not 0 < height <= MAX_I64:
        raise MalformedLine("its height is no number in 1..2^63-1")
    return LineHead(parts[0].decode(), height, parts[2].decode(), parts[3] == b"part")


def decode_line(line: bytes) -> Block:
    """The block of a line whose head `parse_head` accepted.

    Raises:
        MalformedLine: the JSON is not a block.
    """
    try:
        return _block(_decode(line.rstrip(b"\n").split(b" ", 6)[6]))
    except (msgspec.DecodeError, RecursionError, IndexError, KeyError, TypeError, ValueError) as error:
        raise MalformedLine(f"its JSON is no block ({type(error).__name__})") from None


def _document(block: Block) -> dict[str, Any]:
    document: dict[str, Any] = {
        "chain_id": block.chain_id,
        "height": block.height,
        "time_ns": block.time_ns,
        "app_hash": block.app_hash.hex(),
        "txs": [_tx_document(tx) for tx in block.txs],
        "block_events": block.block_events,
    }
    if block.origin:
        document["origin"] = block.origin
    if block.partial:
        document["partial"] = True
    return document


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


def _is_i64(value: object) -> bool:
    return type(value) is int and 0 <= value <= MAX_I64


def _block(found: dict[str, Any]) -> Block:
    time_ns = found["time_ns"]
    if not (time_ns is None or _is_i64(time_ns)) or not _is_i64(found["height"]):
        raise TypeError
    return Block(
        found["chain_id"],
        found["height"],
        time_ns,
        tuple(_tx(tx) for tx in found["txs"]),
        _events(found["block_events"]),
        bytes.fromhex(found["app_hash"]),
        found.get("origin", ""),
        found.get("partial", False),
    )


def _tx(found: dict[str, Any]) -> Tx:
    return Tx(
        found["hash"],
        found["code"],
        _events(found["events"]),
        found["gas_wanted"],
        found["gas_used"],
        found["codespace"],
        found["log"],
        b64decode(found["data"], validate=True),
        b64decode(found["tx"], validate=True),
        tuple(_ack(ack) for ack in found.get("acks", ())),
        found.get("signer", ""),
        from_document(found["content"]) if "content" in found else None,
    )


def _ack(found: list[Any]) -> Ack:
    port, channel, sequence, acknowledgement = found
    return Ack(port, channel, sequence, bytes.fromhex(acknowledgement))


def _events(found: list[Any]) -> tuple[Event, ...]:
    return tuple((kind, tuple((key, value) for key, value in attributes)) for kind, attributes in found)
